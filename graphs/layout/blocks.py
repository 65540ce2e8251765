"""Placing connected parts one by one, and the parts beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fast_sugiyama import from_edges

from graphs.layout.model import GAP
from graphs.layout.ranks import Edge, untangling_work

_MOST_WORK = 3_000_000  # beyond this, untangling takes many seconds
_UNIT = 16.0  # spacing that fast_sugiyama is given; its result is scaled


@dataclass
class Block:
    """A connected part: for each node its column (pixels, centre) and row (ranks from the top of the part)."""

    columns: dict[int, float]
    rows: dict[int, int]
    bends: dict[Edge, list[tuple[float, int]]] = field(default_factory=dict)  # (column, row) on the way of an edge


def place_block(nodes: Sequence[int], edges: Sequence[Edge], rank: Sequence[int], width: float) -> Block:
    """Lay out one connected part whose widest node has `width` pixels."""
    step = width + GAP
    if len(nodes) == 1:
        return Block({nodes[0]: 0.0}, {nodes[0]: 0})
    if untangling_work(nodes, edges, rank) > _MOST_WORK:
        return _plain_block(nodes, rank, step)
    return _layered_block(nodes, edges, step)


def _layered_block(nodes: Sequence[int], edges: Sequence[Edge], step: float) -> Block:
    """By fast_sugiyama. It is only deterministic when it gets one connected part, numbered in a fixed order."""
    number = {node: index for index, node in enumerate(nodes)}
    found = from_edges(
        [(number[producer], number[consumer]) for producer, consumer in edges],
        minimum_length=1,
        vertex_spacing=_UNIT,
        dummy_vertices=True,
        check_layout=False,
    )
    positions, _, _, lines = found[0]
    heights = sorted({y for _, (_, y) in positions}, reverse=True)  # its y points up
    row_of = {y: row for row, y in enumerate(heights)}
    spot = {int(index): (x * step / _UNIT, row_of[y]) for index, (x, y) in positions}
    return Block(
        columns={node: spot[index][0] for node, index in number.items()},
        rows={node: spot[index][1] for node, index in number.items()},
        bends=_bends([(int(source), int(target)) for source, target in lines or []], len(nodes), nodes, spot),
    )


def _bends(
    lines: Sequence[Edge], count: int, nodes: Sequence[int], spot: dict[int, tuple[float, int]]
) -> dict[Edge, list[tuple[float, int]]]:
    """Follow each chain of invented vertices (numbered from `count` on) from producer to consumer."""
    after = {source: target for source, target in lines if source >= count}
    bends: dict[Edge, list[tuple[float, int]]] = {}
    for source, target in lines:
        if source < count <= target:
            way = []
            while target >= count:
                way.append(spot[target])
                target = after[target]
            bends[nodes[source], nodes[target]] = way
    return bends


def _plain_block(nodes: Sequence[int], rank: Sequence[int], step: float) -> Block:
    """Rows in the order of execution, for parts so tangled that no drawing of them would help."""
    top = min(rank[node] for node in nodes)
    filled: dict[int, int] = {}
    block = Block({}, {})
    for node in nodes:
        row = rank[node] - top
        block.columns[node], block.rows[node] = filled.get(row, 0) * step, row
        filled[row] = filled.get(row, 0) + 1
    return block


class Skyline:
    """How far to the right each row is taken."""

    def __init__(self) -> None:
        self._taken: dict[int, float] = {}

    def settle(self, block: Block, top: int, width: float) -> float:
        """Put the block, its first row at `top`, to the right of what is there; returns how far to move it."""
        half = width / 2
        spots = [(row + top, column) for column, row in zip(block.columns.values(), block.rows.values(), strict=True)]
        spots += [(row + top, column) for way in block.bends.values() for column, row in way]
        shift = max(self._taken.get(row, 0.0) - (column - half) for row, column in spots)
        for row, column in spots:
            self._taken[row] = max(self._taken.get(row, 0.0), column + shift + half + GAP)
        return shift
