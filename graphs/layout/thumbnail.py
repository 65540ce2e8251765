"""A drawing of 96 × 48 pixels for the catalogue."""

from typing import TypeVar

from graphs.layout.model import Layout

_Item = TypeVar("_Item")

WIDTH, HEIGHT, MARGIN = 96.0, 48.0, 3.0
_MOST_MARKS = 400  # more can not be told apart at this size


def thumbnail(layout: Layout) -> str:
    """An SVG that takes its colour from the text around it. Time runs from left to right: pictures are wide."""
    tall = layout.height >= layout.width
    width, height = (layout.height, layout.width) if tall else (layout.width, layout.height)
    across = (WIDTH - 2 * MARGIN) / max(width, 1.0)
    down = (HEIGHT - 2 * MARGIN) / max(height, 1.0)
    across, down = min(across, 0.12), min(down, 0.12)  # a graph of two nodes is not blown up
    left, top = (WIDTH - width * across) / 2, (HEIGHT - height * down) / 2

    def at(x: float, y: float) -> tuple[float, float]:
        return (left + y * across, top + x * down) if tall else (left + x * across, top + y * down)

    lines = []
    for edge in _sample(layout.edges):
        if not edge.stub:
            points = (at(x, y) for x, y in edge.points)
            lines.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points))
    marks = []
    for x, y, w, h in _sample(tuple(layout.nodes.values())):
        cx, cy = at(x + w / 2, y + h / 2)
        marks.append(f'<rect x="{cx - 2:.1f}" y="{cy - 2:.1f}" width="4" height="4" rx="1"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" '
        f'viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" aria-hidden="true">'
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.45"/>'
        f'<g fill="currentColor">{"".join(marks)}</g></svg>'
    )


def _sample(items: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return items[:: len(items) // _MOST_MARKS + 1]
