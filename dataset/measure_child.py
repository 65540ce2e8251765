"""The processes of `dataset measure`: some fill Inductor's caches, one measures.

Every line says how its figures came about (entry, method), how often a call launches a kernel, and `first_t`: the
smallest tolerance t at which Inductor's outputs are right (docs/scoring.md), null where they never are.
"""

import importlib
import json
import os
import random
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from graphs.samples import Sample

INDUCTOR = "inductor"
_PROFILED = 10  # calls of each
Line = dict[str, Any]


def import_before_forks() -> None:
    """What takes seconds to import, once. It leaves a GPU to the forks."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    for module in ("torch", "torch._inductor.compile_fx", "torch._dynamo", "evaluator.measure.session"):
        importlib.import_module(module)


def compile_samples(batch: Sequence[Sample], queue: int, folder: Path, device: str) -> None:
    """Compile those whose numbers come out of the pipe `queue` (4 bytes each), without calling what comes out.

    So kernels that Inductor chooses by timing them are chosen later, on a quiet machine.
    """
    _prepare(folder)
    import torch

    while number := os.read(queue, 4):
        sample = batch[int.from_bytes(number, "big")]
        with suppress(Exception), warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            from evaluator.engine.inputs import INPUT_SETS
            from evaluator.runner.reference import reference

            graph = reference(sample, device)
            inputs: list[Any] = [*graph.inputs(INPUT_SETS[1])]
            torch._inductor.compile(graph.module, inputs)


def measure_samples(samples: Sequence[Sample], pipe: int, folder: Path, device: str) -> None:
    """Measure in order; a JSON list of lines for each, on the pipe."""
    _prepare(folder)
    for sample in samples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                lines = measure_sample(sample, device)
            except Exception as problem:
                lines = [{"error": f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"[:1000]}]
        os.write(pipe, (json.dumps(lines) + "\n").encode())


def measure_sample(sample: Sample, device: str) -> list[Line]:
    """A line for each entry and method. Raises Decided where eager itself fails, and what Inductor raises."""
    import torch

    from evaluator import precision
    from evaluator.engine.inputs import INPUT_SETS
    from evaluator.measure.baselines import all_through_torch_compile, compile_baseline
    from evaluator.measure.session import BASELINE, COMPILED, DIRECT, measure
    from evaluator.measure.values import StaticInputs, rolled_inputs
    from evaluator.runner.decided import Decided
    from evaluator.runner.reference import reference

    precision.pin()
    try:
        graph = reference(sample, device)
        cases = [graph.case(INPUT_SETS[1]) for _ in range(2)]
    except Decided as decided:
        return [{"error": f"{decided.status}: {decided.message}"}]
    inputs = StaticInputs([case.inputs for case in cases], rolled_inputs(graph.metas), "baseline")
    plan, through = _plans(device)
    with torch.no_grad():
        torch._dynamo.reset()
        calls: dict[str, Callable[..., Any]] = {BASELINE: graph.module.forward}
        calls[INDUCTOR] = compile_baseline(INDUCTOR, graph.module, inputs.values).call
        right = _correctness(graph, cases[0], calls[INDUCTOR])
        rng = random.Random(0)
        timings = [(DIRECT, one.timing) for one in measure(calls, inputs, plan, rng, entry=DIRECT)]
        guarded, _ = all_through_torch_compile(graph.module, calls, inputs.values)
        if len(guarded) == len(calls):
            timings += [(COMPILED, one.timing) for one in measure(guarded, inputs, through, rng, entry=COMPILED)]
        found = [_line(entry, one.method, one.samples[BASELINE], one.samples[INDUCTOR])
                 for entry, one in timings if INDUCTOR in one.samples and BASELINE in one.samples]  # fmt: skip
        busy, launched = _profile(calls, inputs)
        if all(busy.get(name) for name in calls):
            found.append(_line(DIRECT, "kernel", busy[BASELINE], busy[INDUCTOR]))
    about = _about(device)
    kernels = {"eager_kernels": launched.get(BASELINE), "inductor_kernels": launched.get(INDUCTOR)}
    return [{**about, **line, **kernels, **right} for line in found]


def _prepare(folder: Path) -> None:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    import torch

    torch._inductor.config.compile_threads = 1  # it may have been imported with another number
    torch.set_num_threads(1)


def _plans(device: str) -> tuple[Any, Any]:
    """Direct, and through torch.compile's guards. Shorter than a judged run's: there are thousands of graphs."""
    from evaluator.measure.rounds import Precision
    from evaluator.measure.session import Plan

    precision = {
        "direct e2e": Precision(max_rounds=150, budget_seconds=0.3),
        "direct graph": Precision(half_width=0.01, min_rounds=30, max_rounds=100, budget_seconds=0.25),
        "compiled e2e": Precision(max_rounds=100, budget_seconds=0.2),
    }
    methods = ("e2e",) if device == "cpu" else ("graph", "e2e")
    return Plan(methods, precision), Plan(("e2e",), precision)


def _correctness(graph: Any, case: Any, call: Callable[..., Any]) -> Line:
    """`first_t` of Inductor's outputs against eager's, and `mismatch`; nothing for graphs that draw random numbers."""
    from evaluator.engine.compare import compare, verdict
    from evaluator.engine.values import copied

    if graph.is_random(case.inputs):
        return {"random": True}
    found = verdict(compare(case.expected, call(*copied(case.inputs))))
    return {"first_t": found.first_t, "mismatch": None if found.mismatch is None else str(found.mismatch)}


def _profile(
    calls: Mapping[str, Callable[..., Any]], inputs: Any
) -> tuple[dict[str, tuple[float, ...]], dict[str, int]]:
    """µs that the device was busy in each of some calls, and launches of one call, by participant."""
    from evaluator.measure.kernels import launches, profile_kernels
    from evaluator.measure.session import bound, flush_of

    if inputs.device.type == "cpu":
        return {}, {}
    try:
        profiles = profile_kernels(
            {name: bound(run, inputs) for name, run in calls.items()}, flush_of(inputs.device), _PROFILED
        )
    except Exception:  # no right to profile here, most likely: timings do not depend on it
        return {}, {}
    busy = {name: one.times for name, one in profiles.items()}
    return busy, {name: launches(one.kernels) for name, one in profiles.items()}


def _line(entry: str, method: str, eager: Sequence[float], compiled: Sequence[float]) -> Line:
    from evaluator.statistics import ratio_of_medians, speed_word

    ratio = ratio_of_medians(list(eager), list(compiled))
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
