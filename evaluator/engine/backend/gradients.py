"""Which launchers would break a backward pass."""

from typing import Any

import torch
from torch.fx import GraphModule, Node

from evaluator.engine.leaf import Leaf


def launchers_on_the_way_back(module: GraphModule) -> list[Leaf]:
    """Launchers of a rewritten graph whose results need a gradient.

    A kernel writes into fresh memory that autograd knows nothing of: the loss would go down as if these parameters did
    not exist. Dynamo has noted for every value whether eager would track it; where it has not, the safe answer is yes.
    """
    tracked = torch.is_grad_enabled() and any(
        _needs(node, otherwise=False) for node in module.graph.nodes if node.op == "placeholder"
    )
    return [
        node.target
        for node in module.graph.nodes
        if isinstance(node.target, Leaf) and any(_needs(value, otherwise=tracked) for value in _results(node))
    ]


def _results(node: Node) -> list[Node]:
    """What a launcher gives or changes."""
    given = [node] if node.target.outputs == 1 else list(node.users)  # type: ignore[union-attr]
    return [*given, *node.meta.get("leaf_writes", ())]


def _needs(node: Node, *, otherwise: bool) -> bool:
    value: Any = node.meta.get("example_value")
    if value is None:
        return otherwise
    return isinstance(value, torch.Tensor) and value.requires_grad
