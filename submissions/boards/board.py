"""A board from outcomes: its rows in their order, each figure with an interval over tasks. Pure."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from submissions.boards.outcome import BASE, Outcome
from submissions.statistics import Estimate, Record, bootstrap_ratio, record

TIED = 1e-9  # relative: scores that are this near are the same


@dataclass(frozen=True)
class BoardTask:
    """A task of a benchmark. `pk` and `slug` are None where its graphs are not here; then `graphs` is 0."""

    name: str
    title: str
    graphs: int
    pk: int | None = None
    slug: str | None = None


@dataclass(frozen=True)
class Entrant:
    """Who stands on the board. A baseline is measured, not handed in: what was not measured is not its failure."""

    key: str
    name: str
    kind: str  # submissions.models.Author.Kind
    version: str = ""
    author: int | None = None
    baseline: bool = False


@dataclass(frozen=True)
class Row:
    """`figures` by column; None where there is none. `outcomes` go with the board's tasks, None: nothing there."""

    entrant: Entrant
    outcomes: tuple[Outcome | None, ...]
    figures: Mapping[str, Estimate | None]
    scored: int  # tasks with an outcome
    waiting: int  # tasks whose submission was not evaluated here yet
    exploits: int
    against: Record | None = None  # the board's Inductor, task by task
    rank: int | None = None  # None: a baseline, or nothing was scored yet


@dataclass(frozen=True)
class Board:
    tasks: tuple[BoardTask, ...]
    rows: tuple[Row, ...]
    timed: bool
    solved_by: tuple[int, ...] = field(default=())  # how many that are no baselines have solved each task


def row_of(
    entrant: Entrant, tasks: Sequence[BoardTask], outcomes: Mapping[int, Outcome], waiting: int, *, timed: bool
) -> Row:
    """`outcomes` by place of the task. One that is missing counts b, its graphs as wrong; a baseline's is left out."""
    found = tuple(outcomes.get(place) for place in range(len(tasks)))
    counted = [
        one if one is not None else Outcome(None, task.graphs)
        for one, task in zip(found, tasks, strict=True)
        if one is not None or not entrant.baseline
    ]
    return Row(
        entrant=entrant,
        outcomes=found,
        figures=_figures(counted, timed) if outcomes else dict.fromkeys(COLUMNS),
        scored=len(outcomes),
        waiting=waiting,
        exploits=sum(one is not None and one.on_record for one in found),
    )


def eager_row(entrant: Entrant, tasks: Sequence[BoardTask], *, timed: bool) -> Row:
    """Eager against itself: 1 by definition, not measured."""
    one = Estimate(1.0, 1.0, 1.0)
    figures = {name: one if timed or name in UNTIMED else None for name in COLUMNS}
    figures |= {"fast_1.5": Estimate(0.0, 0.0, 0.0) if timed else None, "fast_2": Estimate(0, 0, 0) if timed else None}
    outcomes = tuple(
        Outcome(1.0 if timed else None, task.graphs, task.graphs, (task.graphs if timed else 0, 0, 0)) for task in tasks
    )
    return Row(entrant, outcomes, figures, len(tasks), 0, 0)


COLUMNS = ("as", "g_mean", "correct", "tasks", "fast_1", "fast_1.5", "fast_2")
UNTIMED = ("correct", "tasks")


def _figures(counted: Sequence[Outcome], timed: bool) -> dict[str, Estimate | None]:
    graphs = [float(one.graphs) for one in counted]
    each = [1.0] * len(counted)
    speeds = [one.log_speedup for one in counted]
    found = {
        "correct": bootstrap_ratio([float(one.correct) for one in counted], graphs),
        "tasks": bootstrap_ratio([float(one.solved) for one in counted], each),
    }
    if not timed:
        return {**dict.fromkeys(COLUMNS), **found}
    found |= {
        "as": bootstrap_ratio([math.log(BASE if one.score is None else one.score) for one in counted], each, math.exp),
        "g_mean": bootstrap_ratio(speeds, [float(one.measured) for one in counted], math.exp),
    }
    for at, name in enumerate(("fast_1", "fast_1.5", "fast_2")):
        found[name] = bootstrap_ratio([float(one.fast[at]) for one in counted], graphs)
    return {name: found.get(name) for name in COLUMNS}


def ranked(rows: Sequence[Row], *, timed: bool) -> list[Row]:
    """Best first, by AS, or by correct graphs where speed is not measured; ties by correct graphs and name, with equal
    ranks. Whoever has no outcome stands last and has no rank; baselines stand in their place and have none."""
    first = "as" if timed else "correct"

    def value(row: Row, column: str) -> float:
        figure = row.figures[column]
        return -math.inf if figure is None else figure.value

    ordered = sorted(
        rows,
        key=lambda row: (row.scored == 0, -value(row, first), -value(row, "correct"), row.entrant.name.casefold()),
    )
    found: list[Row] = []
    place, rank, before = 0, 0, math.nan
    for row in ordered:
        if row.entrant.baseline or row.scored == 0:
            found.append(row)
            continue
        place += 1
        now = value(row, first)
        if not math.isclose(now, before, rel_tol=TIED):
            rank = place
        before = now
        found.append(_with(row, rank=rank))
    return found


def put_together(tasks: Sequence[BoardTask], rows: Sequence[Row], *, timed: bool) -> Board:
    """The board, with each author's wins and losses against Inductor on the tasks that both have a score for."""
    inductor = next((row for row in rows if row.entrant.key == "inductor"), None)
    compared = [_with(row, against=_against(row, inductor)) for row in rows]
    others = [row for row in rows if not row.entrant.baseline]
    solved = tuple(
        sum((one := row.outcomes[place]) is not None and one.solved for row in others) for place in range(len(tasks))
    )
    return Board(tuple(tasks), tuple(ranked(compared, timed=timed)), timed, solved)


def _against(row: Row, inductor: Row | None) -> Record | None:
    if inductor is None or row.entrant.baseline:
        return None
    pairs = [
        (own.score, other.score)
        for own, other in zip(row.outcomes, inductor.outcomes, strict=True)
        if own is not None and other is not None and own.score is not None and other.score is not None
    ]
    return record(pairs, TIED) if pairs else None


def _with(row: Row, **changes: object) -> Row:
    return Row(**{**{name: getattr(row, name) for name in Row.__dataclass_fields__}, **changes})  # type: ignore[arg-type]


Sort = Callable[[Row], float | str | None]


def sort_rows(rows: Sequence[Row], sort: str) -> list[Row]:
    """By a column, "-" before it downwards; "" is the board's own order. What has no value comes last either way."""
    name = sort.removeprefix("-")
    if not name:
        return list(rows)
    if name == "author":
        return sorted(rows, key=lambda row: row.entrant.name.casefold(), reverse=sort.startswith("-"))
    values: dict[int, float | None] = {}
    for at, row in enumerate(rows):
        figure = row.figures.get(name)
        values[at] = float(row.exploits) if name == "exploits" else None if figure is None else figure.value
    sign = -1 if sort.startswith("-") else 1
    places = sorted(values, key=lambda at: ((value := values[at]) is None, sign * (value or 0.0)))
    return [rows[at] for at in places]
