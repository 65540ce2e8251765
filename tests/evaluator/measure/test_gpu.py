"""Timers, session, kernels and rates on a real device. Without one this file defines no test."""

import random

import torch
from torch.fx import symbolic_trace

from evaluator.measure.baselines import all_through_torch_compile, compile_baseline
from evaluator.measure.kernels import annotated, launches, profile_kernels
from evaluator.measure.session import Plan, bound, measure, time_alone
from evaluator.measure.values import StaticInputs
from evaluator.runner import calibration

if torch.cuda.is_available():

    def pooling(x, m):
        return torch.sum(x * m, 1) / torch.clamp(m.sum(1), min=1e-09)

    def inputs():
        sets = [[torch.randn(4, 128, 384, device="cuda"), torch.ones(4, 128, 1, device="cuda")] for _ in range(2)]
        return StaticInputs(sets, [True, False], "seed")

    def test_the_device_computes() -> None:
        assert calibration.canary("cuda") is None

    def test_every_method_times_eager_and_inductor() -> None:
        module, values = symbolic_trace(pooling), inputs()
        with torch.no_grad():
            inductor = compile_baseline("inductor", module, values.values).call
            found = measure({"eager": module.forward, "candidate": inductor}, values, Plan(), random.Random(1))
        assert [one.timing.method for one in found] == ["gpu", "graph", "e2e"]
        for one in found:
            assert one.missing == {}
            assert all(min(times) > 0 for times in one.timing.samples.values())

    def test_outputs_of_timed_calls_are_those_of_the_rounds_values() -> None:
        module, values, seen = symbolic_trace(pooling), inputs(), []

        def verify(method, number, copy, returned):
            seen.append(method)
            assert torch.allclose(returned, pooling(*values.copies[copy]))

        with torch.no_grad():
            measure(
                {"eager": module.forward, "candidate": module.forward}, values, Plan(), random.Random(1), verify=verify
            )
        assert set(seen) == {"direct gpu", "direct graph", "direct e2e"}

    def test_a_call_that_synchronises_has_no_time_by_graph() -> None:
        values = inputs()

        def waits(x, m):
            torch.cuda.synchronize()
            return x * m

        with torch.no_grad():
            assert time_alone(waits, values, "graph") is None
            assert time_alone(waits, values, "e2e") > 0

    def test_eager_pooling_starts_five_kernels_each_at_its_node() -> None:
        module, values = symbolic_trace(pooling), inputs()
        with torch.no_grad():
            profile = profile_kernels({"eager": bound(annotated(module), values)})["eager"]
        assert launches(profile.kernels) == 5
        assert all(kernel.nodes and kernel.grid and kernel.block for kernel in profile.kernels)

    def test_the_compiled_entry_returns_what_the_direct_one_does() -> None:
        module, values = symbolic_trace(pooling), inputs()
        with torch.no_grad():
            through, missing = all_through_torch_compile(module, {"eager": module.forward}, values.values)
            assert torch.equal(through["eager"](*values.values), module(*values.values)) and not missing
