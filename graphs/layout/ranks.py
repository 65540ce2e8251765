"""Which edges are long, found before anything is placed: they, not many nodes, make a layout slow and illegible."""

from collections.abc import Iterable, Sequence

Edge = tuple[int, int]  # (producer, consumer), numbers of nodes in the order of execution


def ranks(count: int, edges: Iterable[Edge]) -> list[int]:
    """A rank for each node such that every edge goes down, and that edges are short.

    Each node is put as high as its producers allow; then, from the bottom, nodes with more lines below than above
    (the mask or the transposed weight that only a late layer uses) are pulled down to their first consumer.
    """
    producers: list[list[int]] = [[] for _ in range(count)]
    consumers: list[list[int]] = [[] for _ in range(count)]
    for producer, consumer in edges:
        producers[consumer].append(producer)
        consumers[producer].append(consumer)
    rank = [0] * count
    for node in range(count):  # producers come before consumers
        rank[node] = max((rank[producer] + 1 for producer in producers[node]), default=0)
    for node in reversed(range(count)):
        if consumers[node] and len(consumers[node]) >= len(producers[node]):
            rank[node] = min(rank[consumer] for consumer in consumers[node]) - 1
    return rank


def components(count: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Connected sets of nodes; nodes in order, sets by their first node."""
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for producer, consumer in edges:
        a, b = root(producer), root(consumer)
        parent[max(a, b)] = min(a, b)
    found: dict[int, list[int]] = {}
    for node in range(count):
        found.setdefault(root(node), []).append(node)
    return list(found.values())


def untangling_work(nodes: Sequence[int], edges: Sequence[Edge], rank: Sequence[int]) -> int:
    """How much work it is to bring the ranks into an order with few crossings: about a microsecond each.

    For every rank, its nodes and the lines through it, times the lines that leave it.
    """
    width: dict[int, int] = {}
    lines: dict[int, int] = {}
    for node in nodes:
        width[rank[node]] = width.get(rank[node], 0) + 1
    for producer, consumer in edges:
        for level in range(rank[producer], rank[consumer]):
            lines[level] = lines.get(level, 0) + 1
        for level in range(rank[producer] + 1, rank[consumer]):
            width[level] = width.get(level, 0) + 1
    return sum(width[level] * count for level, count in lines.items())
