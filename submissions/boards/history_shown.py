"""The curves of a board's history as places in a drawing. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from submissions.boards.history import Curve

WIDTH, HEIGHT = 720, 220
MOST = 8  # curves that are drawn, of the best; the data has all


@dataclass(frozen=True)
class Line:
    """`path`: of an SVG, in steps, since a figure stays until the next run. `at`: the place of its end."""

    name: str
    path: str
    at: tuple[float, float]
    first: float
    last: float
    changes: int


@dataclass(frozen=True)
class Drawing:
    lines: tuple[Line, ...]
    ticks: tuple[tuple[str, float], ...]  # text and place on y
    since: datetime
    until: datetime


def drawing(curves: Sequence[Curve], *, timed: bool) -> Drawing | None:
    """The curves of those who stand highest; None where there is no curve."""
    drawn = [one for one in curves if one.points][:MOST]
    if not drawn:
        return None
    since = min(one.points[0][0] for one in drawn)
    until = max(one.points[-1][0] for one in drawn)
    seconds = max((until - since).total_seconds(), 1.0)
    top = max(value for one in drawn for _, value in one.points)
    step = _step(top) if timed else 0.25
    most = step * max(1, math.ceil(top / step)) if timed else 1.0

    def x(at: datetime) -> float:
        return round(WIDTH * (at - since).total_seconds() / seconds, 1)

    def y(value: float) -> float:
        return round(HEIGHT * (1 - value / most), 1)

    lines = []
    for one in drawn:
        (start, value), *later = one.points
        path = f"M{x(start)} {y(value)}" + "".join(f"H{x(at)}V{y(value)}" for at, value in later) + f"H{WIDTH}"
        last = one.points[-1][1]
        lines.append(Line(one.entrant.name, path, (WIDTH, y(last)), value, last, len(later)))
    marks = [step * at for at in range(round(most / step) + 1)]
    ticks = [(f"{one:.2f}" if timed else f"{100 * one:.0f} %", y(one)) for one in marks]
    return Drawing(tuple(lines), tuple(ticks), since, until)


def _step(top: float) -> float:
    """Between two marks of the axis, so that there are five at most."""
    return next((step for step in (0.05, 0.1, 0.25, 0.5, 1.0, 2.5) if top / step <= 5), float(math.ceil(top / 5)))
