# ruff: noqa: N803 - kernels name their constants in capitals
"""Launches counted by hand."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from evaluator.engine import interpreter

interpreter.enable()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from evaluator.engine.launches import CandidateCounter, computes, eager_launches, total  # noqa: E402


def masked_mean_pool(x, mask):
    product = x * mask
    return product.sum(1) / torch.clamp(mask.sum(1), min=1e-9)


def gelu_tanh(x):
    return (0.5 * x) * (1.0 + torch.tanh(0.79788 * (x + 0.044715 * torch.pow(x, 3.0))))


def roll_residual_norm(x, residual, weight, bias):
    rolled = torch.roll(x, shifts=(3, 3), dims=(1, 2))[:, :4, :4, :].contiguous().view(1, 16, 8)
    return F.layer_norm(residual + rolled, (8,), weight, bias, 1e-5)


def add_norm_dropout(x, y):
    return F.dropout(F.layer_norm(x + y, (8,)), 0.1, False, False)


def attention(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) * 0.125, -1) @ v


def in_place(x):
    x.add_(1)
    x.mul_(2)
    return x.view(-1)


def only_views(x):
    return x.t()[1:].unsqueeze(0).expand(3, -1, -1), x.detach().reshape(-1), torch.empty_like(x)


@pytest.mark.parametrize(
    ("function", "shapes", "counts"),
    [
        (masked_mean_pool, [(2, 5, 4), (2, 5, 1)], {"mul": 1, "sum": 2, "clamp": 1, "div": 1}),
        # 0.5·x, x³, 0.044715·x³, x + …, 0.79788·…, tanh, 1 + …, product
        (gelu_tanh, [(3, 4)], {"mul": 4, "pow": 1, "add": 2, "tanh": 1}),
        # the slice is not contiguous: one copy
        (
            roll_residual_norm,
            [(1, 6, 6, 8), (1, 16, 8), (8,), (8,)],
            {"roll": 1, "clone": 1, "add": 1, "native_layer_norm": 1},
        ),
        (add_norm_dropout, [(2, 8), (2, 8)], {"add": 1, "native_layer_norm": 1}),  # dropout at rest does nothing
        (attention, [(2, 3, 4, 8)] * 3, {"bmm": 2, "mul": 1, "_softmax": 1}),
        (in_place, [(2, 3)], {"add_": 1, "mul_": 1}),
        (only_views, [(2, 3)], {}),
    ],
)
def test_eager_calls(function, shapes, counts):
    inputs = [torch.rand(shape) for shape in shapes]
    before = [tensor.clone() for tensor in inputs]
    found = eager_launches(torch.fx.symbolic_trace(function), inputs)
    assert {entry["name"]: entry["count"] for entry in found} == {f"aten.{name}": n for name, n in counts.items()}
    assert all(torch.equal(a, b) for a, b in zip(inputs, before, strict=True))


def test_masked_mean_pooling_is_five():
    inputs = [torch.rand(2, 5, 4), torch.rand(2, 5, 1)]
    assert total(eager_launches(torch.fx.symbolic_trace(masked_mean_pool), inputs)) == 5


def test_random_generators_are_left_alone():
    state = torch.get_rng_state()
    eager_launches(torch.fx.symbolic_trace(lambda x: F.dropout(x, 0.5, True)), [torch.ones(8)])
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    ("operator", "counted"),
    [
        (torch.ops.aten.view.default, False),
        (torch.ops.aten.split.Tensor, False),
        (torch.ops.aten._unsafe_view.default, False),
        (torch.ops.aten.new_empty.default, False),
        (torch.ops.aten.unsqueeze_.default, False),
        (torch.ops.aten._local_scalar_dense.default, False),
        (torch.ops.aten.is_same_size.default, False),
        (torch.ops.aten.zeros.default, True),
        (torch.ops.aten.copy_.default, True),
        (torch.ops.aten._to_copy.default, True),
        (torch.ops.aten.add.out, True),
        (torch.ops.aten._foreach_add_.Scalar, True),
        (torch.ops.aten.topk.default, True),
        (torch.ops.aten.equal.default, True),
    ],
)
def test_what_computes(operator, counted):
    assert computes(operator) is counted


@triton.jit
def double_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 4}), triton.Config({"BLOCK": 8})], key=["n"])
@triton.jit
def tuned_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def launcher(x):
    out = torch.empty_like(x)
    double_kernel[(2,)](x, out, x.numel(), BLOCK=4)
    tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    double_kernel[(0,)](x, out, x.numel(), BLOCK=4)  # an empty grid launches nothing
    return out.view(2, -1)


def candidate(x):
    return launcher(x + 1).t().contiguous()


def test_a_candidate_is_its_kernels_and_what_is_left_of_the_graph():
    x = torch.arange(8.0)
    with CandidateCounter() as counter:
        found = candidate(x)
    assert torch.equal(found, (2 * (x + 1)).view(2, 4).t())
    assert counter.counts == [
        {"name": "aten.add", "count": 1},
        {"name": "double_kernel", "count": 1},
        {"name": "tuned_kernel", "count": 1},
        {"name": "aten.clone", "count": 1},
    ]
    assert (counter.total, counter.triton_launches) == (4, 2)


def test_nothing_is_counted_outside_the_block():
    with CandidateCounter() as counter:
        pass
    candidate(torch.arange(8.0))
    assert counter.total == 0


def test_the_count_survives_an_exception():
    def broken(x):
        launcher(x)
        raise ValueError

    counter = CandidateCounter()
    with pytest.raises(ValueError), counter:
        broken(torch.ones(8))
    assert counter.triton_launches == 2
    with CandidateCounter() as again:
        launcher(torch.ones(8))
    assert again.triton_launches == 2
