"""Which nodes read and change which memory."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from torch.fx import Node

from evaluator.engine.effects import Effects

Order = Callable[[Node], float]


class Memory:
    """Values that may share memory are in one class, whatever the order of the nodes: coarse, never too optimistic.

    A class is known by one of its nodes (which may be gone from the graph). Classes that nothing writes to are left
    out, so that a graph without in-place operators costs nothing.
    """

    def __init__(self, effects: dict[Node, Effects]) -> None:
        """`effects` of all nodes, in the order of the graph."""
        self.effects = effects
        self._parent: dict[Node, Node] = {}
        self._written: set[Node] = set()
        # for each class the nodes that read it (False) or change it (True), in the order of the graph
        self.accesses: dict[Node, list[tuple[Node, bool]]] = defaultdict(list)
        self.barriers = [node for node, found in effects.items() if found.barrier]
        written = [target for found in effects.values() for target in found.writes]
        if written:
            for node, found in effects.items():
                for source in found.shares:
                    self._join(node, source)
        self._written = {self._root(node) for node in written}
        for node in effects if written else ():
            self._note(node)

    @property
    def is_constant(self) -> bool:
        """Nothing is changed in place and nothing changes how later nodes run."""
        return not self._written and not self.barriers

    def place(self, node: Node) -> Node | None:
        """The class of a node's memory, None where nothing writes to it."""
        if not self._written:
            return None
        root = self._root(node)
        return root if root in self._written else None

    def reads(self, node: Node) -> set[Node]:
        """Classes that a node reads."""
        return {place for source in self.effects[node].reads if (place := self.place(source)) is not None}

    def writes(self, node: Node) -> set[Node]:
        """Classes that a node changes."""
        return {place for target in self.effects[node].writes if (place := self.place(target)) is not None}

    def touches(self, node: Node) -> set[Node]:
        """Classes that a node reads or changes."""
        return self.reads(node) | self.writes(node)

    def derived(self, sources: Iterable[Node]) -> set[Node]:
        """The nodes whose value is one of `sources` or made of one without a copy."""
        found = set(sources)
        pending = list(found)
        while pending:
            source = pending.pop()
            for user in source.users:
                if user not in found and user in self.effects and source in self.effects[user].shares:
                    found.add(user)
                    pending.append(user)
        return found

    def forget(self, nodes: Iterable[Node]) -> None:
        """These nodes are about to leave the graph. Their classes stay."""
        for node in nodes:
            self._unnote(node)
            self.effects.pop(node, None)

    def update(self, node: Node, effects: Effects, same_as: Node | None, order: Order) -> None:
        """A node is new, has other arguments or another position; its value stands for that of `same_as`."""
        self._unnote(node)
        self.effects[node] = effects
        if not self._written:
            return
        for source in (*effects.shares, *([] if same_as is None else [same_as])):
            self._join(node, source)
        for place in self._note(node):
            self.accesses[place].sort(key=lambda access: order(access[0]))

    def _note(self, node: Node) -> set[Node]:
        writes = self.writes(node)
        touched = writes | self.reads(node)
        for place in touched:
            self.accesses[place].append((node, place in writes))
        return touched

    def _unnote(self, node: Node) -> None:
        if not self._written or node not in self.effects:
            return
        for place in self.touches(node):
            self.accesses[place] = [access for access in self.accesses[place] if access[0] is not node]

    def _join(self, node: Node, source: Node) -> None:
        one, other = self._root(node), self._root(source)
        if one is other:
            return
        self._parent[one] = other
        if one in self._written:  # after the start only new values join a class
            self._written.discard(one)
            self._written.add(other)
            self.accesses[other] += self.accesses.pop(one, [])

    def _root(self, node: Node) -> Node:
        root = node
        while root in self._parent:
            root = self._parent[root]
        while node is not root:
            self._parent[node], node = root, self._parent[node]
        return root
