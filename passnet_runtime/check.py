"""Whether the passes of a folder still do what they did: each graph run eagerly and rewritten, outputs compared.

This is the judge's matching and comparison, without its isolation, integrity checks and timing: `python -m evaluator
run` is the judge. It answers the question of a library's owner (does it still match and compute the same with this
torch, on this device?) and writes the record that `passes` asks for.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule, Interpreter, Node

from evaluator.engine import interpreter
from evaluator.engine.backend import identity, interpret_without_gpu
from evaluator.engine.build import build, on_device
from evaluator.engine.compare import compare, verdict
from evaluator.engine.inputs import INPUT_SETS, graph_inputs, replay
from evaluator.engine.load import LoadedPass, load_submission
from evaluator.engine.passes import Applied, PatternError, apply_passes
from evaluator.engine.values import copied
from evaluator.events import NearMiss
from graphs.fx_source import parse
from graphs.samples import Sample, find_samples, read_sample
from passnet_runtime.described import described_call
from passnet_runtime.record import Call, Record, merged

SEED = 20260101


@dataclass(frozen=True)
class Checked:
    """One graph. `status` is a word of docs/verdicts.md; `captured`: as many matches in what Dynamo captures of it."""

    graph: str
    status: str
    matches: int = 0
    first_t: int | None = None
    reason: str | None = None
    captured: bool | None = None
    calls: tuple[Call, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check(folder: str | Path, graphs: str | Path, device: str | None = None) -> tuple[Checked, ...]:
    """Check the passes of `folder` on every graph below `graphs`, in the order of their paths.

    The passes' code runs in this process. Raises BadSubmission; what goes wrong with one graph is its status.
    """
    interpret_without_gpu()
    chosen = device or ("cpu" if interpreter.is_enabled() else "cuda")
    loaded = load_submission(Path(folder))
    samples = [read_sample(path) for path in sorted(find_samples(Path(graphs)))]
    return tuple(_checked(sample, loaded, chosen) for sample in samples)


def record_of(folder: str | Path, checked: Sequence[Checked], by: str = "passnet-runtime check") -> Record:
    """The record of what came out correct."""
    calls = [call for item in checked if item.status == "correct" for call in item.calls]
    return Record(identity(Path(folder)), by, merged(calls))


def _checked(sample: Sample, loaded: Sequence[LoadedPass], device: str) -> Checked:
    name = sample.name
    try:
        graph = parse(sample.source)
        metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
        module = build(graph)
        inputs = [replay(metas, SEED + at, one.spread, device, scalars=scalars) for at, one in enumerate(INPUT_SETS)]
        eager = on_device(module, device)
        with torch.no_grad():
            expected = [_flat(eager(*copied(values))) for values in inputs]
        annotate(eager, inputs[0])
    except Exception as problem:
        return Checked(name, "eager_fail", reason=_words(problem))
    for node, moved in zip(module.graph.nodes, eager.graph.nodes, strict=True):
        if "example_value" in moved.meta:
            node.meta["example_value"] = moved.meta["example_value"]
    calls: list[Call] = []

    def admit(pass_name: str, bound: dict[str, Any], nodes: list[Node], source: GraphModule) -> None:
        calls.append(described_call(pass_name, bound, nodes, source))

    try:
        applied = apply_passes(module, loaded, admit)
    except PatternError as problem:
        return Checked(name, "compile_fail", reason=_words(problem))
    if not applied.matches:
        return Checked(name, "no_match", reason=_nearest(applied.near_misses))
    try:
        found = [_run(on_device(applied.module, device), copied(values)) for values in inputs]
    except Exception as problem:
        return Checked(name, "runtime_fail", applied.matches, reason=_words(problem))
    judged = verdict([report for pair in zip(expected, found, strict=True) for report in compare(*pair)])
    where = "cpu" if device == "cpu" else torch.cuda.get_device_name()
    verified = (
        replace(call, graph=name, device=where, torch=torch.__version__, first_t=judged.first_t) for call in calls
    )
    return Checked(
        name,
        str(judged.status),
        applied.matches,
        judged.first_t,
        None if judged.mismatch is None else str(judged.mismatch),
        _captured(module, loaded, inputs[0], applied),
        merged(verified),
    )


def annotate(module: GraphModule, inputs: Sequence[Any]) -> None:
    """Note for every node of a graph what it would give, as Dynamo does. Raises what the graph raises."""
    fakes = FakeTensorMode(allow_non_fake_inputs=True)

    class Noting(Interpreter):
        def run_node(self, n: Node) -> Any:
            value = super().run_node(n)
            n.meta["example_value"] = value
            return value

    with torch.no_grad(), fakes, interpreter.cuda_means_cpu():
        Noting(module).run(*(_fake(fakes, value) for value in inputs))


def _fake(fakes: FakeTensorMode, value: Any) -> Any:
    return fakes.from_tensor(value) if isinstance(value, torch.Tensor) else value


def _run(module: GraphModule, inputs: Sequence[Any]) -> list[Any]:
    with torch.no_grad(), interpreter.here():
        return _flat(module(*inputs))


def _captured(module: GraphModule, loaded: Sequence[LoadedPass], inputs: Sequence[Any], direct: Applied) -> bool:
    """Whether Dynamo's own capture of the graph gives as many matches as the graph itself."""
    counts: list[int] = []

    def look(captured: GraphModule, _: Sequence[Any]) -> Any:
        counts.append(apply_passes(captured, loaded).matches)
        return captured.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(module, backend=look)(*copied(inputs))
    torch._dynamo.reset()
    return sum(counts) == direct.matches


def _flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _nearest(misses: Sequence[NearMiss]) -> str | None:
    return f"{misses[0]['pass_name']}: {misses[0]['message']}" if misses else None


def _words(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem).strip().splitlines()[0] if str(problem).strip() else ''}"
