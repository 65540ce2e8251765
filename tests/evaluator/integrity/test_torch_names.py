"""A name that torch does not have is a typo and accuses nobody."""

import pytest

from evaluator.integrity import torch_names
from evaluator.integrity.static_check import check_files

PASS = """
import torch
import triton
import triton.language as tl


def pattern(x):
    return torch.tanh(x)


def replacement_args(x):
    return (x,)


@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@torch.fx.wrap
def launch(x):
    {line}
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=64)
    return out


def replacement_func():
    return launch
"""


def findings(line: str) -> list[tuple[str, str]]:
    files = {"P.py": PASS.format(line=line), "sorted_output_pass_rule_names.json": '["P"]'}
    return [(found["class"], found["severity"]) for found in check_files(files)]


@pytest.mark.parametrize(
    "line", ["n = x.nmel()", "y = torch.emptylike(x)", "y = torch.nn.functional.tahn(x)", "y = x.sumn(1)"]
)
def test_a_typo_is_no_finding(line: str) -> None:
    assert findings(line) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [("y = x.sum(1)", "tensor_operator"), ("y = torch.tanh(x)", "torch_compute"), ("y = x.tanh_()", "tensor_operator")],
)
def test_what_exists_is_still_found(line: str, word: str) -> None:
    assert (word, "violation") in findings(line)


def test_the_list_holds_every_name_of_the_installed_torch() -> None:
    for place, names in torch_names.installed().items():
        missing = [name for name in names if name not in torch_names._names()[place]]
        assert not missing, f"python -m evaluator.integrity.torch_names adds them: {place} {missing}"
