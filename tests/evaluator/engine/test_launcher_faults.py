"""Mistakes in launchers that people make in their first pass: each is told with its place and what to write."""

import pytest
import torch

from evaluator.engine import interpreter
from evaluator.engine.blame import blame, kind
from evaluator.engine.build import build
from evaluator.engine.load import load_submission, unload
from evaluator.engine.passes import PatternError, apply_passes
from graphs.fx_source import parse

interpreter.enable()

MODEL = """
import torch
class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        a = in_0 + in_1
        b = torch.relu(a)
        return (b,)
"""
PASS = """import torch
import triton
import triton.language as tl
def pattern(x, y):
    return torch.relu(x + y)
def replacement_args(x, y):
    return {args}
@triton.jit
def kernel(x, y, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.load(x + at, mask=at < n), mask=at < n)
def launcher({parameters}):
    o = torch.empty_like(x)
    n = x.numel()
    {launch}
    {end}
def replacement_func():
    return launcher
"""


@pytest.fixture
def told(tmp_path):
    def told(args="(x, y)", parameters="x, y", launch="kernel[(1,)](x, y, o, n, B=16)", end="return o"):
        text = PASS.format(args=args, parameters=parameters, launch=launch, end=end)
        (tmp_path / "A.py").write_text(text)
        (tmp_path / "sorted_output_pass_rule_names.json").write_text('["A"]')
        module = apply_passes(build(parse(MODEL)), load_submission(tmp_path)).module
        with pytest.raises(Exception) as caught:
            module(torch.ones(4), torch.ones(4))
        return str(blame(caught.value, tmp_path)), kind(caught.value)

    yield told
    unload()


def test_too_few_arguments(told):
    message, what = told(args="(x,)")
    assert message == "A.py:6: replacement_args returns 1 argument, but the launcher launcher takes 2 (x, y)"
    assert what == "exception"


@pytest.mark.parametrize(
    ("args", "parameters", "words"),
    [
        ("(x, y, 1)", "x, y: torch.Tensor", "returns 3 arguments, but the launcher launcher takes 2 (x, y)"),
        ("(x, y, 1)", "x, y=None", "returns 3 arguments, but the launcher launcher takes 1 to 2 (x, y=None)"),
        ("(x,)", "x, y, *more", "returns 1 argument, but the launcher launcher takes at least 2 (x, y, *more)"),
    ],
)
def test_another_number_of_arguments(told, args, parameters, words):
    assert told(args=args, parameters=parameters)[0] == f"A.py:6: replacement_args {words}"


def test_a_type_error_of_the_launcher_itself_is_not_about_its_arguments(told):
    assert told(launch="len(3)") == ("A.py:15: TypeError: object of type 'int' has no len()", "exception")


def test_a_launcher_without_return(told):
    assert told(end="") == ("A.py:12: launcher returns nothing: write `return …`", "outputs")


def test_another_number_of_values_is_a_mismatch(told):
    assert told(end="return o, o") == ("A.py:12: launcher returned 2 values; its pattern returns 1", "outputs")


@pytest.mark.parametrize(
    ("launch", "written"),
    [
        ("kernel[triton.cdiv(n, 256)](x, y, o, n, B=256)", "(triton.cdiv(n, 256),)"),
        ("kernel[lambda meta: triton.cdiv(n, meta['B'])](x, y, o, n, B=256)", "(triton.cdiv(n, meta['B']),)"),
        ("kernel[n](\n        x, y, o, n, B=16\n    )", "(n,)"),
    ],
)
def test_a_grid_that_is_a_number(told, launch, written):
    assert told(launch=launch)[0] == f"A.py:15: a grid is a tuple, and this one is a number: write `{written}`"


def test_a_pattern_without_return_is_told_with_its_line(tmp_path):
    text = PASS.format(args="(x, y)", parameters="x, y", launch="", end="return o")
    (tmp_path / "A.py").write_text(text.replace("return torch.relu(x + y)", "torch.relu(x + y)"))
    (tmp_path / "sorted_output_pass_rule_names.json").write_text('["A"]')
    with pytest.raises(PatternError, match=r"^A\.py:4: pattern returns nothing: "):
        apply_passes(build(parse(MODEL)), load_submission(tmp_path))
    unload()
