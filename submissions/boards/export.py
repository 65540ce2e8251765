"""A board as JSON, and as a file."""

from collections.abc import Iterable, Mapping
from typing import Any

from submissions.boards.board import Row
from submissions.boards.columns import COLUMNS
from submissions.boards.costs import spent_of
from submissions.boards.history import Curve
from submissions.boards.making import Found
from submissions.boards.outcome import Outcome
from submissions.csv_text import csv_text
from submissions.spending import Trajectory, cost_words
from submissions.statistics import Estimate

_BEFORE = ("benchmark", "device", "torch", "harness", "profile", "origin", "rank", "author", "kind", "version")
_AFTER = (
    "exploits",
    "tasks_scored",
    "tasks_waiting",
    "tasks_of_benchmark",
    "won",
    "lost",
    "tied",
    "steps",
    "tokens",
    "cost",
)


def as_json(found: Found, paths: Mapping[str, Trajectory]) -> dict[str, Any]:
    """Everything that the page shows. Shares are parts of 1; `paths`: what the attempts behind runs took."""
    board = found.board
    return {
        "benchmarks": [
            {"key": one.key, "title": one.title, "tasks": len(one.tasks), "missing": one.missing}
            for one in found.benchmarks
        ],
        "benchmark": None if found.benchmark is None else found.benchmark.key,
        "contexts": [_context(one) | {"key": one.key} for one in found.contexts],
        "context": None if found.context is None else found.context.key,
        "reported": found.reported,
        "tasks": [] if board is None else [_task(board, place) for place in range(len(board.tasks))],
        "rows": [] if board is None else [_row(one, paths) for one in board.rows],
    }


def as_csv(found: Found, paths: Mapping[str, Trajectory]) -> str:
    """A row for each author."""
    lines: list[tuple[Any, ...]] = []
    figures = [f"{column.key}{end}" for column in COLUMNS for end in ("", "_low", "_high")]
    for row in () if found.board is None else found.board.rows:
        entrant, against = row.entrant, row.against
        before = (found.benchmark.key if found.benchmark else "", *_context_cells(found), row.rank, entrant.name)
        after = (row.exploits, row.scored, row.waiting, len(row.outcomes))
        record = (None, None, None) if against is None else (against.wins, against.losses, against.ties)
        spent = spent_of(row, paths)
        estimates = [_triple(row.figures[column.key]) for column in COLUMNS]
        cells = (
            *before,
            entrant.kind,
            entrant.version,
            *(one for three in estimates for one in three),
            *after,
            *record,
            *((None, None, None) if spent is None else (spent.steps, spent.tokens, cost_words(spent))),
        )
        lines.append(cells)
    return csv_text((*_BEFORE, *figures, *_AFTER), lines)


def history_json(found: Iterable[Curve]) -> list[dict[str, Any]]:
    """A curve for each author: when a run changed the figure, and what it was from then on."""
    return [
        {
            "author": one.entrant.name,
            "version": one.entrant.version,
            "points": [{"at": at.isoformat(), "value": value} for at, value in one.points],
        }
        for one in found
    ]


def _context_cells(found: Found) -> tuple[Any, ...]:
    here = found.context
    if here is None:
        return (None, None, None, None, "reported" if found.reported else None)
    return (here.device, here.torch, here.harness, here.profile, here.origin)


def _context(one: Any) -> dict[str, str]:
    return {name: getattr(one, name) for name in ("device", "torch", "harness", "profile", "origin")}


def _task(board: Any, place: int) -> dict[str, Any]:
    task = board.tasks[place]
    return {"name": task.name, "title": task.title, "slug": task.slug, "graphs": task.graphs} | {
        "solved_by": board.solved_by[place]
    }


def _row(row: Row, paths: Mapping[str, Trajectory]) -> dict[str, Any]:
    entrant, against, spent = row.entrant, row.against, spent_of(row, paths)
    return {
        "rank": row.rank,
        "author": entrant.name,
        "kind": entrant.kind,
        "version": entrant.version,
        "baseline": entrant.baseline,
        "figures": {name: _estimate(one) for name, one in row.figures.items()},
        "exploits": row.exploits,
        "tasks_scored": row.scored,
        "tasks_waiting": row.waiting,
        "against_inductor": against
        and {"won": against.wins, "lost": against.losses, "tied": against.ties, "share": _estimate(against.share)},
        "spent": spent and {"steps": spent.steps, "tokens": spent.tokens, "cost": cost_words(spent)},
        "outcomes": [_outcome(one, paths) for one in row.outcomes],
    }


def _outcome(one: Outcome | None, paths: Mapping[str, Trajectory]) -> dict[str, Any] | None:
    if one is None:
        return None
    path = paths.get(one.run)
    said = {"score": one.score, "graphs": one.graphs, "correct": one.correct, "exploit": one.exploit, "word": one.word}
    return said | {"attempt": path and {"step": path.step, "steps": path.spent.steps, "cost": cost_words(path.spent)}}


def _estimate(one: Estimate | None) -> dict[str, float] | None:
    return None if one is None else {"value": one.value, "low": one.low, "high": one.high}


def _triple(one: Estimate | None) -> tuple[float | None, ...]:
    return (None, None, None) if one is None else (one.value, one.low, one.high)
