"""From a whole graph to its subgraphs: single operators, windows that repeat (classical), ranges that fuse."""

import hashlib
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from torch.fx import Node
from tqdm import tqdm

from dataset import checks, manifest, subgraphs
from dataset.folding import Range, fold
from dataset.fx_samples import NotASample
from dataset.limited import run_limited
from dataset.subgraphs import Cut, Values
from evaluator.engine.build import build
from evaluator.engine.inputs import graph_inputs, replay
from evaluator.engine.printed import target_name
from graphs.fx_source import parse
from graphs.samples import Sample, find_samples, hash_source, read_sample, write_sample

Kind = Literal["single", "classical", "fusible"]
KINDS: tuple[Kind, ...] = ("single", "classical", "fusible")
FOLDER = "_decomposed"
MANIFEST = "decomposed.jsonl"
KERNELS = "kernels.jsonl"  # what was counted
_SHARE = 0.7  # of the time for a graph that may go into finding ranges; the rest cuts them out and checks them
_SEED = 0
_NO_LIMIT = 1 << 50  # CUDA reserves more addresses than any limit on them

Facts = dict[str, Any]  # what graph_net.json says of a subgraph
Wanted = tuple[list[Range], Facts]


@dataclass(frozen=True)
class DecomposeOptions:
    """`seconds` and `memory_bytes` hold for each whole graph.

    `window` (operators of a prefix, 0: all) and `device` (whose kernels are counted) are for fusible subgraphs.
    `resume` leaves what was done before with the same options, as MANIFEST has it, as it is.
    """

    kind: Kind
    seconds: float = 600.0
    memory_bytes: int = 8 << 30
    window: int = 64
    device: str = "cpu"
    resume: bool = False


def decompose_all(root: Path, options: DecomposeOptions) -> list[dict[str, Any]]:
    """Decompose every whole graph below `root` into its folder `_decomposed`; what is there of that kind is replaced.

    One object each: `graph` (folder below `root`), `status` (done, failed, time, memory, died), `why`, `subgraphs`
    (folders below `root`), `left` (reason → count), `seconds`.
    """
    folders = [path for path in find_samples(root) if not any(map(_is_inside, path.relative_to(root).parts))]
    if options.kind == "fusible":
        _import_inductor()
        _remember(root, options)
        folders.sort(key=lambda path: (path / "model.py").stat().st_size)  # large ones share blocks with small ones
    known = manifest.read_manifest(root / MANIFEST) if options.resume else {}
    tqdm.monitor_interval = 0  # no thread: processes are forked from here
    results = []
    for folder in tqdm(folders, unit="graph", disable=not sys.stderr.isatty()):
        key = _key(root, folder, options)
        result = known.get(key)
        if result is None or result["status"] != "done":
            result = {"key": key, **_decompose_one(root, folder, options)}
            manifest.append(root / MANIFEST, result)
        results.append({name: value for name, value in result.items() if name != "key"})
    return sorted(results, key=lambda result: str(result["graph"]))


def _is_inside(part: str) -> bool:
    """Of the way to a folder: it is a subgraph, or belongs to a capture or a decomposition that is at work."""
    return part == FOLDER or part.startswith((".capture-", ".decompose-"))


def _remember(root: Path, options: DecomposeOptions) -> None:
    """What an earlier call counted."""
    from dataset import kernel_counts

    if options.resume and (root / KERNELS).is_file():
        for line in (root / KERNELS).read_text("utf-8").splitlines():
            with suppress(ValueError):  # cut off when the process was ended
                kernel_counts.merge(json.loads(line))


def _import_inductor() -> None:
    """Once, before the forks; with this its import leaves a GPU to them."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    importlib.import_module("dataset.fusible")


def _key(root: Path, folder: Path, options: DecomposeOptions) -> str:
    source = hashlib.sha256((folder / "model.py").read_bytes()).hexdigest()
    how = f" window={options.window} device={options.device}" if options.kind == "fusible" else ""
    return f"{folder.relative_to(root).as_posix()} {source} {options.kind}{how}"


def _decompose_one(root: Path, folder: Path, options: DecomposeOptions) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix=".decompose-", dir=root) as work:
        outcome = run_limited(
            partial(_decompose_into, folder, Path(work) / "found", options),
            Path(work),
            seconds=options.seconds,
            memory_bytes=options.memory_bytes if options.device == "cpu" else _NO_LIMIT,
        )
        value = outcome.value or {"subgraphs": [], "left": {}, "counted": {}}
        names = value["subgraphs"]
        if outcome.status == "done":
            _replace(Path(work) / "found", names, folder / FOLDER, options.kind)
    if value["counted"]:
        from dataset import kernel_counts

        kernel_counts.merge(value["counted"])
        with (root / KERNELS).open("a") as file:
            file.write(json.dumps(value["counted"]) + "\n")
    below = (folder / FOLDER).relative_to(root)
    return {
        "graph": folder.relative_to(root).as_posix(),
        "status": outcome.status,
        "why": outcome.why,
        "subgraphs": [(below / name).as_posix() for name in names],
        "left": value["left"],
        "seconds": outcome.seconds,
    }


def decompose(
    sample: Sample, options: DecomposeOptions, left: dict[str, int] | None = None
) -> Iterator[tuple[Sample, str | None]]:
    """The subgraphs of a graph, each with the reason why it is not kept, or None. `left` takes what else is left out.

    The whole graph runs once on inputs replayed from its metadata (with the stated standard deviation), which gives the
    subgraphs their statistics. Raises what reading, building or running the whole graph raises.
    """
    graph = parse(sample.source)
    module = build(graph)
    metas, scalars = graph_inputs(graph, (*sample.inputs, *sample.model_inputs), sample.constraints)
    values = Values(module)
    with torch.no_grad():
        values.run(*replay(metas, _SEED, checks.SPREAD, scalars=scalars))
    nodes = subgraphs.operators(module)
    wanted = _wanted(nodes, values, options, {} if left is None else left)
    for index, (places, facts, found, why) in enumerate(_distinct(wanted, nodes, values)):
        cut_out = _sample(sample, options.kind, index, places, facts, found)
        if why is None:
            verdict = checks.check(cut_out)
            why = verdict.why
            cut_out = replace(cut_out, graph_net={**cut_out.graph_net, "deterministic": verdict.deterministic})
        yield cut_out, why


def _wanted(nodes: Sequence[Node], values: Values, options: DecomposeOptions, left: dict[str, int]) -> list[Wanted]:
    match options.kind:
        case "single":
            return [([(position, position + 1)], {}) for position in range(len(nodes))]
        case "classical":
            tokens = [f"{node.op} {target_name(node)}" for node in nodes]
            return [(list(window.ranges), {}) for window in fold(tokens)]
        case "fusible":
            from dataset.fusible import fusible_ranges  # imports Inductor

            found = fusible_ranges(
                nodes, values, window=options.window, device=options.device, seconds=_SHARE * options.seconds
            )
            if found.looked_at < len(nodes):
                left["operators that the time was too short for (--seconds)"] = len(nodes) - found.looked_at
            return [([place], facts) for place, facts in found.ranges]


def _distinct(
    wanted: Sequence[Wanted], nodes: Sequence[Node], values: Values
) -> Iterator[tuple[list[Range], Facts, Cut, str | None]]:
    """Ranges with the same text, shapes and dtypes are one subgraph; the first of them gives its statistics."""
    found: dict[Any, tuple[list[Range], Facts, Cut, str | None]] = {}
    for places, facts in wanted:
        for start, end in places:
            try:
                cut, why = subgraphs.cut(nodes[start:end], values), None
            except NotASample as problem:
                cut, why = Cut("", ()), str(problem)
            key = (cut.source, *((meta.shape, meta.dtype) for meta in cut.inputs)) if why is None else (start, end)
            ranges, known, *_ = found.setdefault(key, ([], dict(facts), cut, why))
            ranges.append((start, end))
            if "fusible_by" in facts:
                known["fusible_by"] = sorted({*known["fusible_by"], *facts["fusible_by"]})
    yield from found.values()


def _sample(parent: Sample, kind: Kind, index: int, places: Sequence[Range], facts: Facts, cut: Cut) -> Sample:
    start, end = places[0]
    ranges = [list(place) for place in places]
    origin = {
        "subgraph_kind": kind,
        "origin": parent.name,
        "origin_range": [start, end],
        "origin_hash": parent.content_hash,
        **facts,
    }
    return Sample(
        name=f"{parent.name}_start{start}_end{end}_{index}",
        source=cut.source,
        inputs=cut.inputs,
        graph_net={**parent.graph_net, **origin},
        content_hash=hash_source(cut.source),
        subgraph_sources={parent.name: ranges},
    )


def _decompose_into(folder: Path, found: Path, options: DecomposeOptions) -> dict[str, Any]:
    names: list[str] = []
    left: dict[str, int] = {}
    for sample, why in decompose(read_sample(folder), options, left):
        if why is None:
            write_sample(sample, found / sample.name)
            names.append(sample.name)
        else:
            left[why] = left.get(why, 0) + 1
    counted: dict[str, Any] = {}
    if options.kind == "fusible":
        from dataset import kernel_counts

        counted = kernel_counts.take_new()
    return {"subgraphs": names, "left": left, "counted": counted}


def _replace(found: Path, names: Sequence[str], target: Path, kind: Kind) -> None:
    for old in find_samples(target):
        net = old / "graph_net.json"
        if net.is_file() and json.loads(net.read_text("utf-8")).get("subgraph_kind") == kind:
            shutil.rmtree(old)
    for name in names:
        target.mkdir(exist_ok=True)
        shutil.move(found / name, target / name)
