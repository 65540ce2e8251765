"""Whether a draft is worth its launches: about what eager takes for the same operators, and what the launcher does.

For all but large tensors the host decides: Triton takes longer to launch one kernel from Python than torch takes for
three small operators. The figures are about those of an H200's host, from the captured benchmark judged there.
"""

import math
import re
from collections.abc import Iterable, Sequence

from assistant.drafter.draft import GraphFacts
from assistant.drafter.results import VIEWS
from assistant.drafter.tasks import Range
from graphs.fx_source import FxGraph, FxNode
from graphs.operators import operator_name

_LAUNCH = 17.0  # µs of the host for a kernel, the checks and the memory before it
_OPERATOR = 5.0
_NORMALISATION = 10.0
_VIEW = 1.5
_BYTES = 2.5e6  # that the device moves in a µs
_NORMALISATIONS = frozenset({"layer_norm", "batch_norm", "group_norm", "instance_norm", "rms_norm"})
_NOTHING = VIEWS | {"detach", "contiguous", "dropout", "getattr", "size"}

Graphs = Sequence[tuple[FxGraph, GraphFacts]]


def worthwhile(graphs: Graphs, ranges: Sequence[Range]) -> list[Range]:
    """The ranges whose drafts save time by this estimate, summed over the graphs that have the same one."""
    saved: dict[str, float] = {}
    for item in ranges:
        saved[item.draft.text] = saved.get(item.draft.text, 0.0) + saving(graphs[item.graph], item)
    return [item for item in ranges if saved[item.draft.text] > 0.0]


def saving(graph: tuple[FxGraph, GraphFacts], item: Range) -> float:
    """Microseconds that a call takes less with the draft; negative where it takes longer."""
    source, facts = graph
    nodes = [source.by_name[name] for name in item.nodes]
    inside = set(item.nodes)
    outside = {ref for node in nodes for ref in node.refs()} - inside
    eager_moves = sum(_bytes(facts, [node.name, *node.refs()]) for node in nodes if operator_name(node) not in _NOTHING)
    draft_moves = _bytes(facts, [*outside, *item.draft.outputs])
    eager = max(sum(map(_host, nodes)), eager_moves / _BYTES)
    return eager - max(_LAUNCH * item.draft.kernels, draft_moves / _BYTES)


def _host(node: FxNode) -> float:
    name = operator_name(node)
    if name in _NOTHING:
        return _VIEW
    return _NORMALISATION if name in _NORMALISATIONS else _OPERATOR


def _bytes(facts: GraphFacts, names: Iterable[str]) -> float:
    """Of all these tensors; what is not known counts nothing."""
    total = 0.0
    for name in names:
        known = facts.values.get(name, {})
        shape, dtype = known.get("shape"), known.get("dtype")
        if isinstance(shape, (list, tuple)) and isinstance(dtype, str):
            total += math.prod(map(int, shape)) * _width(dtype)
    return total


def _width(dtype: str) -> int:
    """Bytes of an element: 2 of "bfloat16", 1 of "bool"."""
    bits = re.search(r"\d+", dtype)
    return max(1, int(bits[0]) // 8) if bits else 1
