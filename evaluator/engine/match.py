"""Finding a pattern in a graph.

torch.fx's SubgraphMatcher is not used. It compares arguments as they are written, so that both graphs would have to be
rewritten into one form before, which the schemas do not allow for a pattern whose inputs may stand for anything; it
knows nothing of in-place operators; it tries every node of the graph for every end of a pattern; and it says no more
than "no match". Its rewriter, besides, counts a launcher with several outputs as one value and gives up. This matcher
starts at the pattern's rarest node, follows arguments down and users up, and backtracks where a node has several users
that could be meant. A match it yields agrees node by node and argument by argument; whether it may be replaced is
decided in boundary.py.
"""

from collections.abc import Iterator
from typing import Any

from torch.fx import Node

from evaluator.engine.normalise import commutes, leaves, same_constant, same_value, slots
from evaluator.engine.pattern import Match, Pattern
from evaluator.engine.view import GraphView

Goal = tuple[Any, Any]  # a value of the pattern and the value of the graph that it has to agree with

MAX_STEPS = 60_000  # nodes compared for one pass on one graph
MAX_PER_ANCHOR = 24  # ways to complete a match from one node that are looked at


class Budget:
    """How much work is left; shared by all searches of one pass on one graph."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.steps = steps

    @property
    def spent(self) -> bool:
        return self.steps <= 0


def anchor(pattern: Pattern, view: GraphView) -> Node:
    """The pattern node to start from: the one with the fewest candidates, the first of those."""
    return min(pattern.nodes, key=lambda node: len(view.by_operator.get(pattern.operators[node], ())))


class Search:
    """One search for a pattern in a graph. `prune=False` also yields matches whose inner values are used outside.

    `crossed`: a pattern node whose two operands are taken in the other order, whatever that does to the result.
    """

    def __init__(
        self,
        pattern: Pattern,
        view: GraphView,
        budget: Budget,
        commutative: bool = False,
        prune: bool = True,
        crossed: Node | None = None,
    ) -> None:
        self.pattern, self.view, self.budget = pattern, view, budget
        self.commutative, self.prune, self.crossed = commutative, prune, crossed
        self._nodes: dict[Node, Node] = {}
        self._inputs: dict[Node, Any] = {}
        self._taken: set[Node] = set()
        self._swapped: list[Node] = []

    def at(self, start: Node, candidate: Node) -> Iterator[Match]:
        """Matches in which the pattern's node `start` is the graph's node `candidate`."""
        yield from self._solve([(start, candidate)])

    def _solve(self, goals: list[Goal]) -> Iterator[Match]:
        marks = len(self._nodes), len(self._inputs), len(self._swapped)
        try:
            while True:
                branches = self._agree(goals)
                if branches is None:
                    return
                for swapped, branch in branches:
                    depth = len(self._swapped)
                    self._swapped.extend(swapped)
                    yield from self._solve(branch)
                    del self._swapped[depth:]
                if branches:
                    return
                following = self._next()
                if following is None:
                    yield Match(dict(self._nodes), dict(self._inputs), tuple(self._swapped))
                    return
                node, candidates = following
                if len(candidates) != 1:
                    break
                goals = [(node, candidates[0])]  # no choice, so nothing to come back to
            for candidate in candidates:
                yield from self._solve([(node, candidate)])
        finally:
            self._undo(*marks)

    def _agree(self, goals: list[Goal]) -> list[tuple[list[Node], list[Goal]]] | None:
        """Work off goals. None: they can not be met. A non-empty list: ways to go on, to be tried one by one."""
        while goals:
            wanted, found = goals.pop()
            if not isinstance(wanted, Node):
                if not same_constant(wanted, found):
                    return None
            elif wanted.op == "placeholder":
                if wanted in self._inputs:
                    if not same_value(self._inputs[wanted], found):
                        return None
                else:
                    self._inputs[wanted] = found
            elif wanted in self._nodes:
                if self._nodes[wanted] is not found:
                    return None
            else:
                if not isinstance(found, Node) or not self._may_be(wanted, found):
                    return None
                self._nodes[wanted] = found
                self._taken.add(found)
                straight, swapped = self._arguments(wanted, found)
                if wanted is self.crossed:
                    return None if swapped is None else [([found], goals + swapped)]
                if swapped is not None:
                    return [([], goals + straight), ([found], goals + swapped)]
                goals.extend(straight)
        return []

    def _may_be(self, wanted: Node, found: Node) -> bool:
        self.budget.steps -= 1
        if self.budget.spent or found in self._taken or not self.view.alive(found):
            return False
        if self.view.operators.get(found) != self.pattern.operators[wanted]:
            return False
        # a value that the pattern keeps to itself has exactly the users that it has in the pattern
        if self.prune and not self.pattern.is_output(wanted):
            return len(found.users) == len(self.pattern.users[wanted])
        return True

    def _arguments(self, wanted: Node, found: Node) -> tuple[list[Goal], list[Goal] | None]:
        """What has to agree for two calls to be the same; a second way where operands may be swapped."""
        graph_bound = self.view.bound(found)
        pattern_bound = None if graph_bound is None else self.pattern.bound(wanted, graph_bound.signature)
        pairs = [list(leaves(slot)) for slot in slots(wanted, found, pattern_bound, graph_bound)]
        straight = [pair for slot in pairs for pair in slot]
        straight.reverse()  # goals are worked off from the end: first arguments first
        may_cross = wanted is self.crossed or (self.commutative and commutes(wanted, found))
        if not may_cross or len(pairs) < 2:
            return straight, None
        (left, right), rest = pairs[:2], pairs[2:]
        if len(left) != 1 or len(right) != 1:
            return straight, None
        crossed = [(left[0][0], right[0][1]), (right[0][0], left[0][1])]
        return straight, [pair for slot in rest for pair in slot] + crossed

    def _next(self) -> tuple[Node, list[Node]] | None:
        """An unmatched pattern node and where it could be; the one with the fewest places. None: all are matched."""
        best: tuple[Node, list[Node]] | None = None
        for node in self.pattern.nodes:
            if node in self._nodes:
                continue
            near = self._near(node)
            if near is not None and (best is None or len(near) < len(best[1])):
                best = node, near
        if best is not None:
            return best
        # nothing of the rest touches what is matched: the pattern falls into separate pieces
        rest = [node for node in self.pattern.nodes if node not in self._nodes]
        if not rest:
            return None
        node = next(node for node in rest if not any(user in rest for user in self.pattern.users[node]))
        return node, list(self.view.candidates(self.pattern.operators[node]))

    def _near(self, node: Node) -> list[Node] | None:
        """Graph nodes that use what is bound to one of the node's arguments, in the order of the graph."""
        shortest: list[Node] | None = None
        for source in node.all_input_nodes:
            bound = self._nodes.get(source, self._inputs.get(source))
            if isinstance(bound, Node) and (shortest is None or len(bound.users) < len(shortest)):
                shortest = list(bound.users)
        if shortest is None:
            return None
        op = self.pattern.operators[node]
        fitting = [user for user in shortest if user in self.view.order and self.view.operators.get(user) == op]
        return sorted(fitting, key=self.view.order.__getitem__)

    def _undo(self, nodes: int, inputs: int, swapped: int) -> None:
        while len(self._nodes) > nodes:
            self._taken.discard(self._nodes.popitem()[1])
        while len(self._inputs) > inputs:
            self._inputs.popitem()
        del self._swapped[swapped:]
