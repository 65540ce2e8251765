"""A hash that graphs share when they differ in names, and in the order of nodes that do not depend on each other."""

import hashlib

from graphs.fx_source import FxGraph, FxNode, map_refs
from graphs.fx_source.operators import IN_PLACE

_VERSION = "canonical graph 1"
_IN_PLACE_TARGETS = frozenset({*(f"operator.{name}" for name in IN_PLACE.values()), "operator.setitem"})


def canonical_hash(graph: FxGraph) -> str:
    """SHA-256 (hex) of the graph with its nodes numbered in the order in which the outputs need them.

    Names of values and inputs, annotations and the order of inputs do not count. The order of nodes counts where it may
    carry a meaning: in a graph that writes in place, or that holds a node whose value nobody uses.
    """
    order = list(graph.nodes) if _order_matters(graph) else _order_of_need(graph)
    numbers: dict[str, str] = {}
    found = hashlib.sha256(_VERSION.encode())
    for node in order:
        numbers[node.name] = str(len(numbers))
        found.update(_written(node, numbers).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _written(node: FxNode, numbers: dict[str, str]) -> str:
    args, kwargs = node.args, node.kwargs
    if next(node.refs(), None) is not None:
        args = map_refs(args, numbers)
        kwargs = tuple((key, map_refs(value, numbers)) for key, value in kwargs)
    target = "" if node.op == "placeholder" else node.target
    return f"{node.op}\0{target}\0{args!r}\0{sorted(kwargs, key=lambda item: item[0])!r}\n"


def _order_of_need(graph: FxGraph) -> list[FxNode]:
    """Depth first from the output, arguments before their users in the order in which they are written."""
    nodes = graph.by_name
    found: dict[str, None] = {}
    for root in [*(node for node in graph.nodes if node.op == "output"), *graph.inputs]:  # unused inputs come last
        open_nodes = [(root, root.refs())]
        while open_nodes:
            node, refs = open_nodes[-1]
            name = next(refs, None)
            if name is None:
                found.setdefault(node.name)
                open_nodes.pop()
            elif name not in found:
                open_nodes.append((nodes[name], nodes[name].refs()))
    return [nodes[name] for name in found]


def _order_matters(graph: FxGraph) -> bool:
    return any(
        _writes_in_place(node) or not graph.users(node.name)
        for node in graph.nodes
        if node.op not in ("placeholder", "output")
    )


def _writes_in_place(node: FxNode) -> bool:
    """Whether it may write; a harmless call that looks like it only makes the hash see the order of nodes."""
    name = node.target.rsplit(".", 1)[-1]
    return (
        node.target in _IN_PLACE_TARGETS
        or (name.endswith("_") and not name.endswith("__") and not node.target.startswith("operator."))
        or any(key == "out" or (key == "inplace" and value is not False) for key, value in node.kwargs)
        or (node.target.startswith("torch.nn.functional.") and len(node.args) > 1 and node.args[-1] is True)
    )
