"""May a match be computed at one point, given what is changed in place around it and inside it?

Replacing a match moves all of it to the place of the launcher, and makes its results memory of their own. Both are
invisible as long as nothing is changed in place. Where something is, each rule below names one way in which the
rewritten graph could compute something else; a match that breaks a rule is refused. `Memory` says what "the same
memory" is. A pattern that mirrors the graph's in-place calls passes as long as nobody looks at that memory later other
than through what the pattern returns; its launcher then stands for those changes too.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from torch.fx import Node

from evaluator.engine.memory import Memory
from evaluator.engine.pattern import Match, Pattern
from evaluator.engine.view import GraphView
from evaluator.engine.view import source_name as name

Position = Callable[[Node], float]


@dataclass(frozen=True)
class Hazard:
    """Why the meaning would change: the node inside the match, the other node, and what would go wrong."""

    inside: Node
    other: Node
    why: str


def find_hazard(pattern: Pattern, match: Match, view: GraphView, moved: Iterable[Node], new: Position) -> Hazard | None:
    """The first rule that a rewrite breaks. `new` gives each node's position after it (that of the launcher for all
    matched nodes); `moved` are other nodes that change places."""
    if view.memory.is_constant and pattern.memory.is_constant:
        return None
    facts = _Facts(pattern, match, view, new)
    return (
        facts.across_a_barrier(moved)
        or facts.out_of_order(moved)
        or facts.another_order_in_the_pattern()
        or facts.one_memory_for_two_inputs()
        or facts.changed_in_only_one()
        or facts.looked_at_later()
        or facts.torn_apart()
    )


class _Facts:
    def __init__(self, pattern: Pattern, match: Match, view: GraphView, new: Position) -> None:
        self.pattern, self.match, self.view, self.new = pattern, match, view, new
        self.memory = view.memory
        self.inside = set(match.nodes.values())
        self.back = {found: wanted for wanted, found in match.nodes.items()}
        self.launcher = new(next(iter(self.inside)))

    def across_a_barrier(self, moved: Iterable[Node]) -> Hazard | None:
        old = self.view.order
        nodes = [*self.inside, *moved]
        for barrier in self.memory.barriers:
            for node in nodes:
                if (old[node] < old[barrier]) != (self.new(node) < old[barrier]):
                    why = f"`{name(barrier)}` changes how what follows it runs, and the match lies on both sides of it"
                    return Hazard(node, barrier, why)
        return None

    def out_of_order(self, moved: Iterable[Node]) -> Hazard | None:
        """A change and a use of the same memory must not change places."""
        places = {place for node in (*self.inside, *moved) for place in self.memory.touches(node)}
        for place in places:
            change: Node | None = None  # the one that comes last in the new order, so far
            access: Node | None = None
            for node, writes in self.memory.accesses[place]:
                before = access if writes else change
                if before is not None and self.new(node) < self.new(before):
                    return self._exchanged(before, node, before_writes=before is change)
                if access is None or self.new(node) > self.new(access):
                    access = node
                if writes and (change is None or self.new(node) > self.new(change)):
                    change = node
        return None

    def _exchanged(self, first: Node, second: Node, before_writes: bool) -> Hazard:
        inside, other = (first, second) if first in self.inside else (second, first)
        changer, user = (first, second) if before_writes else (second, first)
        return Hazard(
            inside,
            other,
            f"`{name(changer)}` changes in place what `{name(user)}` uses, and lies in between",
        )

    def another_order_in_the_pattern(self) -> Hazard | None:
        """Where the graph changes a value and uses it, the pattern has to do so in that order."""
        for accesses in list(self.memory.accesses.values()):
            nodes = [(node, writes) for node, writes in accesses if node in self.inside]
            for index, (node, writes) in enumerate(nodes):
                for later, later_writes in nodes[index + 1 :]:
                    if (writes or later_writes) and self._place_in_pattern(node) > self._place_in_pattern(later):
                        why = f"the pattern has `{name(node)}` and `{name(later)}` the other way round"
                        return Hazard(node, later, f"{why}, and one of them changes what the other uses")
        return None

    def _place_in_pattern(self, node: Node) -> int:
        return self.pattern.order[self.back[node]]

    def one_memory_for_two_inputs(self) -> Hazard | None:
        """A launcher may treat a pattern's inputs as separate memory, unless the pattern itself says they are not."""
        values = {**self.match.nodes, **self.match.inputs}
        for wanted, found in self.match.nodes.items():
            changed = self.pattern.memory.writes(wanted)
            places = self.memory.writes(found)
            for value, node in values.items() if changed and places else ():
                shared = isinstance(node, Node) and self.memory.place(node) in places
                if shared and self.pattern.memory.place(value) not in changed:
                    why = f"`{name(found)}` changes in place memory that `{name(node)}` shares"
                    return Hazard(found, node, f"{why}; for the pattern they are separate inputs")
        return None

    def changed_in_only_one(self) -> Hazard | None:
        """`x += y` may stand for `x + y`, and the reverse, only if nobody sees the difference."""
        for wanted, found in self.match.nodes.items():
            graph_writes = self.memory.writes(found)
            pattern_writes = self.pattern.memory.writes(wanted)
            if graph_writes and not pattern_writes:
                seen = _seen_later(self.memory, found, graph_writes) or self._callers(graph_writes)
                if seen is not None:
                    why = f"the graph changes `{name(found.all_input_nodes[0])}` in place, the pattern does not"
                    sees = f"`{name(seen)}` sees the change"
                    sees = f"the caller sees `{name(seen)}` changed" if seen.op == "placeholder" else sees
                    return Hazard(found, seen, f"{why}, and {sees}")
            if pattern_writes and not graph_writes:
                seen = _seen_later(self.pattern.memory, wanted, pattern_writes)
                if seen is not None:
                    why = "the pattern changes a value in place and uses it afterwards; the graph does not change it"
                    return Hazard(found, self.match.nodes.get(seen, found), why)
        return None

    def _callers(self, places: set[Node]) -> Node | None:
        """An input of the graph in one of these classes: whoever calls the graph sees it changed."""
        return next((node for node in self.view.inputs if self.memory.place(node) in places), None)

    def looked_at_later(self) -> Hazard | None:
        """What the match changes in place is, afterwards, only looked at through what it returns."""
        places = {place for node in self.inside for place in self.memory.writes(node)}
        if not places:
            return None
        returned = self.memory.derived(self.inside)
        for place in places:
            for node, _ in self.memory.accesses[place]:
                if node in self.inside or self.new(node) < self.launcher:
                    continue
                effects = self.memory.effects[node]
                for source in (*effects.reads, *effects.writes):
                    if source not in returned and self.memory.place(source) is place:
                        changer = next(item for item in self.inside if place in self.memory.writes(item))
                        why = f"`{name(changer)}` changes `{name(source)}` in place, and `{name(node)}` uses it later"
                        return Hazard(changer, node, why)
        return None

    def torn_apart(self) -> Hazard | None:
        """A result that was a view (of an input, of another result) becomes memory of its own: nobody may notice."""
        outputs = sorted((self.match.nodes[node] for node in self.pattern.outputs), key=self.view.order.__getitem__)
        mirrored = {place for node in self.inside for place in self.memory.writes(node)}
        for place in {place for node in outputs if (place := self.memory.place(node)) is not None}:
            party = _parties([node for node in outputs if self.memory.place(node) is place], self.memory)
            changes: dict[Node | None, Node] = {}  # who owns what was changed → the change
            for node, writes in self.memory.accesses[place]:
                if node in self.inside or self.new(node) < self.launcher:
                    continue
                effects = self.memory.effects[node]
                for source in effects.reads:
                    owner = party.get(source)
                    other = next((change for who, change in changes.items() if who is not owner), None)
                    if self.memory.place(source) is place and other is not None:
                        return self._torn(owner, other, node, outputs)
                if writes:
                    changed = [item for item in effects.writes if self.memory.place(item) is place]
                    changes.update((party.get(item), node) for item in changed)
            caller = self._callers({place}) if place not in mirrored else None
            change = next((change for who, change in changes.items() if who is not None), None)
            if caller is not None and change is not None:
                why = f"`{name(change)}` changes a result of the match in place, which is a view of the input"
                return Hazard(outputs[0], change, f"{why} `{name(caller)}`: the input would stay as it was")
        return None

    def _torn(self, owner: Node | None, change: Node, use: Node, outputs: list[Node]) -> Hazard:
        why = f"`{name(change)}` changes in place memory that a result of the match shares, and `{name(use)}` uses it"
        return Hazard(owner or outputs[0], change, f"{why}: after the rewrite they would no longer share it")


def _parties(outputs: list[Node], memory: Memory) -> dict[Node, Node]:
    """For each value made of one of the outputs without a copy, which output that is (the last of them)."""
    return {node: output for output in outputs for node in memory.derived([output])}


def _seen_later(memory: Memory, changer: Node, places: set[Node]) -> Node | None:
    """A later node that looks at what `changer` changes, not through its result."""
    returned = memory.derived([changer])
    for place in places:
        later = False
        for node, _ in memory.accesses[place]:
            if later and any(
                source not in returned and memory.place(source) is place for source in memory.effects[node].reads
            ):
                return node
            later = later or node is changer
    return None
