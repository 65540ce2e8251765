"""What Inductor is promised about a launcher's result, and that it gets that."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.engine.backend.examples import Unknown
from evaluator.engine.backend.results import LauncherResult, promise

SIZES = st.lists(st.integers(0, 4), max_size=4)


@st.composite
def dense(draw):
    """A tensor without gaps whose dimensions lie in memory in any order."""
    sizes = draw(SIZES)
    order = draw(st.permutations(range(len(sizes))))
    return torch.randn([sizes[dim] for dim in order]).permute([order.index(dim) for dim in range(len(sizes))])


def significant(tensor):
    return [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]


@given(dense(), st.data())
def test_any_order_in_memory_is_promised_and_kept(example, data):
    wanted = promise(example, "launch")
    if example.numel():
        assert significant(wanted.empty()) == significant(example)
    other = example.clone(memory_format=torch.contiguous_format)
    if other.dim() > 1 and data.draw(st.booleans()):
        other = other.transpose(0, -1).contiguous().transpose(0, -1)
    found = wanted.kept(other, set())
    assert torch.equal(found, example) and (not example.numel() or significant(found) == significant(example))


def test_a_view_is_promised_without_gaps():
    assert promise(torch.empty(4, 8)[:, ::2], "launch").empty().stride() == (4, 1)
    assert promise(torch.empty(1, 3).expand(2, 3), "launch").empty().is_contiguous()


def test_what_fits_is_handed_on_once():
    value, wanted, taken = torch.randn(2, 3), promise(torch.empty(2, 3), "launch"), set()
    assert wanted.kept(value, taken) is value
    again = wanted.kept(value, taken)
    assert again is not value and torch.equal(again, value)


@pytest.mark.parametrize("value", [torch.zeros(2, 4), torch.zeros(2, 3, 1), torch.zeros(2, 3).half(), None, (1, 2)])
def test_what_does_not_fit_is_an_error(value):
    with pytest.raises(LauncherResult, match="launch returned"):
        promise(torch.empty(2, 3), "launch").kept(value, set())


def test_only_tensors_are_results():
    with pytest.raises(Unknown, match="a result is a int"):
        promise(3, "launch")
