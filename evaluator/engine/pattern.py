"""A traced pattern, prepared for matching: what of it counts, who uses what, what it does to memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from torch.fx import Node

from evaluator.engine.effects import effects
from evaluator.engine.memory import Memory
from evaluator.engine.normalise import Bound, bind, operator_of
from evaluator.engine.signatures import MISSING, Operator, Signature
from evaluator.engine.trace import TracedPattern


@dataclass(frozen=True)
class Match:
    """Pattern nodes and the graph nodes they stand for; pattern inputs and what they are bound to.

    `inputs` holds nodes, constants, or lists of both. `swapped` are graph nodes whose operands came in the other order.
    """

    nodes: dict[Node, Node]
    inputs: dict[Node, Any]
    swapped: tuple[Node, ...] = ()

    def input_nodes(self) -> list[Node]:
        """Graph nodes that the pattern's inputs are bound to."""
        return list(dict.fromkeys(nodes_in(self.inputs.values())))


class Pattern:
    """The nodes of a pattern that matter: those its outputs need, and in-place operators whatever uses them.

    Dead code of the author's function is left out, as it is left out of the graph.
    """

    def __init__(self, traced: TracedPattern) -> None:
        self.traced = traced
        memory = {node: effects(node) for node in traced.graph.nodes}
        self.memory = Memory(memory)
        needed = {value for value in traced.outputs if isinstance(value, Node)}
        needed |= {node for node, effect in memory.items() if effect.writes}
        for node in reversed(list(traced.graph.nodes)):
            if node in needed:
                needed.update(node.all_input_nodes)
        self.nodes: tuple[Node, ...] = tuple(
            node for node in traced.graph.nodes if node in needed and node.op not in ("placeholder", "output")
        )
        self.order = {node: index for index, node in enumerate(traced.graph.nodes)}
        live = set(self.nodes)
        self.users = {node: tuple(user for user in node.users if user in live) for node in needed}
        self.operators: dict[Node, Operator] = {
            node: op for node in self.nodes if (op := operator_of(node)) is not None
        }
        self.outputs = tuple(value for value in dict.fromkeys(traced.outputs_as_nodes()) if value.op != "placeholder")
        self._is_output = set(self.outputs)
        self._bound: dict[tuple[Node, int], Bound | None] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def unused(self) -> list[str]:
        """In words: lines whose value nothing that is returned depends on, and inputs that nothing is made of."""
        live = set(self.nodes)
        found = []
        for node in self.traced.graph.nodes:
            if node.op in ("placeholder", "output", "get_attr") or node in live or node.users:
                continue
            line = self.traced.lines.get(node)
            where = f"line {line}: " if line else ""
            found.append(f"{where}`{self.traced.name(node)}` is not used by what the pattern returns")
        for item in self.traced.inputs:
            if item.node is None or item.default is not MISSING or item.node in self.traced.outputs:
                continue
            if not live.intersection(item.node.users):
                found.append(f"the input `{item.name}` is not used by what the pattern returns")
        return found

    def is_output(self, node: Node) -> bool:
        return node in self._is_output

    def bound(self, node: Node, signature: Signature) -> Bound | None:
        """The node's call with the parameters of `signature`, or None."""
        key = (node, id(signature))
        if key not in self._bound:
            self._bound[key] = bind(node, signature)
        return self._bound[key]


def nodes_in(values: Iterable[Any]) -> Iterable[Node]:
    """The nodes among values, inside lists, tuples, slices and dicts too."""
    for value in values:
        if isinstance(value, Node):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from nodes_in(value)
        elif isinstance(value, dict):
            yield from nodes_in(value.values())
        elif isinstance(value, slice):
            yield from nodes_in((value.start, value.stop, value.step))
