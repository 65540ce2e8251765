"""A graph as SVG: rows by depth, inputs where they are first used, matches in colour. Plain Python: no torch.

This is no replacement for the workbench's graph view; it is one file's worth of picture for a page or a notebook.
Everything that is written into the picture is escaped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 148, 34, 18, 30, 12
MOST_NODES = 400  # more is no picture that anybody reads
_SWEEPS = 4
_LABEL = 19  # characters

# Colour is never alone: matched nodes have a thick frame, and their pass is named in the title.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


class Drawn(Protocol):
    """What is needed of a node (see evaluator.engine.backend.ReportedNode)."""

    @property
    def name(self) -> str: ...
    @property
    def calls(self) -> str: ...
    @property
    def uses(self) -> tuple[str, ...]: ...
    @property
    def result(self) -> str: ...


@dataclass(frozen=True)
class Placed:
    """The upper left corner of a node's box, in pixels."""

    x: int
    y: int


def layout(nodes: Sequence[Drawn]) -> dict[str, Placed]:
    """Where each node goes: below everything that it uses, in a row near the middle of what it is connected with."""
    rank = _ranks(nodes)
    rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for node in nodes:
        rows[rank[node.name]].append(node.name)
    uses = {node.name: [name for name in node.uses if name in rank] for node in nodes}
    users: dict[str, list[str]] = {name: [] for name in rank}
    for name, sources in uses.items():
        for source in sources:
            users[source].append(name)
    for sweep in range(_SWEEPS):
        near = uses if sweep % 2 == 0 else users
        at = {name: index - len(row) / 2 for row in rows for index, name in enumerate(row)}
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda name: _middle(name, near[name], at))
            at |= {name: index - len(row) / 2 for index, name in enumerate(row)}
    widest = max(map(len, rows), default=0)
    return {
        name: Placed(
            round(MARGIN + (index + (widest - len(row)) / 2) * (WIDTH + GAP_X)), MARGIN + depth * (HEIGHT + GAP_Y)
        )
        for depth, row in enumerate(rows)
        for index, name in enumerate(row)
    }


def svg(nodes: Sequence[Drawn], groups: Mapping[str, Sequence[str]], label: str = "graph") -> str:
    """The picture. `groups`: what to call a group of nodes → their names; of too many nodes, those near groups."""
    shown = _part(nodes, {name for names in groups.values() for name in names})
    places = layout(shown)
    colours = {name: (title, index) for index, (title, names) in enumerate(groups.items()) for name in names}
    width = max((place.x for place in places.values()), default=0) + WIDTH + MARGIN
    height = max((place.y for place in places.values()), default=0) + HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label)}" font-family="system-ui, sans-serif" font-size="12">'
    ]
    for node in shown:
        parts += [_edge(places[source], places[node.name]) for source in node.uses if source in places]
    parts += [_box(node, places[node.name], colours.get(node.name)) for node in shown]
    return "".join([*parts, "</svg>"])


def left_out(nodes: Sequence[Drawn], groups: Mapping[str, Sequence[str]]) -> int:
    """How many nodes `svg` leaves out."""
    return len(nodes) - len(_part(nodes, {name for names in groups.values() for name in names}))


def _ranks(nodes: Sequence[Drawn]) -> dict[str, int]:
    rank: dict[str, int] = {}
    for node in nodes:  # in the order of the graph: what is used comes before
        rank[node.name] = max((rank[name] + 1 for name in node.uses if name in rank), default=0)
    first_use: dict[str, int] = {}
    for node in nodes:
        for name in node.uses:
            first_use[name] = min(first_use.get(name, rank[node.name]), rank[node.name])
    for node in nodes:
        if not node.calls and node.name in first_use:
            rank[node.name] = first_use[node.name] - 1
    return rank


def _middle(name: str, near: Sequence[str], at: Mapping[str, float]) -> float:
    return sum(at[other] for other in near) / len(near) if near else at[name]


def _part(nodes: Sequence[Drawn], wanted: set[str]) -> list[Drawn]:
    if len(nodes) <= MOST_NODES:
        return list(nodes)
    near = set(wanted)
    for node in nodes:
        if node.name in wanted:
            near.update(node.uses)
        elif wanted.intersection(node.uses):
            near.add(node.name)
    chosen = [node for node in nodes if node.name in near] if near else list(nodes)
    return chosen[:MOST_NODES]


def _edge(source: Placed, target: Placed) -> str:
    x0, y0, x1, y1 = source.x + WIDTH // 2, source.y + HEIGHT, target.x + WIDTH // 2, target.y
    bend = (y1 - y0) // 2
    path = f"M{x0} {y0}C{x0} {y0 + bend} {x1} {y1 - bend} {x1} {y1}"
    return f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity=".35"/>'


def _box(node: Drawn, place: Placed, group: tuple[str, int] | None) -> str:
    colour = "currentColor" if group is None else PALETTE[group[1] % len(PALETTE)]
    frame = 'stroke-width="1" stroke-opacity=".4"' if group is None else 'stroke-width="2.5"'
    fill = f'fill="{colour}" fill-opacity="{0.04 if group is None else 0.14}"'
    title = " · ".join(part for part in (node.name, node.calls, node.result, group[0] if group else "") if part)
    middle, radius = place.x + WIDTH // 2, 6 if node.calls else HEIGHT // 2
    second = node.result if node.result else ("input" if not node.calls else "")
    return (
        f"<g><title>{escape(title)}</title>"
        f'<rect x="{place.x}" y="{place.y}" width="{WIDTH}" height="{HEIGHT}" rx="{radius}" stroke="{colour}" '
        f"{frame} {fill}/>"
        f'<text x="{middle}" y="{place.y + 14}" text-anchor="middle" fill="currentColor">'
        f"{escape(_short(node.calls or node.name))}</text>"
        f'<text x="{middle}" y="{place.y + 27}" text-anchor="middle" fill="currentColor" fill-opacity=".65" '
        f'font-size="10">{escape(_short(second))}</text></g>'
    )


def _short(text: str) -> str:
    """Long names keep their end, which tells them apart."""
    return text if len(text) <= _LABEL else f"…{text[-_LABEL + 1 :]}"
