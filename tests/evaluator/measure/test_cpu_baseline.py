"""Inductor's own count of kernels on graphs where a person can tell it."""

import torch
from torch.fx import symbolic_trace

from evaluator.measure.cpu_baseline import cpu_baseline
from evaluator.measure.gpu_baseline import compare_with_compilers
from evaluator.measure.rounds import Precision
from evaluator.measure.session import Plan
from evaluator.measure.values import StaticInputs

QUICK = Precision(min_rounds=10, max_rounds=10)


def test_a_pointwise_chain_becomes_one_kernel() -> None:
    def forward(x, y):
        return ((torch.tanh(x * 2 + y)).relu(),)

    found = cpu_baseline(symbolic_trace(forward), [torch.randn(64, 64), torch.randn(64, 64)], QUICK)
    assert found.inductor_kernels == 1
    assert found.eager > 0
    assert found.ratio.value == found.eager / found.inductor
    assert found.ratio.rounds == 10


def test_compilers_are_compared_by_both_entries_and_one_that_fails_is_named() -> None:
    """The session of a GPU, on a CPU, where `e2e` is the one method there is; "nobody" is no compiler."""

    def forward(x, y):
        return (torch.tanh(x * 2 + y),)

    sets = [[torch.randn(16, 16), torch.randn(16, 16)] for _ in range(2)]
    inputs = StaticInputs(sets, [True, True], "seed")
    plan = Plan(("e2e",), {"direct e2e": QUICK, "compiled e2e": QUICK})
    found, missing = compare_with_compilers(symbolic_trace(forward), inputs, ["inductor", "nobody"], plan)
    assert [(one.backend, one.entry, one.method, one.kernels) for one in found] == [
        ("inductor", "direct", "e2e", None),
        ("inductor", "compiled", "e2e", None),
    ]
    for one in found:
        assert one.eager > 0 and one.ratio.value == one.eager / one.compiler and one.ratio.rounds == 10
    assert list(missing) == ["nobody"] and missing["nobody"].startswith("LookupError: there is no baseline 'nobody'")
