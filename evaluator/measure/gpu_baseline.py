"""Eager against compilers on one graph, by every method and both entries, with no submission in the process.

Written for a GPU. On a CPU only `e2e` can be timed, and kernels are not counted here (`cpu_baseline` asks Inductor).
"""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule

from evaluator.measure.baselines import all_through_torch_compile, compile_baseline
from evaluator.measure.kernels import launches, profile_kernels
from evaluator.measure.session import BASELINE, COMPILED, DIRECT, Measured, Plan, bound, flush_of, measure
from evaluator.measure.values import StaticInputs
from evaluator.statistics import Ratio


@dataclass(frozen=True)
class Comparison:
    """Eager and one compiler by one method, both through the same entry. Times are median µs of one call."""

    backend: str
    entry: str
    method: str
    eager: float
    compiler: float
    ratio: Ratio  # eager / compiler
    eager_kernels: int | None  # launches of one call
    kernels: int | None


def compare_with_compilers(
    module: GraphModule, inputs: StaticInputs, backends: Sequence[str], plan: Plan | None = None
) -> tuple[list[Comparison], dict[str, str]]:
    """Every comparison that could be made, and by name (of a backend, or its entry) why another could not."""
    plan = plan or Plan()
    rng = random.Random(0)
    participants: dict[str, Callable[..., Any]] = {BASELINE: module.forward}
    missing: dict[str, str] = {}
    with torch.no_grad():
        for name in backends:
            try:
                participants[name] = compile_baseline(name, module, inputs.values).call
            except Exception as problem:  # whatever a compiler raises
                missing[name] = _words(problem)
        if len(participants) == 1:
            return [], missing
        timed = {DIRECT: measure(participants, inputs, plan, rng, entry=DIRECT)}
        through, refused = all_through_torch_compile(module, participants, inputs.values)
        missing |= {f"{name} through torch.compile": why for name, why in refused.items()}
        if BASELINE in through:
            timed[COMPILED] = measure(through, inputs, Plan(("e2e",), plan.precision), rng, entry=COMPILED)
        kernels = _kernels(participants, inputs)
    return _comparisons(timed, kernels), missing


def _comparisons(timed: dict[str, list[Measured]], kernels: dict[str, int]) -> list[Comparison]:
    return [
        Comparison(
            backend=name,
            entry=entry,
            method=one.timing.method,
            eager=statistics.median(one.timing.samples[BASELINE]),
            compiler=statistics.median(one.timing.samples[name]),
            ratio=ratio,
            eager_kernels=kernels.get(BASELINE),
            kernels=kernels.get(name),
        )
        for entry, methods in timed.items()
        for one in methods
        for name, ratio in one.timing.ratios.items()
    ]


def _kernels(participants: dict[str, Callable[..., Any]], inputs: StaticInputs) -> dict[str, int]:
    if inputs.device.type == "cpu":
        return {}
    try:
        calls = {name: bound(run, inputs) for name, run in participants.items()}
        return {name: launches(one.kernels) for name, one in profile_kernels(calls, flush_of(inputs.device)).items()}
    except Exception:  # no right to profile here, most likely: timings do not depend on it
        return {}


def _words(problem: Exception) -> str:
    return f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"[:2000]
