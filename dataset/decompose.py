"""From a whole graph to its subgraphs: single operators, windows that repeat (classical), ranges that fuse."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch.fx import Node

from dataset import checks, subgraphs
from dataset.collectives import collective, devices_of
from dataset.folding import Range, fold
from dataset.fx_samples import NotASample
from dataset.subgraphs import Cut, Values
from evaluator.engine.build import build
from evaluator.engine.inputs import graph_inputs, replay
from evaluator.engine.printed import target_name
from graphs.fx_source import parse
from graphs.samples import Sample, hash_source

Kind = Literal["single", "classical", "fusible"]
KINDS: tuple[Kind, ...] = ("single", "classical", "fusible")
FOLDER = "_decomposed"
_SHARE = 0.7  # of the time for a graph that may go into finding ranges; the rest cuts them out and checks them
_SEED = 0

Facts = dict[str, Any]  # what graph_net.json says of a subgraph
Wanted = tuple[list[Range], Facts]


@dataclass(frozen=True)
class DecomposeOptions:
    """`seconds` and `memory_bytes` hold for each whole graph, `total_seconds` for all of them together.

    `window` (operators of a prefix, 0: all) and `device` (whose kernels are counted) are for fusible subgraphs.
    `resume` leaves what was done before with the same options as it is. `workers` graphs are cut at the same time.
    """

    kind: Kind
    seconds: float = 600.0
    memory_bytes: int = 8 << 30
    window: int = 64
    device: str = "cpu"
    resume: bool = False
    workers: int = 1
    total_seconds: float = math.inf


def decompose(
    sample: Sample, options: DecomposeOptions, left: dict[str, int] | None = None
) -> Iterator[tuple[Sample, str | None]]:
    """The subgraphs of a graph, each with the reason why it is not kept, or None. `left` takes what else is left out.

    The whole graph runs once on inputs replayed from its metadata (with the stated standard deviation), which gives the
    subgraphs their statistics. Raises what reading, building or running the whole graph raises.
    """
    graph = parse(sample.source)
    module = build(graph, more=collective)
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
        **({"num_devices_required": 1} if devices_of(parent.graph_net) > 1 and not cut.talks else {}),
    }
    return Sample(
        name=f"{parent.name}_start{start}_end{end}_{index}",
        source=cut.source,
        inputs=cut.inputs,
        graph_net={**parent.graph_net, **origin},
        content_hash=hash_source(cut.source),
        subgraph_sources={parent.name: ranges},
    )
