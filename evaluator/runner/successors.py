"""Which node of a rewritten graph took the place of which node of the original."""

from typing import Any

from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from evaluator.engine.view import source_name as name


def successors(original: GraphModule, rewritten: GraphModule) -> dict[str, str]:
    """New node → the node whose users it has now: both produce values of the same shape and dtype.

    Users are recognised by their names in the source, which a rewrite keeps.
    """
    before = {name(node): node for node in original.graph.nodes}
    found: dict[str, str] = {}
    for user in rewritten.graph.nodes:
        twin = before.get(name(user))
        if twin is None:
            continue
        now, then = _nodes(user), _nodes(twin)
        if len(now) == len(then):
            found |= {name(a): name(b) for a, b in zip(now, then, strict=True) if name(a) != name(b)}
    return found


def _nodes(user: Node) -> list[Node]:
    """The nodes among a node's arguments, in order, repeated ones repeated."""
    nodes: list[Node] = []

    def keep(node: Node) -> Any:
        nodes.append(node)
        return node

    map_arg((user.args, user.kwargs), keep)
    return nodes
