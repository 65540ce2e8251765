"""Where the launcher of a match goes, or why the match may not be replaced."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from torch.fx import Node

from evaluator.engine.hazards import Hazard, find_hazard
from evaluator.engine.pattern import Match, Pattern
from evaluator.engine.view import GraphView, source_name


@dataclass(frozen=True)
class Placement:
    """The launcher goes before node `before`; `moved` nodes go behind the launcher, in that order."""

    before: Node
    moved: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A match that agrees with the pattern and still may not be replaced.

    `kind`: leak (values inside are used outside: `leaks`), mutation (`hazard`), cycle (`path` leads out of the match
    and back in).
    """

    kind: str
    leaks: dict[Node, list[Node]] = field(default_factory=dict)
    hazard: Hazard | None = None
    path: tuple[Node, ...] = ()


def place(pattern: Pattern, match: Match, view: GraphView) -> Placement | Refusal:
    """Decide whether a match may be replaced, and where."""
    inside = set(match.nodes.values())
    leaks = _leaks(pattern, match, inside)
    if leaks:
        return Refusal("leak", leaks)
    inputs = match.input_nodes()
    path = _way_back(inputs, inside, view)
    if path:
        return Refusal("cycle", path=path)
    order = view.order
    outside = [user for node in inside for user in node.users if user not in inside]
    first_use = min(outside, key=order.__getitem__, default=None)
    last_input = max(inputs, key=order.__getitem__, default=None)
    if first_use is not None and last_input is not None and order[last_input] >= order[first_use]:
        moved = _dependent(outside, inside, view, order[last_input])
        hazard = find_hazard(pattern, match, view, moved, _positions(view, inside, last_input.next, moved))
        return Placement(last_input.next, moved) if hazard is None else Refusal("mutation", hazard=hazard)
    first_hazard = None
    for before in _places(inside, last_input, first_use, view):
        hazard = find_hazard(pattern, match, view, (), _positions(view, inside, before, ()))
        if hazard is None:
            return Placement(_outside(before, inside))
        first_hazard = first_hazard or hazard
    return Refusal("mutation", hazard=first_hazard)


def _places(inside: set[Node], last_input: Node | None, first_use: Node | None, view: GraphView) -> Iterable[Node]:
    """Nodes before which the launcher could go: as near as possible to the match's end; else at either limit."""
    order = view.order
    limit = next(iter(reversed(view.graph.nodes))) if first_use is None else first_use
    earliest = min(inside, key=order.__getitem__) if last_input is None else last_input.next
    while earliest.op == "placeholder":
        earliest = earliest.next
    end = max(inside, key=order.__getitem__).next
    wanted = max(end, earliest, key=order.__getitem__)
    return dict.fromkeys((min(wanted, limit, key=order.__getitem__), earliest, limit))


def _leaks(pattern: Pattern, match: Match, inside: set[Node]) -> dict[Node, list[Node]]:
    """Values that the pattern does not return and that something outside uses."""
    found = {}
    for wanted, node in match.nodes.items():
        users = [user for user in node.users if user not in inside]
        if users and not pattern.is_output(wanted):
            found[node] = users
    return found


def _way_back(inputs: list[Node], inside: set[Node], view: GraphView) -> tuple[Node, ...]:
    """A path from inside the match over nodes outside to one of its inputs; empty when there is none."""
    first = min(view.order[node] for node in inside)
    pending: list[tuple[Node, ...]] = [(node,) for node in inputs]
    seen = set(inputs)
    while pending:
        path = pending.pop()
        if path[-1] in inside:
            return tuple(reversed(path))
        for source in path[-1].all_input_nodes:
            if source not in seen and view.order[source] >= first:
                seen.add(source)
                pending.append((*path, source))
    return ()


def _dependent(outside: list[Node], inside: set[Node], view: GraphView, last: float) -> tuple[Node, ...]:
    """Nodes up to position `last` that need a result of the match: they have to wait for the launcher."""
    found = {user for user in outside if view.order[user] <= last}
    pending = list(found)
    while pending:
        for user in pending.pop().users:
            if user not in found and user not in inside and view.order[user] <= last:
                found.add(user)
                pending.append(user)
    return tuple(sorted(found, key=view.order.__getitem__))


def _positions(view: GraphView, inside: set[Node], before: Node, moved: tuple[Node, ...]) -> Callable[[Node], float]:
    """Where each node stands once the launcher is before node `before` and `moved` right behind it."""
    start = view.order.get(before.prev, -1.0)
    step = (view.order[before] - start) / (len(moved) + 2)
    launcher = start + step
    late = {node: launcher + step * (index + 1) for index, node in enumerate(moved)}

    def position(node: Node) -> float:
        return launcher if node in inside else late.get(node, view.order[node])

    return position


def _outside(node: Node, inside: set[Node]) -> Node:
    while node in inside:  # inner nodes go away: hold on to one that stays
        node = node.next
    return node


def explain(refusal: Refusal) -> str:
    """The refusal in plain words."""
    if refusal.hazard is not None:
        return f"Replacing this match would change the result: {refusal.hazard.why}."
    if refusal.path:
        way = " → ".join(f"`{source_name(node)}`" for node in refusal.path)
        return f"A value leaves the match and comes back into it ({way}), so the match can not be computed in one step."
    parts = [f"`{source_name(node)}` is {_used_by(users)}" for node, users in refusal.leaks.items()]
    what = "it" if len(parts) == 1 else "them"
    return f"The pattern matches, but {', '.join(parts)}, and the pattern does not return {what}."


def _used_by(users: list[Node]) -> str:
    names = [f"`{source_name(user)}`" for user in users if user.op != "output"]
    inner = [f"used outside the match by {', '.join(names)}"] if names else []
    return " and ".join(inner + ["returned by the graph"] * (len(names) < len(users)))
