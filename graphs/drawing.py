"""What is worked out once from a sample's code when it is imported: coordinates, operators, a thumbnail."""

from dataclasses import dataclass
from typing import Any

from graphs.canonical import canonical_hash
from graphs.fx_source import FxGraph, parse
from graphs.layout import layout, thumbnail
from graphs.operators import operator_class, operator_label
from graphs.problems import ReadProblem, TooLarge
from graphs.samples import Sample
from graphs.symbols import example_value

MAX_OPERATORS = 60  # kinds of operators kept for search and facets

FLOATING = ("float", "bfloat", "complex")


@dataclass(frozen=True)
class Drawing:
    """Without `layout` the graph is too large to draw, and `problem` says so, or it is to be laid out later."""

    operators: list[dict[str, str]]  # {label, class}, in order of first use
    dtypes: list[str]
    node_count: int
    layout: dict[str, Any] | None
    thumbnail: str
    problem: str
    warnings: tuple[str, ...] = ()
    canonical_hash: str = ""  # empty for code that was not read as a graph
    layout_is_due: bool = False


def draw(sample: Sample, file: str, most_drawn: int | None = None) -> Drawing:
    """Parses and lays out a sample; `file` names it in problems. Raises ReadProblem for code that is not FX code.

    The layout of a graph of more than `most_drawn` nodes is left for later: `lay_out` makes it.
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
    later = most_drawn is not None and len(graph.nodes) > most_drawn
    coordinates, picture = (None, "") if later else lay_out(graph)
    return Drawing(
        operators=operators(graph),
        dtypes=dtypes(sample),
        node_count=sum(node.op not in ("placeholder", "output") for node in graph.nodes),
        layout=coordinates,
        thumbnail=picture,
        problem=f"A graph of {other}: shown, not run." if other else "",
        warnings=() if other else undescribed(graph, sample),
        canonical_hash=canonical_hash(graph),
        layout_is_due=later,
    )


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
