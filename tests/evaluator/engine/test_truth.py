"""The float64 evaluation, and who is nearer to it."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from evaluator.engine.truth import Truth, compare_with_truth, truth


def long_sum(x):
    total = x[0]
    for row in range(1, 64):
        total = total + x[row]
    return (total,)


def traced(function):
    return torch.fx.symbolic_trace(function)


def test_every_operator_calculates_in_float64():
    x = torch.rand(64, 5).half()
    exact = truth(traced(long_sum), [x])
    (value,) = exact.values
    assert value.dtype is torch.float64 and exact.casts == ()
    assert torch.equal(value, x.double().cumsum(0)[-1])


def test_a_kernel_that_rounds_once_is_nearer_than_eager():
    x = torch.rand(64, 200).half()
    module = traced(long_sum)
    fused = x.float().sum(0).half()
    (report,) = compare_with_truth(truth(module, [x]), module(x), (fused,))
    assert report["nearer"] == "candidate"
    assert report["candidate_max"] <= 2**-6  # sums near 32: half a step of float16 between 32 and 64
    assert report["eager_rms"] > 3 * report["candidate_rms"]


def test_the_same_result_is_neither():
    x = torch.rand(64, 20).half()
    module = traced(long_sum)
    (report,) = compare_with_truth(truth(module, [x]), module(x), module(x))
    assert report["nearer"] == "same" and report["eager_max"] == report["candidate_max"]


def test_eager_is_nearer_than_a_sloppy_kernel():
    x = torch.rand(8)
    module = traced(lambda x: (x * 3,))
    (report,) = compare_with_truth(truth(module, [x]), module(x), (x.half().float() * 3,))
    assert report["nearer"] == "eager"


THIRD = torch.tensor([1 / 3])  # in float32


@pytest.mark.parametrize(
    ("function", "value", "casts"),
    [
        # an explicit narrowing rounds, and calculation goes on in float64
        (lambda x: (x / 3).to(torch.float16) / 3, (THIRD.double() / 3).half().double() / 3, ("to",)),
        (lambda x: (x / 3).half() / 3, (THIRD.double() / 3).half().double() / 3, ("half",)),
        # widening rounds nothing, and neither does a cast to the dtype that a value has
        (lambda x: (x / 3).double() / 3, THIRD.double() / 9, ()),
        (lambda x: (x / 3).to(torch.float32) / 3, THIRD.double() / 9, ()),
        (lambda x: (x / 3).to("cpu") / 3, THIRD.double() / 9, ()),
        # a result type that is no narrower is no rounding
        (lambda x: torch.sum(x / 3, 0, keepdim=True, dtype=torch.float64) / 3, THIRD.double() / 9, ()),
        (lambda x: torch.sum(x, 0, keepdim=True, dtype=torch.float16), THIRD.half().double(), ("sum_1",)),
        # a constant has the dtype that it is given
        (
            lambda x: x + x.new_full((1,), 0.1, dtype=torch.float16),
            THIRD.double() + torch.tensor([0.1]).half().double(),
            ("new_full",),
        ),
    ],
)
def test_explicit_casts_are_kept(function, value, casts):
    exact = truth(traced(function), [THIRD])
    assert exact.why is None and exact.casts == casts
    assert torch.allclose(exact.values[0], value, rtol=1e-15, atol=0)


def test_a_cast_to_another_tensors_dtype():
    x, half = torch.tensor([1 / 3]), torch.ones(1, dtype=torch.float16)
    exact = truth(traced(lambda x, y: x.type_as(y) * 3), [x, half])
    assert torch.equal(exact.values[0], x.half().double() * 3)


def test_integers_become_floats_as_the_graph_says():
    exact = truth(traced(lambda x: x.to(torch.float16) + 0.5), [torch.tensor([2049])])
    assert exact.values[0].tolist() == [2048.5]  # 2049 is no float16


def test_integers_and_numbers_stay_what_they_are():
    exact = truth(traced(lambda x: (x.argmax(), x.size(0))), [torch.tensor([1.0, 5.0])])
    assert exact.values[0].dtype is torch.int64 and exact.values[1] == 2
    assert compare_with_truth(exact, (torch.tensor(1), 2), (torch.tensor(1), 2)) == [None, None]


def test_inputs_and_writes_into_them():
    x = torch.tensor([0.1])
    exact = truth(traced(lambda x: x.mul_(3).add_(x)), [x])
    assert torch.equal(x, torch.tensor([0.1])) and torch.equal(exact.values[0], torch.tensor([0.1]).double() * 6)


def test_normalisation_and_matrix_products():
    x, w = torch.randn(2, 3, 8).bfloat16(), torch.randn(8, 8).bfloat16()
    exact = truth(traced(lambda x, w: F.layer_norm(torch.matmul(x, w), (8,))), [x, w])
    assert torch.allclose(exact.values[0], F.layer_norm(x.double() @ w.double(), (8,)))


def test_why_there_is_none():
    def only_float32(x):
        return torch.ops.aten._fft_r2c(x, [0], 0, True).real if x.dtype is torch.float32 else torch.linalg.nothing

    graph = torch.fx.Graph()
    graph.output(graph.call_function(only_float32, (graph.placeholder("x"),)))
    exact = truth(torch.fx.GraphModule(torch.nn.Module(), graph), [torch.ones(4)])
    assert exact.values is None and "AttributeError" in exact.why
    assert compare_with_truth(exact, (torch.ones(4),), (torch.ones(4),)) == [None]


def test_what_can_not_be_compared():
    exact = Truth([torch.ones(2).double()])
    assert compare_with_truth(exact, (torch.ones(2),), (torch.ones(3),)) == [None]
    assert compare_with_truth(exact, (torch.ones(2),), ()) == [None]


def test_elements_that_are_not_finite_are_left_out():
    exact = Truth([torch.tensor([1.0, float("inf"), 3.0]).double()])
    (report,) = compare_with_truth(exact, (torch.tensor([1.5, 2.0, 3.0]),), (torch.tensor([1.0, 2.0, float("nan")]),))
    assert (report["eager_max"], report["candidate_max"], report["nearer"]) == (0.5, 0.0, "candidate")


def test_nothing_is_said_where_no_element_is_finite():
    exact = Truth([torch.ones(2).double()])
    assert compare_with_truth(exact, (torch.ones(2),), (torch.full((2,), float("nan")),)) == [None]
