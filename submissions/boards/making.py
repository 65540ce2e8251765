"""The board that somebody asks for: benchmark, context, and who may stand on it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

from graphs.refused import Refused
from submissions.boards.benchmarks import Benchmark, benchmarks
from submissions.boards.board import COLUMNS, Board, BoardTask, Entrant, Row, eager_row, put_together, row_of
from submissions.boards.outcome import BASE, Outcome, best, unreadable
from submissions.boards.stored import Context, Scored, authors_of, inductor_contexts, inductor_outcomes, scored_runs
from submissions.builtin_authors import EAGER, INDUCTOR
from submissions.models import Author, Submission
from submissions.statistics import bootstrap_ratio

REPORTED = "reported"


@dataclass(frozen=True)
class Found:
    """`context` is None for the board of what authors reported, and where nothing was measured."""

    benchmarks: tuple[Benchmark, ...]
    benchmark: Benchmark | None
    contexts: tuple[Context, ...]
    has_reported: bool
    context: Context | None
    reported: bool
    board: Board | None


def runs_of(found: Found) -> list[Scored]:
    """The runs that the authors of a measured board have there, oldest first, over whole tasks."""
    if found.board is None or found.context is None:
        return []
    graphs = {task.pk: task.graphs for task in found.board.tasks if task.pk is not None}
    authors = {row.entrant.author for row in found.board.rows}
    return [
        run
        for run in scored_runs(graphs)
        if run.context == found.context and run.author in authors and run.outcome.graphs == graphs[run.task]
    ]


@dataclass(frozen=True)
class _Handed:
    """A submission of a run folder, without its files."""

    pk: int
    author: int
    name: str
    task: int | None
    reported: float | None
    readable: bool


def find_board(benchmark: str, context: str, *, with_people: bool) -> Found:
    """The board of these keys; empty ones choose the first there is. `with_people`: else models and programs alone.

    Raises Refused for keys that name nothing.
    """
    known = benchmarks()
    chosen = _by_key(known, benchmark, "benchmark")
    if chosen is None:
        return Found(tuple(known), None, (), False, None, False, None)
    tasks = {task.pk: place for place, task in enumerate(chosen.tasks) if task.pk is not None}
    runs = scored_runs(tasks)
    handed = _handed(chosen)
    authors = authors_of({run.author for run in runs} | {one.author for one in handed})
    if not with_people:
        authors = {pk: one for pk, one in authors.items() if one.kind != Author.Kind.PERSON}
    runs = [run for run in runs if run.author in authors]
    handed = [one for one in handed if one.author in authors]
    contexts = _contexts(runs, inductor_contexts(list(tasks)))
    has_reported = any(one.reported is not None for one in handed)
    reported = context == REPORTED or (not context and not contexts and has_reported)
    here = None if reported else _by_key(contexts, context, "device and version")
    board = None
    if reported:
        board = _reported(chosen.tasks, handed, authors)
    elif here is not None:
        board = _measured(chosen.tasks, here, runs, handed, authors)
    return Found(tuple(known), chosen, tuple(contexts), has_reported, here, reported, board)


class _HasKey(Protocol):
    @property
    def key(self) -> str: ...


_Keyed = TypeVar("_Keyed", bound=_HasKey)


def _by_key(known: Sequence[_Keyed], key: str, what: str) -> _Keyed | None:
    if not key:
        return next(iter(known), None)
    for one in known:
        if one.key == key:
            return one
    raise Refused(
        404, "unknown_board", f"There is no {what} {key[:100]!r} that has a board. /boards/ lists those there are."
    )


def _contexts(runs: Iterable[Scored], measured: Iterable[Context]) -> list[Context]:
    """GPUs before the CPU, those with most authors first."""
    authors: dict[Context, set[int]] = defaultdict(set)
    for one in measured:
        authors[one] = set()
    for run in runs:
        authors[run.context].add(run.author)
    return sorted(authors, key=lambda one: (not one.timed, -len(authors[one]), one.key))


def _handed(benchmark: Benchmark) -> list[_Handed]:
    """The newest submission of each author for each task comes last."""
    columns = ("pk", "author_id", "task_name", "task_id", "reported", "problem")
    rows = Submission.objects.order_by("pk").values_list(*columns)
    ids = {task.pk for task in benchmark.tasks if task.pk is not None}
    names = {task.name for task in benchmark.tasks if task.pk is None}
    return [
        _Handed(pk, author, name, task, reported, not problem)
        for pk, author, name, task, reported, problem in rows
        if (task in ids if task is not None else name in names)
    ]


def _measured(
    tasks: Sequence[BoardTask],
    context: Context,
    runs: Sequence[Scored],
    handed: Sequence[_Handed],
    authors: Mapping[int, Author],
) -> Board:
    """Tasks whose graphs are not here can not be judged and are left out."""
    judged = tuple(task for task in tasks if task.pk is not None)
    tasks_here = [task.pk for task in judged if task.pk is not None]
    place = {task: at for at, task in enumerate(tasks_here)}
    by_author: dict[int, dict[int, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        at = place[run.task]
        if run.context == context and run.outcome.graphs == judged[at].graphs:  # else it was over a part of the task
            by_author[run.author][at].append(run.outcome)
    waiting: dict[int, set[int]] = defaultdict(set)
    for one in handed:
        if one.task is None or place[one.task] in by_author[one.author]:
            continue
        at = place[one.task]
        if one.readable:
            waiting[one.author].add(at)
        else:
            found = unreadable(judged[at].graphs, timed=context.timed, submission=one.pk)
            by_author[one.author][at].append(found)
    stamp = tuple(
        (_entrant(authors[pk]), tuple((at, best(found)) for at, found in sorted(own.items())), len(waiting[pk]))
        for pk, own in sorted(by_author.items())
        if own or waiting[pk]
    )
    inductor = tuple(sorted((place[task], one) for task, one in inductor_outcomes(list(tasks_here), context).items()))
    return _put_together(judged, context.timed, stamp, inductor)


_Stamp = tuple[tuple[Entrant, tuple[tuple[int, Outcome], ...], int], ...]


@lru_cache(maxsize=32)
def _put_together(
    tasks: tuple[BoardTask, ...], timed: bool, stamp: _Stamp, inductor: tuple[tuple[int, Outcome], ...]
) -> Board:
    """Kept for whoever asks next: with ten authors the intervals take a second."""
    rows = [
        eager_row(Entrant("eager", EAGER, Author.Kind.BUILT_IN, baseline=True), tasks, timed=timed),
        row_of(
            Entrant("inductor", INDUCTOR, Author.Kind.BUILT_IN, baseline=True), tasks, dict(inductor), 0, timed=timed
        ),
        *(row_of(entrant, tasks, dict(own), waiting, timed=timed) for entrant, own, waiting in stamp),
    ]
    return put_together(tasks, rows, timed=timed)


def _reported(tasks: Sequence[BoardTask], handed: Sequence[_Handed], authors: Mapping[int, Author]) -> Board:
    """What authors say of themselves: no baselines, nothing but the score, a missing one counts b."""
    by_pk = {task.pk: at for at, task in enumerate(tasks) if task.pk is not None}
    by_name = {task.name: at for at, task in enumerate(tasks)}
    by_author: dict[int, dict[int, Outcome]] = defaultdict(dict)
    for one in handed:
        at = by_pk[one.task] if one.task is not None else by_name[one.name]
        if one.reported is not None:
            by_author[one.author][at] = Outcome(one.reported, 0, submission=one.pk, word="reported, not measured")
        else:
            by_author[one.author].setdefault(at, Outcome(None, 0, submission=one.pk, word="no score reported"))
    return _reported_board(
        tuple(tasks),
        tuple((_entrant(authors[pk]), tuple(sorted(own.items()))) for pk, own in sorted(by_author.items())),
    )


@lru_cache(maxsize=8)
def _reported_board(
    tasks: tuple[BoardTask, ...], stamp: tuple[tuple[Entrant, tuple[tuple[int, Outcome], ...]], ...]
) -> Board:
    rows = []
    for entrant, own in stamp:
        found = dict(own)
        logs = [
            math.log(BASE if (one := found.get(at)) is None or one.score is None else one.score)
            for at in range(len(tasks))
        ]
        figures = {**dict.fromkeys(COLUMNS), "as": bootstrap_ratio(logs, [1.0] * len(tasks), math.exp)}
        scored = sum(one.score is not None for one in found.values())
        rows.append(Row(entrant, tuple(found.get(at) for at in range(len(tasks))), figures, scored, 0, 0))
    return put_together(tasks, rows, timed=True)


def _entrant(author: Author) -> Entrant:
    return Entrant(f"author-{author.pk}", author.name, author.kind, author.version, author.pk)
