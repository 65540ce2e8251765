"""Where everything is drawn. Lengths are CSS pixels at zoom 1; x grows to the right, y down."""

from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]  # left, top, width, height
Point = tuple[float, float]

LABEL_ROW = 26.0  # the part of a box that holds its label and name …
BADGE_ROW = 16.0  # … and each row below it, which holds one input
MOST_BADGES = 4  # rows; the last one then says how many inputs more there are
ROW_GAP = 44.0  # between ranks: room for shape and dtype on the line
GAP = 28.0  # between boxes of one rank
STUB = 18.0  # length of the stubs of an edge that is not drawn through
LONGEST_EDGE = 8  # ranks; a longer edge is drawn as two stubs


@dataclass(frozen=True)
class EdgeLine:
    """A line from the bottom of `source` to the top of `target`.

    A stub has four points: two for the short line at the source, two for the one at the target.
    """

    source: str
    target: str
    points: tuple[Point, ...]
    stub: bool = False


@dataclass(frozen=True)
class Layout:
    """A drawing of a graph. Inputs are no boxes of their own but badges on the nodes that use them."""

    nodes: dict[str, Box]
    edges: tuple[EdgeLine, ...]
    badges: dict[str, tuple[str, ...]]  # node → inputs that it uses
    width: float
    height: float

    def to_json(self) -> dict[str, Any]:
        """Plain lists and dicts, as stored in the database."""
        return {
            "nodes": {name: list(box) for name, box in self.nodes.items()},
            "edges": [
                {
                    "source": edge.source,
                    "target": edge.target,
                    "points": [list(point) for point in edge.points],
                    "stub": edge.stub,
                }
                for edge in self.edges
            ],
            "badges": {name: list(inputs) for name, inputs in self.badges.items()},
            "width": self.width,
            "height": self.height,
        }

    @staticmethod
    def from_json(value: dict[str, Any]) -> "Layout":
        """The layout back from `to_json`."""
        return Layout(
            nodes={name: (box[0], box[1], box[2], box[3]) for name, box in value["nodes"].items()},
            edges=tuple(
                EdgeLine(
                    edge["source"], edge["target"], tuple((x, y) for x, y in edge["points"]), bool(edge.get("stub"))
                )
                for edge in value["edges"]
            ),
            badges={name: tuple(inputs) for name, inputs in value["badges"].items()},
            width=value["width"],
            height=value["height"],
        )


def straight(source: Box, target: Box) -> tuple[Point, Point]:
    """From the middle of the bottom of one box to the middle of the top of another."""
    return (source[0] + source[2] / 2, source[1] + source[3]), (target[0] + target[2] / 2, target[1])


def stubs(source: Box, target: Box) -> tuple[Point, ...]:
    """The two short lines of an edge that is not drawn through."""
    (x1, y1), (x2, y2) = straight(source, target)
    return (x1, y1), (x1, y1 + STUB), (x2, y2 - STUB), (x2, y2)
