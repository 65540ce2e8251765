"""A graph as the matcher sees it: order, candidates by operator, and which values may share memory."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from torch.fx import Graph, Node

from evaluator.engine.effects import effects
from evaluator.engine.memory import Memory
from evaluator.engine.normalise import Bound, bind_concrete, operator_of
from evaluator.engine.signatures import Operator

_CLOSEST = 1e-9  # positions are numbered anew when they would come closer than this


class GraphView:
    """Facts about a graph, kept up to date while matches are replaced in it.

    `order` gives each node of the graph a position; positions grow, and need not be whole numbers.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.order: dict[Node, float] = {node: float(index) for index, node in enumerate(graph.nodes)}
        self.memory = Memory({node: effects(node) for node in self.order})
        self.inputs = [node for node in self.order if node.op == "placeholder"]
        self.names = {source_name(node) for node in self.order}
        self.by_operator: dict[Operator, list[Node]] = {}
        self.operators: dict[Node, Operator] = {}
        self._bound: dict[Node, Bound | None] = {}
        self.start_pass()

    def start_pass(self) -> None:
        """Only nodes that are there now become candidates: a pass does not match what it puts in itself."""
        self.by_operator = defaultdict(list)
        self.operators = {node: op for node in self.graph.nodes if (op := operator_of(node)) is not None}
        for node, op in self.operators.items():
            if op.kind in ("function", "method", "attribute"):
                self.by_operator[op].append(node)

    def alive(self, node: Node) -> bool:
        return node in self.order

    def candidates(self, op: Operator) -> Iterator[Node]:
        """Nodes that call `op`, in the order of the graph."""
        return (node for node in self.by_operator.get(op, ()) if node in self.order)

    def bound(self, node: Node) -> Bound | None:
        """The node's arguments by parameter, see normalise.bind_concrete."""
        if node not in self._bound:
            self._bound[node] = bind_concrete(node)
        return self._bound[node]

    def forget(self, nodes: Iterable[Node]) -> None:
        """These nodes are about to be erased."""
        nodes = list(nodes)
        self.memory.forget(nodes)
        for node in nodes:
            self.order.pop(node, None)
            self._bound.pop(node, None)

    def placed(self, nodes: list[Node], changed: Iterable[Node], stands_for: Mapping[Node, Node]) -> None:
        """`nodes`, which follow each other in the graph, are new or have been moved; `changed` have other arguments.

        `stands_for` says which value each of the new ones takes the place of.
        """
        before = self.order.get(nodes[0].prev, -1.0)
        after = self.order.get(nodes[-1].next, before + 1.0)
        step = (after - before) / (len(nodes) + 1)
        for index, node in enumerate(nodes):
            self.order[node] = before + step * (index + 1)
        if step < _CLOSEST:
            self.order = {node: float(index) for index, node in enumerate(self.graph.nodes)}
        for node in (*nodes, *changed):
            self._bound.pop(node, None)
            self.memory.update(node, effects(node), stands_for.get(node), self.order.__getitem__)

    def name_for(self, node: Node) -> str:
        """A name for a new node that no other node has."""
        unique, count = node.name, 0
        while unique in self.names:
            count += 1
            unique = f"{node.name}_{count}"
        self.names.add(unique)
        return unique


def source_name(node: Node) -> str:
    """What the graph's text calls a node."""
    return str(node.meta.get("source_name", node.name))
