"""Events about speed, made from what a runner measured. Every number names its method and its entry."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from evaluator.events import OutputReport
from evaluator.events_of_speed import DeviceKernels, Roofline, Timed
from evaluator.measure.kernels import device_time, diff, launches
from evaluator.measure.roofline import DeviceRates, Floor, cost_model, floor
from evaluator.measure.rounds import Precision
from evaluator.measure.session import BASELINE, CANDIDATE, DIRECT
from evaluator.measure.traffic import Traffic, traffic
from evaluator.runner import calibration
from evaluator.runner.measured import Answer
from evaluator.runner.reference import Reference
from evaluator.scoring import CORRECT_AT, worst_first_t
from evaluator.statistics import Ratio, ratio_of_medians, speed_word


def timings(answer: Answer, profile: str) -> Iterator[Timed]:
    """One event for each entry and method; `kernel` from the profiled calls, which nothing else was timed beside."""
    asked = Precision().half_width
    for one in answer.timed:
        missing = {**answer.missing, **one.missing}
        yield _timed(one.entry, one.method, profile, one.samples, missing, asked)
    times = {name: list(found.times) for name, found in answer.profiles.items() if found.times}
    least = min(map(len, times.values()), default=0)
    samples = {name: own[:least] for name, own in times.items()} if BASELINE in times else {}
    missing = dict(answer.missing)
    if answer.profile_problem is not None:
        missing |= dict.fromkeys((BASELINE, CANDIDATE), answer.profile_problem)
    yield _timed(DIRECT, "kernel", profile, samples, missing, asked)


def _timed(
    entry: str, method: str, profile: str, samples: dict[str, list[float]], missing: dict[str, str], asked: float
) -> Timed:
    ratios = {
        name: ratio_of_medians(samples[BASELINE], own)
        for name, own in samples.items()
        if name != BASELINE and BASELINE in samples and min(*samples[BASELINE], *own) > 0
    }
    return {
        "entry": entry,
        "method": method,
        "profile": profile,
        "samples": {name: [round(value, 4) for value in own] for name, own in samples.items()},
        "medians": {name: statistics.median(own) for name, own in samples.items()},
        "ratios": {
            name: {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "rounds": one.rounds,
                "word": speed_word(one, asked),
            }
            for name, one in ratios.items()
        },
        "conclusive": bool(ratios) and all(_is_narrow(one, asked) for one in ratios.values()),
        "missing": missing,
    }


def _is_narrow(ratio: Ratio, asked: float) -> bool:
    return ratio.half_width <= asked


def kernels(answer: Answer) -> Iterator[DeviceKernels]:
    """Kernels of each participant, and for all but eager what became of eager's."""
    before = answer.profiles[BASELINE].kernels if BASELINE in answer.profiles else ()
    for who, profile in answer.profiles.items():
        found = diff(before, profile.kernels)
        yield {
            "who": who,
            "total": launches(profile.kernels),
            "list": [
                {
                    "name": kernel.name,
                    "count": kernel.count,
                    "kind": kernel.kind,
                    "duration": kernel.duration,
                    "grid": None if kernel.grid is None else list(kernel.grid),
                    "block": None if kernel.block is None else list(kernel.block),
                    "registers": kernel.registers,
                    "shared_memory": kernel.shared_memory,
                    "nodes": list(kernel.nodes),
                }
                for kernel in profile.kernels
            ],
            "device_time": device_time(profile.kernels),
            "diff": None if who == BASELINE else {name: list(names) for name, names in vars(found).items()},
        }


@dataclass(frozen=True)
class Work:
    """What a graph has to move and compute, and the least time that it takes on this device."""

    traffic: Traffic
    rates: DeviceRates
    floor: Floor


def work_of(eager: Reference, inputs: Sequence[Any]) -> Work | None:
    """None where the device's rates or the graph's traffic are not known."""
    rates = calibration.rates()
    if rates is None:
        return None
    try:
        with torch.no_grad():
            moved = traffic(eager.module, inputs)
            return Work(moved, rates, floor(moved, rates, dtype_of(inputs)))
    except Exception:  # an operator that fake tensors do not know: no floor, and nothing else is lost
        return None


def roofline(known: Work, answer: Answer) -> Roofline:
    work, rates, least = known.traffic, known.rates, known.floor
    direct = {one.method: one.samples for one in answer.timed if one.entry == DIRECT and one.samples}
    eager_times = {method: statistics.median(samples[BASELINE]) for method, samples in direct.items()}
    count = launches(answer.profiles[BASELINE].kernels) if BASELINE in answer.profiles else 0
    cost = cost_model(least, rates, count, eager_times)
    flushed = {name: statistics.median(own) for name, own in direct.get("graph", {}).items()}
    return {
        "bytes_read": work.bytes_read,
        "bytes_written": work.bytes_written,
        "matmul_operations": work.matmul_operations,
        "other_operations": work.other_operations,
        "floor": least.total,
        "memory_floor": least.memory,
        "arithmetic_floor": least.arithmetic,
        "kernel_minimum": rates.kernel_minimum,
        "fraction": {name: least.total / time for name, time in flushed.items()},
        "bound": cost.bound,
        "cost": {"launch": cost.launch, "memory": cost.memory, "arithmetic": cost.arithmetic},
        "perfect_gain": cost.perfect_gain,
        "peak_memory": answer.memory,
        "compile_seconds": answer.compile_seconds,
    }


def dtype_of(inputs: Sequence[Any]) -> str:
    """The floating-point dtype that most elements of the inputs have ("float32" where there is none)."""
    counts: dict[str, int] = {}
    for value in inputs:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            name = str(value.dtype).removeprefix("torch.")
            counts[name] = counts.get(name, 0) + value.numel()
    return max(counts, key=lambda name: counts[name], default="float32")


def worse(found: Sequence[OutputReport], before: Sequence[OutputReport]) -> bool:
    """Whether outputs have a mismatch, or first agree at a t that no untimed call needed; two steps may be rounding."""
    if any(output["mismatch"] for output in found):
        return not any(output["mismatch"] for output in before)
    own = worst_first_t(output["first_t"] for output in found)
    untimed = worst_first_t(output["first_t"] for output in before)
    if untimed is None:
        return False
    return own is None or own > max(untimed + 2, CORRECT_AT)
