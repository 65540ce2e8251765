"""Which ways of writing a call are the same call. Each pair was decided by hand from torch's documentation."""

import operator

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from pass_helpers import count, graph, rule
from torch.nn.functional import layer_norm

D = torch.device

SAME = {
    "keyword for position": (lambda x: torch.sum(x, dim=1), "torch.sum(in_0, 1)"),
    "position for keyword": (lambda x: torch.clamp(x, 1e-9), "torch.clamp(in_0, min=1e-09)"),
    "default given": (lambda x: torch.sum(x, 1, False), "torch.sum(in_0, dim=1)"),
    "default left out": (lambda x: torch.sum(x, 1), "torch.sum(in_0, 1, keepdim=False, dtype=None)"),
    "input by name": (lambda x: torch.sum(input=x, dim=1), "torch.sum(in_0, 1)"),
    "NumPy's names": (lambda x: torch.sum(x, axis=1, keepdims=True), "torch.sum(in_0, 1, True)"),
    "int for one-element tuple": (lambda x: torch.sum(x, 1), "torch.sum(in_0, (1,))"),
    "one-element list for int": (lambda x: x.mean([1]), "in_0.mean(1)"),
    "list for tuple": (lambda x: x.mean([2, 3], keepdim=True), "in_0.mean((2, 3), keepdim=True)"),
    "roll of one dimension": (lambda x: torch.roll(x, 3, 1), "torch.roll(in_0, shifts=(3,), dims=(1,))"),
    "method by keyword": (lambda x: x.transpose(dim0=1, dim1=2), "in_0.transpose(1, 2)"),
    "sizes one by one": (lambda x: x.view((1, 4, -1)), "in_0.view(1, 4, -1)"),
    "sizes as a list": (lambda x: x.reshape(1, 4), "in_0.reshape([1, 4])"),
    "permute by keyword": (lambda x: x.permute(dims=(0, 2, 1)), "in_0.permute(0, 2, 1)"),
    "expand": (lambda x: x.expand((2, -1)), "in_0.expand(2, -1)"),
    "dtype by position": (lambda x: x.to(dtype=torch.float16), "in_0.to(torch.float16)"),
    "dtype by keyword": (lambda x: x.to(torch.float16), "in_0.to(dtype=torch.float16, copy=False)"),
    "Python's float": (lambda x: x.to(torch.float64), "in_0.to(float)"),
    "device and dtype": (
        lambda x: x.to(device="cuda", dtype=torch.half),
        "in_0.to(device(type='cuda', index=0), torch.float16)",
    ),
    "memory format": (lambda x: x.contiguous(memory_format=torch.contiguous_format), "in_0.contiguous()"),
    "softmax": (lambda x: F.softmax(x, -1), "F.softmax(in_0, dim=-1, _stacklevel=3, dtype=None)"),
    "imported by name": (lambda x: layer_norm(x, [8]), "F.layer_norm(in_0, (8,), None, None, 1e-05)"),
    "eps": (lambda x: F.layer_norm(x, (8,), eps=1e-5), "F.layer_norm(in_0, (8,))"),
    "an int where a float is meant": (lambda x: F.dropout(x, 0, False), "F.dropout(in_0, p=0.0, training=False)"),
    "dropout": (lambda x: F.dropout(x, training=False, p=0.1), "F.dropout(in_0, 0.1, False, False)"),
    "pooling by one number": (
        lambda x: F.max_pool2d(x, 3, 2, 1),
        "F.max_pool2d(in_0, (3, 3), (2, 2), (1, 1), 1, ceil_mode=False, return_indices=False)",
    ),
    "stride left out": (lambda x: F.avg_pool2d(x, 2), "F.avg_pool2d(in_0, 2, 2, 0)"),
    "adaptive pooling": (lambda x: F.adaptive_avg_pool2d(x, 1), "F.adaptive_avg_pool2d(in_0, (1, 1))"),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2.0), "F.interpolate(in_0, None, 2.0, 'nearest', None)"),
    "gelu": (lambda x: F.gelu(x), "F.gelu(in_0, approximate='none')"),
    "gelu under torch's name": (lambda x: F.gelu(x, approximate="tanh"), "torch._C._nn.gelu(in_0, approximate='tanh')"),
    "silu": (lambda x: F.silu(x), "F.silu(in_0, inplace=False)"),
    "arange with a start": (lambda x: x + torch.arange(4), "in_0 + torch.arange(0, 4, 1)"),
    "zeros": (lambda x: x + torch.zeros(2, 3), "in_0 + torch.zeros((2, 3), dtype=None)"),
    "tensor": (lambda x: x + torch.tensor(1e-5), "in_0 + torch.tensor(1e-05, dtype=None)"),
    "split": (lambda x: x.split(2, -1)[0], "in_0.split(2, dim=-1)[0]"),
    "split as a function": (lambda x: torch.split(x, [1, 2], dim=1)[1], "torch.functional.split(in_0, (1, 2), 1)[1]"),
    "chunk unpacked": (lambda x: torch.chunk(x, 2)[1], "torch.chunk(in_0, chunks=2, dim=0)[1]"),
    "einsum": (lambda x: torch.einsum("ij->ji", x), "torch.functional.einsum('ij->ji', [in_0])"),
    "slices": (lambda x: x[:, :12], "in_0[(slice(None, None, None), slice(None, 12, None))]"),
    "slice of one dimension": (lambda x: x[1:], "in_0[(slice(1, None, None),)]"),
    "slice from zero": (lambda x: x[0:4], "in_0[slice(None, 4, None)]"),
    "new axis and ellipsis": (lambda x: x[..., None], "in_0[(Ellipsis, None)]"),
    "a number written otherwise": (lambda x: x * 1e-5, "in_0 * 0.00001"),
    "infinity": (lambda x: torch.clamp(x, min=float("-inf")), "torch.clamp(in_0, min=-inf)"),
    "nan": (lambda x: torch.fill(x, float("nan")), "torch.fill(in_0, float('nan'))"),
    "operator by name": (lambda x: operator.le(operator.truediv(x, 2), 1), "(in_0 / 2) <= 1"),
    "attribute": (lambda x: x.T, "in_0.T"),
    "a clone keeps its format": (lambda x: x.clone(memory_format=torch.preserve_format), "in_0.clone()"),
    "size": (lambda x: x.view(x.size(0), -1), "in_0.view(in_0.size(0), -1)"),
    "max along a dimension": (lambda x: torch.max(x, dim=1)[0], "torch.max(in_0, 1)[0]"),
    "an ATen operator": (
        lambda x: torch.ops.aten.sum.dim_IntList(x, [1]),
        "torch.ops.aten.sum.dim_IntList(in_0, 1, False)",
    ),
}  # fmt: skip

DIFFERENT = {
    "constant": (lambda x: x * 2.0, "in_0 * 3.0"),
    "int and float": (lambda x: x * 1, "in_0 * 1.0"),
    "int and bool": (lambda x: x * 1, "in_0 * True"),
    "signed zero": (lambda x: x + 0.0, "in_0 + -0.0"),
    "clamp keeps integers integers": (lambda x: torch.clamp(x, 0, 6), "torch.clamp(in_0, 0.0, 6.0)"),
    "another default": (lambda x: torch.sum(x, 1), "torch.sum(in_0, 1, True)"),
    "other dimension": (lambda x: x.mean((2, 3)), "in_0.mean((1, 2))"),
    "dimension counted from the end": (lambda x: torch.sum(x, 1), "torch.sum(in_0, -1)"),
    "two sizes are not one": (lambda x: x.view(4), "in_0.view(4, 4)"),
    "dtype": (lambda x: x.to(torch.float16), "in_0.to(torch.bfloat16)"),
    "device": (lambda x: x.to("cuda:1"), "in_0.to(device(type='cuda', index=0))"),
    "dtype or device": (lambda x: x.to(torch.float16), "in_0.to(device(type='cuda', index=0))"),
    "gather or one index a dimension": (lambda x: x[[0, 1]], "in_0[(0, 1)]"),
    "slice": (lambda x: x[:, 1:], "in_0[(slice(None, None, None), slice(None, 1, None))]"),
    "rounding mode": (lambda x: torch.div(x, 2), "torch.div(in_0, 2, rounding_mode='floor')"),
    "inplace": (lambda x: F.relu(x), "F.relu(in_0, inplace=True)"),
    "order of operands": (lambda x: x + 1.0, "1.0 + in_0"),
    "subtraction": (lambda x: 1.0 - x, "in_0 - 1.0"),
    "method and function": (lambda x: x.sum(1), "torch.sum(in_0, 1)"),
    "operator and function": (lambda x: x + 1, "torch.add(in_0, 1)"),
    "functional and torch": (lambda x: torch.relu(x), "F.relu(in_0)"),
    "view and reshape": (lambda x: x.view(1, 4), "in_0.reshape(1, 4)"),
    "sum of all and of one dimension": (lambda x: torch.sum(x), "torch.sum(in_0, 1)"),
}  # fmt: skip


@pytest.mark.parametrize(("pattern", "expression"), SAME.values(), ids=SAME)
def test_the_same_call(pattern, expression):
    assert count(graph("in_0", f"tmp_0 = {expression}", "return (tmp_0,)"), pattern) == 1


@pytest.mark.parametrize(("pattern", "expression"), DIFFERENT.values(), ids=DIFFERENT)
def test_another_call(pattern, expression):
    assert count(graph("in_0", f"tmp_0 = {expression}", "return (tmp_0,)"), pattern) == 0


def test_convolution_by_position_keyword_and_default():
    module = graph("x, w, b", "y = torch.conv2d(x, w, b, (1, 1), (0, 0), (1, 1), 1)", "return (y,)")
    assert count(module, lambda x, w, b: F.conv2d(x, w, b)) == 1
    assert count(module, lambda x, w, b: torch.conv2d(x, weight=w, bias=b, stride=1, groups=1)) == 1
    assert count(module, lambda x, w, b: torch.conv2d(x, w, b, padding=1)) == 0


def test_cat_of_a_tuple_is_cat_of_a_list():
    module = graph("a, b", "y = torch.cat([a, b], dim=1)", "return (y,)")
    assert count(module, lambda a, b: torch.cat((a, b), 1)) == 1
    assert count(module, lambda a, b: torch.cat(tensors=(a, b), axis=1)) == 1
    assert count(module, lambda a, b, c: torch.cat((a, b, c), 1)) == 0


def test_operands_in_either_order_only_where_the_pass_asks_for_it():
    module = graph("a, b", "s = a + b", "y = b * s", "return (y,)")

    def pattern(a, b):
        return (b + a) * b

    assert count(module, pattern) == 0
    wanted = rule(pattern, commutative=True)
    assert count(module, wanted) == 1


def test_in_either_order_the_whole_match_has_to_agree():
    module = graph("a, b, c", "s = a + b", "y = torch.relu(s)", "z = s * c", "return (y, z)")
    pattern = rule(lambda a, b, c: (torch.relu(b + a), c * (b + a)), commutative=True)
    assert count(module, pattern) == 0  # the pattern adds twice
    once = rule(lambda a, b, c: (lambda s: (torch.relu(s), c * s))(b + a), commutative=True)
    assert count(module, once) == 1
    assert count(graph("a, b", "y = a - b", "return (y,)"), rule(lambda a, b: b - a, commutative=True)) == 1
    assert (
        count(graph("a, b", "y = a - b", "z = y * a", "return (z,)"), rule(lambda a, b: (b - a) * a, commutative=True))
        == 0
    )
