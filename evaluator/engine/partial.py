"""How far a pattern gets in a graph that does not hold it: the largest part that agrees, and what differs at its edge.

Every pattern node is laid on every graph node that calls the same operator, with a score that counts what agrees below
it (memoised, so that each pair is looked at once). The best few starting points are then followed in all directions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from torch.fx import Node

from evaluator.engine.normalise import Slot, commutes, leaves, operator_of, same_constant, same_value, slots
from evaluator.engine.pattern import Pattern
from evaluator.engine.view import GraphView

MAX_PAIRS = 12_000  # pairs of nodes that are scored
MAX_STARTS = 12  # starting points that are followed
MAX_USERS = 40  # users of one value that are looked at


_ORDERED = frozenset({
    "truediv", "div", "true_divide", "divide", "floordiv", "floor_divide", "sub", "subtract", "pow", "matmul", "mm",
    "bmm", "mod", "remainder", "fmod", "atan2", "arctan2", "lt", "le", "gt", "ge", "less", "less_equal", "greater",
    "greater_equal", "lshift", "rshift",
})  # fmt: skip


def is_ordered(node: Node) -> bool:
    """Whether a call has two operands of one kind whose order counts (`a / b`, `torch.matmul(a, b)`)."""
    op = operator_of(node)
    return op is not None and len(node.args) == 2 and not node.kwargs and op.name.split(".")[0] in _ORDERED


@dataclass(frozen=True)
class Difference:
    """A pattern node and what the graph has in its place.

    `found` is a graph node, another value (a constant where the pattern computes something), or None where nothing is
    there. `slots` are the arguments that differ if both call the same operator; `others` what the graph does instead
    with the value that the pattern node would use.
    """

    wanted: Node
    found: Any
    slots: tuple[Slot, ...] = ()
    others: tuple[Node, ...] = ()
    is_crossed: bool = False  # both operands agree, each with the other one's counterpart


@dataclass
class Partial:
    """A part of the pattern laid on the graph."""

    nodes: dict[Node, Node] = field(default_factory=dict)
    inputs: dict[Node, Any] = field(default_factory=dict)
    differences: dict[Node, Difference] = field(default_factory=dict)

    def agreeing(self) -> list[tuple[Node, Node]]:
        """Pairs of nodes that agree themselves."""
        return [(wanted, found) for wanted, found in self.nodes.items() if wanted not in self.differences]


def largest_partial(pattern: Pattern, view: GraphView, commutative: bool = False) -> Partial | None:
    """The largest partial match; None when the graph has none of the pattern's operators.

    `commutative`: operands of `+`, `*` and the like may be swapped without being a difference.
    """
    scores = _Scores(pattern, view)
    starts = sorted(scores.known.items(), key=lambda item: (-item[1], view.order[item[0][1]]))[:MAX_STARTS]
    found = [_Follow(pattern, view, scores, commutative).run(*pair) for pair, _ in starts]
    return max(found, key=lambda partial: (len(partial.agreeing()), -len(partial.differences)), default=None)


class _Scores:
    """How much agrees at and below a pair of nodes that call the same operator."""

    def __init__(self, pattern: Pattern, view: GraphView) -> None:
        self.pattern, self.view = pattern, view
        self.known: dict[tuple[Node, Node], float] = {}
        for wanted in sorted(self._affordable(), key=pattern.order.__getitem__):  # arguments before their users
            for found in view.candidates(pattern.operators[wanted]):
                self.known[wanted, found] = self._score(wanted, found)

    def _affordable(self) -> Iterator[Node]:
        """Pattern nodes with few candidates first, as long as there are not too many pairs."""
        calls = self.view.by_operator
        sizes = {node: len(calls.get(self.pattern.operators[node], ())) for node in self.pattern.nodes}
        left = MAX_PAIRS
        for node in sorted(sizes, key=sizes.__getitem__):
            left -= sizes[node]
            if left < 0:
                return
            yield node

    def same_operator(self, wanted: Node, found: Any) -> bool:
        return isinstance(found, Node) and self.view.operators.get(found) == self.pattern.operators.get(wanted, self)

    def score(self, wanted: Node, found: Node) -> float:
        """Of any two nodes; of two that call different operators what agrees at their inputs."""
        if self.same_operator(wanted, found):
            return self.known.get((wanted, found), 1.0)
        return 0.8 * sum(self.known.get(pair, 0.0) for pair in input_pairs(wanted, found))

    def _score(self, wanted: Node, found: Node) -> float:
        total, agrees = 1.0, True
        for slot in self.slots(wanted, found):
            for one, other in leaves(slot):
                if not isinstance(one, Node):
                    agrees = agrees and same_constant(one, other)
                elif one.op != "placeholder" and isinstance(other, Node):
                    total += self.score(one, other)
        return total if agrees else total - 0.4

    def slots(self, wanted: Node, found: Node) -> list[Slot]:
        graph_bound = self.view.bound(found)
        pattern_bound = None if graph_bound is None else self.pattern.bound(wanted, graph_bound.signature)
        return slots(wanted, found, pattern_bound, graph_bound)


def input_pairs(wanted: Node, found: Node) -> Iterator[tuple[Node, Node]]:
    """Inputs of two different calls that may correspond: those computed by the pattern, in order."""
    return (
        (one, other)
        for one, other in zip(wanted.all_input_nodes, found.all_input_nodes, strict=False)
        if one.op not in ("placeholder", "get_attr")
    )


class _Follow:
    """Follows one starting point in all directions and never gives up at a difference."""

    def __init__(self, pattern: Pattern, view: GraphView, scores: _Scores, commutative: bool) -> None:
        self.pattern, self.view, self.scores, self.commutative = pattern, view, scores, commutative
        self.result = Partial()
        self.taken: set[Node] = set()
        self.crossed: dict[Node, list[Slot]] = {}
        self.hints: dict[Node, Any] = {}  # what inputs were first seen to be

    def run(self, wanted: Node, found: Node) -> Partial:
        self._down([(wanted, found)])
        while True:
            following = self._up()
            if following is None:
                break
            self._down([following])
        for node in self._rest():
            candidates = [item for item in self.view.candidates(self.pattern.operators[node]) if item not in self.taken]
            best = self._best(node, candidates[: MAX_PAIRS // 10])
            if best is not None:
                self._down([(node, best)])
        self._bind_inputs()
        return self.result

    def _bind_inputs(self) -> None:
        """Inputs that would be two values differ where the pattern uses them the second time."""
        for wanted in sorted(self.result.nodes, key=self.pattern.order.__getitem__):
            found = self.result.nodes[wanted]
            for slot in self._slots(wanted, found):
                for one, other in leaves(slot):
                    if not isinstance(one, Node) or one.op != "placeholder":
                        continue
                    if not same_value(self.result.inputs.setdefault(one, other), other):
                        known = self.result.differences.get(wanted)
                        different = () if known is None else known.slots
                        self.result.differences[wanted] = Difference(wanted, found, (*different, slot))

    def _down(self, pairs: list[tuple[Node, Node]]) -> None:
        pairs.reverse()
        while pairs:
            wanted, found = pairs.pop()
            if wanted in self.result.nodes or found in self.taken:
                continue
            self.result.nodes[wanted] = found
            self.taken.add(found)
            different = []
            below: list[tuple[Node, Node]] = []
            crossed = self._crossed(wanted, found)
            if crossed is not None:
                self.crossed[wanted] = crossed
                if not (self.commutative and commutes(wanted, found)):
                    operands = tuple(self.scores.slots(wanted, found))
                    self.result.differences[wanted] = Difference(wanted, found, operands, is_crossed=True)
            for slot in self._slots(wanted, found):
                agreements = [self._agrees(*pair, below) for pair in leaves(slot)]
                if not all(agreements):
                    different.append(slot)
            if different:
                self.result.differences[wanted] = Difference(wanted, found, tuple(different))
            pairs.extend(reversed(below))

    def _slots(self, wanted: Node, found: Node) -> list[Slot]:
        """What is compared: the operands in the other order where only so they agree."""
        return self.crossed.get(wanted) or self.scores.slots(wanted, found)

    def _crossed(self, wanted: Node, found: Node) -> list[Slot] | None:
        """The operands of a call in the other order, if they agree only then."""
        may_cross = is_ordered(wanted) or commutes(wanted, found)
        straight = self.scores.slots(wanted, found) if may_cross else []
        if len(straight) != 2:
            return None
        left, right = straight
        swapped = [replace(left, graph=right.graph), replace(right, graph=left.graph)]
        known = any(not isinstance(slot.pattern, Node) or slot.pattern.op != "placeholder" for slot in straight)
        if known and self._fit(swapped) and not self._fit(straight):
            return swapped
        return None

    def _fit(self, operands: Iterable[Slot]) -> bool:
        """Whether operands may agree, by what is seen of them without following them."""
        return all(self._fits(*pair) for slot in operands for pair in leaves(slot))

    def _fits(self, wanted: Any, found: Any) -> bool:
        if not isinstance(wanted, Node):
            return same_constant(wanted, found)
        if wanted.op == "placeholder":
            return same_value(self.hints.get(wanted, found), found)
        if wanted in self.result.nodes:
            return self.result.nodes[wanted] is found
        return self.scores.same_operator(wanted, found)

    def _agrees(self, wanted: Any, found: Any, below: list[tuple[Node, Node]]) -> bool:
        """Whether two values agree; pairs of nodes below them that are still to be looked at go into `below`."""
        if not isinstance(wanted, Node):
            return same_constant(wanted, found)
        if wanted.op == "placeholder":
            self.hints.setdefault(wanted, found)
            return True
        if wanted in self.result.nodes:
            return self.result.nodes[wanted] is found
        if self.scores.same_operator(wanted, found):
            if found in self.taken:
                return False
            below.append((wanted, found))
            return True
        # reported for the node itself, not for the one that uses it
        self.result.differences.setdefault(wanted, Difference(wanted, found))
        if isinstance(found, Node):
            below.extend(pair for pair in input_pairs(wanted, found) if self.scores.same_operator(*pair))
        return True

    def _up(self) -> tuple[Node, Node] | None:
        """A pattern node that uses something matched, and the graph node that fits best."""
        for node in self.pattern.nodes:
            if node in self.result.nodes or node in self.result.differences:
                continue
            sources = [self.result.nodes[source] for source in node.all_input_nodes if source in self.result.nodes]
            if not sources:
                continue
            users = sorted(
                {user for source in sources for user in list(source.users)[:MAX_USERS] if user in self.view.order},
                key=self.view.order.__getitem__,
            )
            free = [user for user in users if user not in self.taken]
            best = self._best(node, [user for user in free if self.scores.same_operator(node, user)])
            if best is not None:
                return node, best
            self.result.differences[node] = Difference(node, None, others=tuple(free))
        return None

    def _best(self, wanted: Node, candidates: Iterable[Node]) -> Node | None:
        def value(found: Node) -> tuple[float, float]:
            bindings = sum(
                same_value(self._bound_to(one), other)
                for slot in self.scores.slots(wanted, found)
                for one, other in leaves(slot)
                if isinstance(one, Node)
            )
            return self.scores.score(wanted, found) + bindings, -self.view.order[found]

        return max(candidates, key=value, default=None)

    def _bound_to(self, wanted: Node) -> Any:
        return self.result.nodes.get(wanted, self.hints.get(wanted, self))

    def _rest(self) -> list[Node]:
        """Ends of pieces of the pattern that nothing has reached, first ones first."""
        known = self.result.nodes.keys() | self.result.differences.keys()
        left = [node for node in self.pattern.nodes if node not in known]
        return [node for node in left if not any(user in left for user in self.pattern.users[node])]
