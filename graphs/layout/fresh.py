"""A drawing of a graph from nothing."""

from collections.abc import Iterable
from itertools import pairwise

from graphs.fx_source import FxGraph, FxNode
from graphs.layout.blocks import Block, Skyline, place_block
from graphs.layout.boxes import badges_of, box_size
from graphs.layout.model import LABEL_ROW, LONGEST_EDGE, ROW_GAP, Box, EdgeLine, Layout, Point, straight, stubs
from graphs.layout.ranks import Edge, components, ranks

_BAND_NODES = 8_000  # fast_sugiyama runs out of stack beyond some 20,000 nodes below each other
_BAND_RANKS = 2_000


def fresh_layout(graph: FxGraph) -> Layout:
    """Lay the graph out in ranks. The same graph always gives the same drawing."""
    shown = [node for node in graph.nodes if node.op != "placeholder"]
    number = {node.name: index for index, node in enumerate(shown)}
    edges = [
        (number[producer], number[consumer])
        for producer, consumer in graph.edges()
        if producer in number and consumer in number
    ]
    badges = badges_of(graph)
    drawing = _Drawing(shown, [box_size(node, badges.get(node.name, ())) for node in shown], edges)
    boxes = drawing.boxes()
    return finish(boxes, tuple(drawing.line(edge, boxes) for edge in edges), badges)


def finish(boxes: dict[str, Box], lines: tuple[EdgeLine, ...], badges: dict[str, tuple[str, ...]]) -> Layout:
    """The layout with its size."""
    points = [point for line in lines for point in line.points]
    right = max([x + w for x, _, w, _ in boxes.values()] + [x for x, _ in points], default=0.0)
    bottom = max([y + h for _, y, _, h in boxes.values()] + [y for _, y in points], default=0.0)
    return Layout(boxes, lines, badges, right, bottom)


class _Drawing:
    """The places of numbered nodes: `rows` and `columns` (centres), and the bends of the edges between them."""

    def __init__(self, nodes: list[FxNode], sizes: list[tuple[float, float]], edges: list[Edge]) -> None:
        self.nodes = nodes
        self.sizes = sizes
        self.rank = ranks(len(nodes), edges)
        self.rows = [0] * len(nodes)
        self.columns = [0.0] * len(nodes)
        self.bends: dict[Edge, list[tuple[float, int]]] = {}
        self._place([edge for edge in edges if self._is_short(edge)])
        self._set_heights()

    def _is_short(self, edge: Edge) -> bool:
        """Whether the edge takes part in the placing: long ones do not, nor do those from one band to the next."""
        producer, consumer = (self.rank[node] for node in edge)
        if consumer - producer > LONGEST_EDGE:
            return False
        return len(self.nodes) <= _BAND_NODES or producer // _BAND_RANKS == consumer // _BAND_RANKS

    def _place(self, edges: list[Edge]) -> None:
        parts = components(len(self.nodes), edges)
        part_of = {node: index for index, part in enumerate(parts) for node in part}
        lines: list[list[Edge]] = [[] for _ in parts]
        for edge in edges:
            lines[part_of[edge[0]]].append(edge)
        skyline = Skyline()
        # The largest part first: it is the model, the others are what feeds it
        for index in sorted(range(len(parts)), key=lambda index: (-len(parts[index]), index)):
            width = max(self.sizes[node][0] for node in parts[index])
            block = place_block(parts[index], lines[index], self.rank, width)
            top = min(self.rank[node] for node in parts[index])
            self._settle(block, top, skyline.settle(block, top, width))

    def _settle(self, block: Block, top: int, shift: float) -> None:
        for node, row in block.rows.items():
            self.rows[node] = row + top
            self.columns[node] = block.columns[node] + shift
        for edge, way in block.bends.items():
            self.bends[edge] = [(column + shift, row + top) for column, row in way]

    def _set_heights(self) -> None:
        """A row is as high as its highest box."""
        highest = [LABEL_ROW] * (max(self.rows, default=0) + 1)
        for row, (_, height) in zip(self.rows, self.sizes, strict=True):
            highest[row] = max(highest[row], height)
        self.tops = [0.0]
        for height in highest:
            self.tops.append(self.tops[-1] + height + ROW_GAP)

    def boxes(self) -> dict[str, Box]:
        places = zip(self.nodes, self.columns, self.rows, self.sizes, strict=True)
        return {node.name: (x - width / 2, self.tops[row], width, height) for node, x, row, (width, height) in places}

    def line(self, edge: Edge, boxes: dict[str, Box]) -> EdgeLine:
        producer, consumer = edge
        source, target = self.nodes[producer].name, self.nodes[consumer].name
        if not 0 < self.rows[consumer] - self.rows[producer] <= LONGEST_EDGE:
            return EdgeLine(source, target, stubs(boxes[source], boxes[target]), stub=True)
        start, end = straight(boxes[source], boxes[target])
        way = [(x, y) for x, row in self.bends.get(edge, ()) for y in (self.tops[row], self.tops[row + 1] - ROW_GAP)]
        return EdgeLine(source, target, tuple(_without_needless([start, *way, end])))


def _without_needless(points: list[Point]) -> Iterable[Point]:
    """The polyline without points in the middle of a vertical stretch."""
    yield points[0]
    for (before, point), (_, after) in pairwise(pairwise(points)):
        if not before[0] == point[0] == after[0]:
            yield point
    yield points[-1]
