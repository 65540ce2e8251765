"""Eager against TorchInductor on the CPU: the only speeds that a machine without a GPU can honestly show.

Never compared with a Triton kernel: the interpreter that runs it on a CPU says nothing about its speed.
"""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule

from evaluator.measure.rounds import Precision, time_in_rounds
from evaluator.measure.timers import Call, HostTimer
from evaluator.statistics import Ratio


@dataclass(frozen=True)
class CpuBaseline:
    """Median µs of one direct call by `e2e`, cache warm; kernels that Inductor generated, from its own metrics."""

    eager: float
    inductor: float
    ratio: Ratio  # eager / inductor
    inductor_kernels: int
    threads: int


def cpu_baseline(module: GraphModule, inputs: Sequence[Any], precision: Precision | None = None) -> CpuBaseline:
    """Compile `module` with Inductor for the CPU and time both in turn.

    The first compile of a process takes some ten seconds. Raises what Inductor raises; without a C++ compiler that is
    `torch._inductor.exc.InvalidCxxCompiler`.
    """
    import torch._inductor
    import torch._inductor.metrics as metrics

    metrics.reset()
    with torch.no_grad():
        compiled = torch._inductor.compile(module, list(inputs))
    kernels = int(metrics.generated_kernel_count)
    calls: dict[str, Call] = {"eager": _without_grad(module, inputs), "inductor": _without_grad(compiled, inputs)}
    for call in calls.values():
        for _ in range(3):
            call()
    timer = HostTimer(calls, flush=_nothing, synchronize=_nothing)
    timing = time_in_rounds(timer, list(calls), precision or Precision(), refill=lambda _: None, rng=random.Random(0))
    medians = {name: statistics.median(times) for name, times in timing.samples.items()}
    return CpuBaseline(
        eager=medians["eager"],
        inductor=medians["inductor"],
        ratio=timing.ratios["inductor"],
        inductor_kernels=kernels,
        threads=torch.get_num_threads(),
    )


def _nothing() -> None:
    """A CPU has no queue to wait for, and its caches are left as a loop of calls leaves them."""


def _without_grad(run: Callable[..., Any], inputs: Sequence[Any]) -> Call:
    def call() -> Any:
        with torch.no_grad():
            return run(*inputs)

    return call
