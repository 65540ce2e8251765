"""A drawing that keeps to an earlier one: what a pass did not touch stays where it was."""

from bisect import bisect_left

from graphs.fx_source import FxGraph, FxNode
from graphs.layout.boxes import badges_of, box_size
from graphs.layout.fresh import finish
from graphs.layout.model import GAP, LONGEST_EDGE, ROW_GAP, Box, EdgeLine, Layout, straight, stubs

_MOST_NEW = 0.5  # share of new nodes beyond which the old drawing is no help
_LEAST_GAP = ROW_GAP / 2  # between a new box and the one below it


def stable_layout(graph: FxGraph, previous: Layout) -> Layout | None:
    """The graph with every node that `previous` has at its old place and the new ones between their neighbours.

    None when that is not possible: too much is new, a box grew, or a consumer would not lie below its producer.
    """
    shown = [node for node in graph.nodes if node.op != "placeholder"]
    badges = badges_of(graph)
    placed = {node.name: previous.nodes[node.name] for node in shown if node.name in previous.nodes}
    if len(shown) - len(placed) > _MOST_NEW * len(shown):
        return None
    for node in shown:
        size = box_size(node, badges.get(node.name, ()))
        if node.name not in placed:
            placed[node.name] = _between(node, size, graph, placed)
        elif size[1] > placed[node.name][3]:
            return None
    boxes = {node.name: placed[node.name] for node in shown}
    for producer, consumer in graph.edges():
        if producer in boxes and boxes[producer][1] + boxes[producer][3] + _LEAST_GAP > boxes[consumer][1]:
            return None
    return finish(boxes, _lines(graph, boxes, previous), badges)


def _between(node: FxNode, size: tuple[float, float], graph: FxGraph, placed: dict[str, Box]) -> Box:
    """Below the producers, in the middle of all neighbours, moved sideways until nothing is overlapped."""
    above = [placed[name] for name in dict.fromkeys(node.refs()) if name in placed]
    below = [placed[name] for name in graph.users(node.name) if name in placed]
    width, height = size
    if above or not below:
        y = max((box[1] + box[3] + ROW_GAP for box in above), default=0.0)
    else:
        y = max(min(box[1] for box in below) - ROW_GAP - height, 0.0)
    near = above + below
    centre = sum(box[0] + box[2] / 2 for box in near) / len(near) if near else width / 2
    beside = [box for box in placed.values() if box[1] < y + height + _LEAST_GAP and y < box[1] + box[3] + _LEAST_GAP]
    return _free_place(max(centre - width / 2, 0.0), width, beside), y, width, height


def _free_place(wanted: float, width: float, taken: list[Box]) -> float:
    """The left edge nearest to `wanted`, at or to the right of 0, that keeps the gap to all boxes."""
    places = [wanted] + [box[0] - GAP - width for box in taken] + [box[0] + box[2] + GAP for box in taken]
    free = [
        place
        for place in places
        if place >= 0 and all(place + width + GAP <= box[0] or place >= box[0] + box[2] + GAP for box in taken)
    ]
    return min(free, key=lambda place: (abs(place - wanted), place))


def _lines(graph: FxGraph, boxes: dict[str, Box], previous: Layout) -> tuple[EdgeLine, ...]:
    old = {(edge.source, edge.target): edge for edge in previous.edges}
    tops = sorted({box[1] for box in boxes.values()})
    lines = []
    for producer, consumer in graph.edges():
        if producer not in boxes:
            continue
        kept = old.get((producer, consumer))
        source, target = boxes[producer], boxes[consumer]
        if kept is not None:
            lines.append(kept)
        elif bisect_left(tops, target[1]) - bisect_left(tops, source[1]) > LONGEST_EDGE:
            lines.append(EdgeLine(producer, consumer, stubs(source, target), stub=True))
        else:
            lines.append(EdgeLine(producer, consumer, straight(source, target)))
    return tuple(lines)
