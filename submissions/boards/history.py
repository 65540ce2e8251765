"""How the authors of a board came to where they are: each one's figure from run to run. Pure.

A curve for each author was chosen over the board as it stood on some day: a day's board is one cut through the curves,
and only these show who still moves.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from submissions.boards.board import Board, Entrant
from submissions.boards.outcome import BASE, Outcome, best
from submissions.boards.stored import Scored


@dataclass(frozen=True)
class Curve:
    """`points`: when a run changed the figure, and what it was from then on; AS, or the share of correct graphs where
    speed is not measured. Tasks without a result count as on the board."""

    entrant: Entrant
    points: tuple[tuple[datetime, float], ...]


def curves(board: Board, runs: Iterable[Scored]) -> list[Curve]:
    """Of every author with a run, in the order of the board. Runs come oldest first; a reviewer's word that came later
    counts from the run on."""
    graphs = sum(task.graphs for task in board.tasks)
    own: dict[int, list[Scored]] = {}
    for run in runs:
        own.setdefault(run.author, []).append(run)
    found = []
    for row in board.rows:
        mine = sorted(own.get(row.entrant.author or 0, ()), key=lambda run: run.at)
        if mine:
            points = _scores(mine, len(board.tasks)) if board.timed else _shares(mine, graphs)
            found.append(Curve(row.entrant, tuple(points)))
    return found


def _scores(runs: Iterable[Scored], tasks: int) -> list[tuple[datetime, float]]:
    now: dict[int, Outcome] = {}
    total = tasks * math.log(BASE)
    points: list[tuple[datetime, float]] = []
    for run in runs:
        before = _log(now.get(run.task))
        now[run.task] = _better(now, run)
        total += _log(now[run.task]) - before
        _add(points, run.at, math.exp(total / tasks))
    return points


def _shares(runs: Iterable[Scored], graphs: int) -> list[tuple[datetime, float]]:
    now: dict[int, Outcome] = {}
    points: list[tuple[datetime, float]] = []
    for run in runs:
        now[run.task] = _better(now, run)
        _add(points, run.at, sum(one.correct for one in now.values()) / graphs if graphs else 0.0)
    return points


def _better(now: Mapping[int, Outcome], run: Scored) -> Outcome:
    known = now.get(run.task)
    return run.outcome if known is None else best([known, run.outcome])


def _log(one: Outcome | None) -> float:
    return math.log(BASE if one is None or one.score is None else one.score)


def _add(points: list[tuple[datetime, float]], at: datetime, value: float) -> None:
    if not points or not math.isclose(points[-1][1], value, rel_tol=1e-12):
        points.append((at, value))
