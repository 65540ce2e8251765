"""The processes of `dataset measure`: each prepares its graphs, waits for its turn, and then times them alone.

Every line says how its figures came about (entry, method), how often a call launches a kernel, and `first_t`: the
smallest tolerance t at which Inductor's outputs are right (docs/scoring.md), null where they never are.
"""

import importlib
import json
import os
import random
import statistics
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from graphs.samples import Sample

INDUCTOR = "inductor"
READY, TIMED = b"ready\n", b"timed\n"
NOT_READY = "null"  # in place of lines
_PROFILED = 10  # calls of each
Line = dict[str, Any]
Call = Callable[..., Any]
Samples = Mapping[str, Sequence[float]]  # µs by participant


@dataclass
class Prepared:
    """A graph that is compiled and has not been timed. `timings`: what was, by entry and method."""

    graph: Any
    case: Any
    inputs: Any
    calls: dict[str, Call]
    guarded: dict[str, Call]
    facts: Line = field(default_factory=dict)
    timings: list[tuple[str, str, Samples]] = field(default_factory=list)


def import_before_forks() -> None:
    """What takes seconds to import, once. It leaves a GPU to the forks."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    for module in ("torch", "torch._inductor.compile_fx", "torch._dynamo", "evaluator.measure.session"):
        importlib.import_module(module)


def measure_samples(samples: Sequence[Sample], pipe: int, folder: Path, device: str) -> None:
    """Measure one after the other; a JSON list of lines for each, on the pipe."""
    _settle(folder)
    for sample in samples:
        found = _prepared(sample, device)
        if isinstance(found, Prepared):
            found = _timed(found, device)
        _profile([found], device)
        _send(pipe, _lines(found, device))


def measure_in_turn(samples: Sequence[Sample], pipe: int, turn: int, until: float, folder: Path, device: str) -> None:
    """Prepare, say READY, wait for a byte on `turn`, time, say TIMED; then a JSON list of lines for each sample.

    Preparing compiles and calls nothing that was compiled: kernels that Inductor chooses by timing them are chosen in
    the turn, when nobody else uses the device. NOT_READY stands for what was not begun `until` (of time.monotonic).
    """
    _settle(folder)
    prepared = [_prepared(sample, device) if time.monotonic() < until else None for sample in samples]
    os.write(pipe, READY)
    os.read(turn, 1)
    found = [_timed(one, device) if isinstance(one, Prepared) else one for one in prepared]
    _profile([one for one in found if one is not None], device)
    os.write(pipe, TIMED)
    for one in found:
        _send(pipe, None if one is None else _lines(one, device))


def _send(pipe: int, lines: list[Line] | None) -> None:
    data = (json.dumps(lines) + "\n").encode()
    while data:
        data = data[os.write(pipe, data) :]


def _settle(folder: Path) -> None:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    import torch

    torch._inductor.config.compile_threads = 1  # it may have been imported with another number
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")


def _prepared(sample: Sample, device: str) -> Prepared | Line:
    """Ready to be timed, or what is wrong with eager or with the compiler."""
    import torch

    from evaluator import precision
    from evaluator.engine.inputs import INPUT_SETS
    from evaluator.measure.baselines import all_through_torch_compile, backends
    from evaluator.measure.session import BASELINE
    from evaluator.measure.values import StaticInputs, rolled_inputs
    from evaluator.runner.decided import Decided
    from evaluator.runner.reference import reference

    precision.pin()
    try:
        graph = reference(sample, device)
        cases = [graph.case(INPUT_SETS[1]) for _ in range(2)]
        inputs = StaticInputs([case.inputs for case in cases], rolled_inputs(graph.metas), "baseline")
        calls: dict[str, Call] = {BASELINE: graph.module.forward}
        calls[INDUCTOR] = backends()[INDUCTOR](graph.module, inputs.values)
        with torch.no_grad():
            guarded, _ = all_through_torch_compile(graph.module, {BASELINE: calls[BASELINE]}, inputs.values)
    except Decided as decided:
        return {"error": f"{decided.status}: {decided.message}"}
    except Exception as problem:
        return _error(problem)
    return Prepared(graph, cases[0], inputs, calls, guarded)


def _timed(one: Prepared, device: str) -> Prepared | Line:
    """Correctness first: it is the compiled graph's first call."""
    import torch

    from evaluator.measure.session import BASELINE, COMPILED, DIRECT, measure

    direct, through = _plans(device)
    rng = random.Random(0)
    try:
        with torch.no_grad():
            one.facts = _correctness(one.graph, one.case, one.calls[INDUCTOR])
            _note(one, DIRECT, measure(one.calls, one.inputs, direct, rng, entry=DIRECT))
            if isinstance(guard := one.guarded.get(BASELINE), partial):  # the same guards for both
                one.guarded[INDUCTOR] = partial(guard.func, one.calls[INDUCTOR])
                _note(one, COMPILED, measure(one.guarded, one.inputs, through, rng, entry=COMPILED))
    except Exception as problem:
        return _error(problem)
    return one


def _note(one: Prepared, entry: str, measured: Sequence[Any]) -> None:
    one.timings += [(entry, found.timing.method, found.timing.samples) for found in measured]


class _Unusable(BaseException):
    """The device answers every further call with this graph's failure: only another process gets on."""


def _error(problem: Exception) -> Line:
    if "device-side assert" in str(problem):
        raise _Unusable from problem
    return {"error": f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"[:1000]}


def _plans(device: str) -> tuple[Any, Any]:
    """Direct, and through torch.compile's guards. Shorter than a judged run's: there are thousands of graphs."""
    from evaluator.measure.rounds import Precision
    from evaluator.measure.session import Plan

    precision = {
        "direct e2e": Precision(max_rounds=120, budget_seconds=0.12),
        "direct graph": Precision(half_width=0.01, min_rounds=20, max_rounds=60, budget_seconds=0.1),
        "compiled e2e": Precision(max_rounds=100, budget_seconds=0.1),
    }
    methods = ("e2e",) if device == "cpu" else ("graph", "e2e")
    return Plan(methods, precision), Plan(("e2e",), precision)


def _correctness(graph: Any, case: Any, call: Call) -> Line:
    """`first_t` of Inductor's outputs against eager's, and `mismatch`; nothing for graphs that draw random numbers."""
    from evaluator.engine.compare import compare, verdict
    from evaluator.engine.values import copied

    returned = call(*copied(case.inputs))
    if graph.is_random(case.inputs):
        return {"random": True}
    found = verdict(compare(case.expected, returned))
    return {"first_t": found.first_t, "mismatch": None if found.mismatch is None else str(found.mismatch)}


def _profile(found: Sequence[Prepared | Line], device: str) -> None:
    """µs that the device was busy in a call (the `kernel` method), and launches of one call, of all that were timed.

    In one session of the profiler: starting it costs more than the calls.
    """
    import torch

    from evaluator.measure.kernels import launches, profile_kernels
    from evaluator.measure.session import DIRECT, bound, flush_of

    timed = [one for one in found if isinstance(one, Prepared)]
    if device == "cpu" or not timed:
        return
    calls = {f"{place} {name}": bound(run, one.inputs)
             for place, one in enumerate(timed) for name, run in one.calls.items()}  # fmt: skip
    try:
        with torch.no_grad():
            profiles = profile_kernels(calls, flush_of(torch.device(device)), _PROFILED)
    except Exception:  # no right to profile here, most likely: timings do not depend on it
        return
    for place, one in enumerate(timed):
        mine = {name: profiles[f"{place} {name}"] for name in one.calls}
        one.facts |= {f"{name}_kernels": launches(profile.kernels) for name, profile in mine.items()}
        if all(profile.times for profile in mine.values()):
            one.timings.append((DIRECT, "kernel", {name: profile.times for name, profile in mine.items()}))


def _lines(one: Prepared | Line, device: str) -> list[Line]:
    """A line for each entry and method."""
    from evaluator.measure.session import BASELINE

    if not isinstance(one, Prepared):
        return [one]
    about = _about(device) | {"eager_kernels": None, "inductor_kernels": None} | one.facts
    return [
        {**about, **_line(entry, method, samples[BASELINE], samples[INDUCTOR])}
        for entry, method, samples in one.timings
        if INDUCTOR in samples and BASELINE in samples
    ] or [{"error": "no method could time both eager and the compiler"}]


def _line(entry: str, method: str, eager: Sequence[float], compiled: Sequence[float]) -> Line:
    from evaluator.statistics import ratio_of_medians, speed_word

    count = min(len(eager), len(compiled))  # a profiled call can go missing
    eager, compiled = list(eager)[:count], list(compiled)[:count]
    ratio = ratio_of_medians(eager, compiled)
    return {
        "backend": INDUCTOR,
        "entry": entry,
        "method": method,
        "eager_us": statistics.median(eager),
        "inductor_us": statistics.median(compiled),
        "ratio": {"value": ratio.value, "low": ratio.low, "high": ratio.high},
        "word": speed_word(ratio),
    }


def _about(device: str) -> Line:
    import torch

    from evaluator import precision

    if device == "cpu":
        return {"device": "cpu", "threads": 1, "flags": precision.flags()}
    name = torch.cuda.get_device_name(device)
    shown = f"cuda:{name.removeprefix('NVIDIA ').replace(' ', '-')}"
    return {"device": shown, "processor": name, "flags": precision.flags()}
