"""The runner's part of measuring: builds the participants, times them in turn, keeps outputs for the judge to verify.

The judge decides what is measured, draws values and seeds, computes every ratio from the samples, and verifies outputs
of timed calls. Nothing that is known here says whether an output is right.
"""

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

from evaluator import precision
from evaluator.engine.build import build, on_device
from evaluator.measure import primitives
from evaluator.measure.baselines import all_through_torch_compile, compile_baseline
from evaluator.measure.kernels import annotated, profile_kernels
from evaluator.measure.provenance import Fused
from evaluator.measure.rounds import Precision, Timing
from evaluator.measure.session import (
    BASELINE,
    CANDIDATE,
    COMPILED,
    DIRECT,
    PUBLISHED,
    Measured,
    Plan,
    bound,
    flush_of,
    in_sequence,
)
from evaluator.measure.session import measure as time_all
from evaluator.measure.values import StaticInputs
from evaluator.runner import seeds, tensors
from evaluator.runner.protocol import Message
from graphs.fx_source import parse
from graphs.samples import Sample

_MAX_KEPT_BYTES = 128 << 20  # of outputs that wait to be verified


@dataclass
class _Kept:
    """Outputs of timed calls, copied while they were what the call had returned."""

    room: int
    calls: list[tuple[str, int, int]] = field(
        default_factory=list
    )  # method (with its entry), round, copy of the inputs
    outputs: list[Any] = field(default_factory=list)

    def __call__(self, method: str, number: int, copy: int, returned: Any) -> None:
        leaves = tensors.plain(tree_leaves(returned))
        self.room -= sum(value.nbytes for value in leaves if isinstance(value, torch.Tensor))
        if self.room >= 0:
            self.calls.append((method, number, copy))
            self.outputs += [value.cpu() if isinstance(value, torch.Tensor) else value for value in leaves]


def measure(request: Message, sample: Sample, candidate: GraphModule, device: str, files: Sequence[int]) -> Message:
    """Answer one request `measure`. `files` hold the inputs, room for outputs, and the seeds of the baselines."""
    inputs_file, outputs_file, *seed_files = files
    values = tensors.take(inputs_file, request["inputs"])
    count = request["sets"]
    width = len(values) // count
    sets = [values[at * width : (at + 1) * width] for at in range(count)]
    inputs = StaticInputs(sets, request["rolled"], request["seed"])
    for file in seed_files:
        with os.fdopen(os.dup(file), "rb") as seed:
            seeds.unpack(seed.read())

    eager = on_device(build(parse(sample.source)), device)
    participants: dict[str, Callable[..., Any]] = {BASELINE: eager.forward, CANDIDATE: candidate.forward}
    missing, compile_seconds = {}, {}
    fused: dict[str, Fused] = {}
    for name in request["baselines"]:
        try:
            compiled = compile_baseline(name, eager, inputs.values)
        except Exception as problem:  # whatever a compiler raises is the baseline's misfortune, not the submission's
            missing[name] = f"{type(problem).__name__}: {problem}"[:2000]
        else:
            participants[name], compile_seconds[name] = compiled.call, compiled.seconds
            fused[name] = compiled.fused

    kept = _Kept(min(_MAX_KEPT_BYTES, os.fstat(outputs_file).st_size))
    if request["profile"] == "published":
        timed = {PUBLISHED: _published(eager, participants, inputs)}
    else:
        timed = _precise(request, eager, participants, inputs, kept)
    return {
        "timed": [_timed(entry, one) for entry, all_methods in timed.items() for one in all_methods],
        "missing": missing,
        "compile_seconds": compile_seconds,
        "verified": kept.calls,
        "outputs": tensors.put(outputs_file, kept.outputs),
        "memory": {name: _peak_memory(run, inputs) for name, run in participants.items()},
        "profile": _profile(eager, candidate, participants, inputs, fused),
        "changed": [*primitives.changed(), *precision.changed()],
    }


def _precise(
    request: Message, eager: GraphModule, participants: dict[str, Callable[..., Any]], inputs: StaticInputs, kept: _Kept
) -> dict[str, list[Measured]]:
    """Interleaved rounds; every participant through the same entry, `direct` and then `compiled`."""
    limits = {key: Precision(**one) for key, one in request["precision"].items()}
    rng = random.Random(request["order"])
    methods = tuple(request["methods"])
    direct = time_all(participants, inputs, Plan(methods, limits), rng, entry=DIRECT, verify=kept)
    through, missing = all_through_torch_compile(eager, participants, inputs.values)
    if BASELINE not in through:
        return {DIRECT: direct, COMPILED: [Measured(Timing("e2e", {}), missing)]}
    compiled = time_all(through, inputs, Plan(("e2e",), limits), rng, entry=COMPILED, verify=kept)
    return {DIRECT: direct, COMPILED: [Measured(one.timing, {**missing, **one.missing}) for one in compiled]}


def _published(eager: GraphModule, participants: dict[str, Callable[..., Any]], inputs: StaticInputs) -> list[Measured]:
    """As published: eager as it is, everything else through `torch.compile`, one after the other."""
    others = {name: run for name, run in participants.items() if name != BASELINE}
    through, missing = all_through_torch_compile(eager, others, inputs.values)
    timed = in_sequence({BASELINE: participants[BASELINE], **through}, inputs)
    return [Measured(one.timing, missing) for one in timed]


def _timed(entry: str, measured: Measured) -> Message:
    timing = measured.timing
    return {"entry": entry, "method": timing.method, "samples": timing.samples, "missing": measured.missing}


def _peak_memory(run: Callable[..., Any], inputs: StaticInputs) -> int | None:
    """Bytes that one call allocates at its peak, its outputs included."""
    if inputs.device.type == "cpu":
        return None
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run(*inputs.values)
    primitives.synchronize()
    return max(0, int(torch.cuda.max_memory_allocated()) - before)


def _profile(
    eager: GraphModule,
    candidate: GraphModule,
    participants: dict[str, Callable[..., Any]],
    inputs: StaticInputs,
    fused: Mapping[str, Fused],
) -> Message:
    """Kernels of every participant, with the nodes that launched them where there are nodes, or that they fuse."""
    if inputs.device.type == "cpu":
        return {"problem": "kernels are profiled on a GPU", "participants": {}}
    runs = {**participants, BASELINE: annotated(eager), CANDIDATE: annotated(candidate)}
    try:
        found = profile_kernels({name: bound(run, inputs) for name, run in runs.items()}, flush_of(inputs.device))
    except Exception as problem:  # no right to profile here, most likely: timings do not depend on it
        return {"problem": f"the profiler failed: {problem}"[:2000], "participants": {}}
    participants_found = {
        name: {
            "times": list(profile.times),
            "kernels": [
                {**vars(one), "nodes": fused.get(name, {}).get(one.name, one.nodes)} for one in profile.kernels
            ],
        }
        for name, profile in found.items()
    }
    return {"problem": None, "participants": participants_found}
