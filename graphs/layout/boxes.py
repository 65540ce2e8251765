"""How much room a node needs, and which inputs are written into it."""

from graphs.fx_source import FxGraph, FxNode
from graphs.layout.model import BADGE_ROW, LABEL_ROW, MOST_BADGES
from graphs.operators import operator_label

_NARROWEST, _WIDEST = 96.0, 232.0
_LABEL, _SMALL = 7.0, 6.1  # pixels of a character: of the label, of names
_SHAPE = 16  # characters of an input's shape and dtype, which are not known here
_LONGEST_NAME = 22


def badges_of(graph: FxGraph) -> dict[str, tuple[str, ...]]:
    """Which inputs each node uses."""
    inputs = {node.name for node in graph.inputs}
    found = {
        node.name: tuple(name for name in dict.fromkeys(node.refs()) if name in inputs)
        for node in graph.nodes
        if node.op != "placeholder"
    }
    return {name: used for name, used in found.items() if used}


def box_size(node: FxNode, badges: tuple[str, ...]) -> tuple[float, float]:
    """Width and height of a node's box, in pixels."""
    label = operator_label(node)
    width = 30.0 + _LABEL * len(label)
    if node.name != label:
        width += _SMALL * min(len(node.name), _LONGEST_NAME)
    for name in badges[:MOST_BADGES]:
        width = max(width, 26.0 + _SMALL * (min(len(name), _LONGEST_NAME) + _SHAPE))
    rows = min(len(badges), MOST_BADGES)
    return min(max(width, _NARROWEST), _WIDEST), LABEL_ROW + (rows * BADGE_ROW + 2.0 if rows else 0.0)
