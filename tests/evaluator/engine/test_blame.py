"""Whose line it was, and what kind of failure."""

import sys
from pathlib import Path

import pytest
import torch

from evaluator.engine import blame as blame_module
from evaluator.engine import interpreter
from evaluator.engine.blame import blame, describe, kind
from evaluator.engine.load import load_submission, unload

interpreter.enable()

PASS = """import torch
import triton
import triton.language as tl
def pattern(x): return x + 1
def replacement_args(x): return (x,)
@triton.jit
def kernel(o):
    {body}
def launcher(x):
    out = torch.empty_like(x)
    kernel[(1,)](out)
    return out
def replacement_func(): return launcher
"""


@pytest.fixture
def failure(tmp_path):
    def failure(body):
        (tmp_path / "A.py").write_text(PASS.format(body=body))
        (tmp_path / "sorted_output_pass_rule_names.json").write_text('["A"]')
        (found,) = load_submission(tmp_path)
        with pytest.raises(Exception) as caught:
            found.launcher(torch.ones(4))
        return caught.value

    yield failure
    unload()


@pytest.mark.parametrize(
    ("body", "wanted", "message"),
    [
        ("tl.store(o, tl.cube(2.0))", "compile", "AttributeError: module 'triton.language' has no attribute 'cube'"),
        ("tl.store(o, nothing)", "compile", "NameError: name 'nothing' is not defined"),
        ("tl.store(o + tl.arange(0, 4), tl.zeros((8,), tl.float32))", "compile", "ValueError"),
        ("tl.load(o, wrong=1)", "compile", "TypeError"),
        ("assert 1 > 2, 'no'", "exception", "AssertionError: no"),
        ("tl.store(o + 99, 1.0)", "exception", "OutOfBounds: kernel kernel writes outside"),
    ],
)
def test_a_kernel_that_fails_is_found_behind_tritons_own_exception(failure, tmp_path, body, wanted, message):
    problem = failure(body)
    found = blame(problem, tmp_path)
    assert (found.file, found.line) == ("A.py", 8)
    assert found.message.startswith(message) and kind(problem) == wanted


@pytest.mark.parametrize(
    ("problem", "wanted"),
    [
        (MemoryError(), "oom"),
        (torch.OutOfMemoryError("CUDA out of memory"), "oom"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), "oom"),
        (type("CompilationError", (Exception,), {})("at 1:2"), "compile"),
        (NameError("x"), "exception"),
        (ValueError("x"), "exception"),
    ],
)
def test_kinds(problem, wanted):
    assert kind(problem) == wanted


def test_a_ten_terabyte_tensor_is_out_of_memory():
    with pytest.raises(RuntimeError) as caught:
        torch.empty(10 << 40, dtype=torch.uint8)
    assert kind(caught.value) == "oom"


def test_an_exception_from_elsewhere_blames_nobody():
    found = blame(ValueError("no\n  luck"), Path("/nowhere"))
    assert (found.message, found.file, found.line) == ("ValueError: no luck", None, None)
    assert str(found) == "ValueError: no luck"


def test_a_long_text_is_cut():
    assert len(describe(ValueError("x" * 10_000))) == blame_module.MAX_MESSAGE


def test_a_cause_that_leads_back_to_itself():
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert blame(one, Path(sys.prefix)).message == "ValueError: two"
