"""The process that times graphs for `python -m evaluator baseline`: a JSON list of lines for each, on a pipe.

It is a process of its own so that a graph that crashes Inductor, or never ends, costs no more than itself.
"""

import json
import os
import resource
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.baseline_words import MISSING_COMPILER, NO_GPU
from evaluator.runner import seeds, watchdog
from graphs.samples import Sample

MEMORY_BYTES = 8 << 30


@dataclass(frozen=True)
class Gpu:
    """A CUDA device ("cuda", "cuda:1") and the compilers to compare with there."""

    device: str
    backends: tuple[str, ...]


def main(
    samples: Sequence[Sample], pipe: int, folder: Path, threads: int, gpu: Gpu | None = None, seed: bytes = b""
) -> None:
    """Measure the samples in order, on the CPU or on `gpu`. Compilers write into `folder`, which begins with `seed`."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    if seed:
        seeds.unpack(seed)
    import torch

    if gpu is None:
        torch.set_num_threads(threads)
        _limit_memory()  # CUDA reserves far more addresses than memory
    for sample in samples:
        lines = [measure_quietly(sample)] if gpu is None else _measure_on(gpu, sample)
        os.write(pipe, (json.dumps(lines) + "\n").encode())


def measure_quietly(sample: Sample) -> dict[str, Any]:
    """One graph's numbers, or an `error`; what torch warns about while it compiles is nobody's concern here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _measure(sample)


def _limit_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = watchdog.address_space() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _why_not(problem: BaseException) -> str:
    """One sentence: what keeps Inductor from compiling anything here, or what it can not do with this graph."""
    reason = f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"
    if isinstance(problem, ImportError):
        return f"Inductor can not be loaded here, which says nothing about the graph: {reason}"
    return f"Inductor does not compile it: {reason}"


def _measure(sample: Sample) -> dict[str, Any]:
    """What `cpu_baseline` says, as the command prints it; `error` in the place of numbers where there are none."""
    from torch._inductor.exc import InvalidCxxCompiler

    from evaluator.engine.inputs import INPUT_SETS
    from evaluator.measure.cpu_baseline import cpu_baseline
    from evaluator.runner.decided import Decided
    from evaluator.runner.reference import reference
    from evaluator.statistics import speed_word

    try:
        graph = reference(sample, "cpu")
        inputs = graph.case(INPUT_SETS[0]).inputs
    except Decided as decided:
        return {"graph": sample.name, "error": f"{decided.status}: {decided.message}"}
    try:
        found = cpu_baseline(graph.module, inputs)
    except Exception as problem:
        cause = getattr(problem, "inner_exception", problem)  # Dynamo wraps what its backend raises
        if isinstance(cause, InvalidCxxCompiler):
            return {"graph": sample.name, "error": MISSING_COMPILER}
        return {"graph": sample.name, "error": _why_not(cause)}
    return {
        "graph": sample.name,
        "eager_us": found.eager,
        "inductor_us": found.inductor,
        "ratio": {"value": found.ratio.value, "low": found.ratio.low, "high": found.ratio.high},
        "word": speed_word(found.ratio),
        "inductor_kernels": found.inductor_kernels,
        "threads": found.threads,
    }


def _measure_on(gpu: Gpu, sample: Sample) -> list[dict[str, Any]]:
    """A line for each compiler, entry and method; one with `error` for whatever could not be compared."""
    import torch

    from evaluator import precision
    from evaluator.engine.inputs import INPUT_SETS
    from evaluator.measure.gpu_baseline import Comparison, compare_with_compilers
    from evaluator.measure.values import StaticInputs, rolled_inputs
    from evaluator.runner.decided import Decided
    from evaluator.runner.reference import reference
    from evaluator.statistics import speed_word

    if gpu.device != "cpu" and not torch.cuda.is_available():
        return [{"error": NO_GPU}]
    precision.pin()
    try:
        graph = reference(sample, gpu.device)
        sets = [graph.case(INPUT_SETS[1]).inputs for _ in range(2)]
    except Decided as decided:
        return [{"error": f"{decided.status}: {decided.message}"}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = StaticInputs(sets, rolled_inputs(graph.metas), "baseline")
        try:
            found, missing = compare_with_compilers(graph.module, inputs, gpu.backends)
        except Exception as problem:
            return [{"error": f"not measured: {type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"}]
    name = "cpu" if gpu.device == "cpu" else torch.cuda.get_device_name(gpu.device)

    def line(one: Comparison) -> dict[str, Any]:
        return {
            "device": "cpu" if gpu.device == "cpu" else f"cuda:{name.removeprefix('NVIDIA ').replace(' ', '-')}",
            "processor": name,
            "backend": one.backend,
            "entry": one.entry,
            "method": one.method,
            "eager_us": one.eager,
            "inductor_us": one.compiler,
            "ratio": {"value": one.ratio.value, "low": one.ratio.low, "high": one.ratio.high},
            "word": speed_word(one.ratio),
            "eager_kernels": one.eager_kernels,
            "inductor_kernels": one.kernels,
            "flags": precision.flags(),
        }

    return [*map(line, found), *({"error": f"{who}: {why}"} for who, why in missing.items())]
