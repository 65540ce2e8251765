"""What is worked out once from a sample's code when it is imported: coordinates, operators, a thumbnail."""

import gzip
import json
from dataclasses import dataclass
from typing import Any

from graphs.canonical import canonical_hash
from graphs.fx_source import FxGraph, parse
from graphs.graph_json import graph_json
from graphs.layout import Layout, layout, thumbnail
from graphs.operators import operator_class, operator_label
from graphs.problems import ReadProblem, TooLarge
from graphs.samples import Sample
from graphs.symbols import example_value

MANY_NODES = 400  # reading the code of larger graphs once more takes longer than people wait
MAX_OPERATORS = 60  # kinds of operators kept for search and facets

FLOATING = ("float", "bfloat", "complex")


@dataclass(frozen=True)
class Drawing:
    """Without `layout` the graph is too large to draw, and `problem` says so."""

    operators: list[dict[str, str]]  # {label, class}, in order of first use
    dtypes: list[str]
    node_count: int
    layout: dict[str, Any] | None
    thumbnail: str
    problem: str
    warnings: tuple[str, ...] = ()
    canonical_hash: str = ""  # empty for code that was not read as a graph
    large: bytes = b""  # for graphs of many nodes what the browser draws, as `drawn_bytes` makes it


def draw(sample: Sample, file: str) -> Drawing:
    """Parses and lays out a sample; `file` names it in problems. Raises ReadProblem for code that is not FX code.

    Code of another framework need not be FX code: it is kept and shown as text.
    """
    other = framework(sample)
    try:
        graph = parse(sample.source, file)
    except TooLarge as large:
        count = max(large.counts.values(), default=0)
        return Drawing([], dtypes(sample), count, None, "", f"Too large to draw: {large.why}")
    except ReadProblem:
        if not other:
            raise
        return Drawing(
            [], dtypes(sample), 0, None, "", f"A graph of {other}: its code is shown, not drawn and not run."
        )
    laid_out = layout(graph)
    return Drawing(
        operators=operators(graph),
        dtypes=dtypes(sample),
        node_count=sum(node.op not in ("placeholder", "output") for node in graph.nodes),
        layout=laid_out.to_json(),
        thumbnail=thumbnail(laid_out),
        problem=f"A graph of {other}: shown, not run." if other else "",
        warnings=() if other else undescribed(graph, sample),
        canonical_hash=canonical_hash(graph),
        large=drawn_bytes(graph, laid_out) if len(graph.nodes) > MANY_NODES else b"",
    )


def drawn_bytes(graph: FxGraph, laid_out: Layout) -> bytes:
    """`graph_json` without shapes, as compressed JSON: the same for all graphs of this code."""
    return gzip.compress(json.dumps(graph_json(graph, laid_out, None)).encode(), 3)


def lay_out(graph: FxGraph) -> tuple[dict[str, Any], str]:
    """A graph's layout as JSON, and its thumbnail."""
    laid_out = layout(graph)
    return laid_out.to_json(), thumbnail(laid_out)


def undescribed(graph: FxGraph, sample: Sample) -> tuple[str, ...]:
    """A warning when inputs that forward takes can not be made: such a graph is shown, and a run of it fails."""
    known = {meta.name for meta in (*sample.inputs, *sample.model_inputs)}
    missing = [node for node in graph.inputs if not node.args and not known & {node.target, node.name}]
    symbols = [node for node in missing if (node.annotation or "").endswith("SymInt")]
    try:
        made = {
            node.name
            for node in symbols
            if example_value(sample.constraints or "", node.target, only=len(symbols) == 1) is not None
        }
    except ReadProblem:
        made = set()
    names = [node.target for node in missing if node.name not in made]
    if not names:
        return ()
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return (f"weight_meta.py: does not describe {shown}, which forward takes: the graph can be shown, not run",)


def framework(sample: Sample) -> str:
    """The framework of a sample that is not torch's; empty for torch."""
    named = str(sample.graph_net.get("framework") or "torch")
    return "" if named == "torch" else named[:40]


def operators(graph: FxGraph) -> list[dict[str, str]]:
    """The kinds of operators of a graph, each once, in order of first use."""
    found: dict[str, str] = {}
    for node in graph.nodes:
        if node.op not in ("placeholder", "output") and len(found) < MAX_OPERATORS:
            found.setdefault(operator_label(node), operator_class(node))
    return [{"label": label, "class": kind} for label, kind in found.items()]


def dtypes(sample: Sample) -> list[str]:
    """The floating dtypes of a sample's inputs, each once; all dtypes when none is floating."""
    every = list(dict.fromkeys(meta.dtype for meta in (*sample.model_inputs, *sample.inputs)))
    return [dtype for dtype in every if dtype.startswith(FLOATING)] or every
