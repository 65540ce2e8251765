"""What two authors made of each graph of a benchmark, read once: the ground of every figure that compares them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.scoring import CORRECT_AT, Failure, GraphScore, graph_score, scores
from graphs.models import TaskGraph
from submissions.boards.board import BoardTask, Row
from submissions.boards.outcome import BASE
from submissions.boards.stored import Context, inductor_scores
from submissions.models import Run

_AT_ONCE = 400  # runs in one query
_SIZES = ((4, "up to 4 nodes"), (8, "5 to 8 nodes"), (16, "9 to 16 nodes"), (64, "17 to 64 nodes"))
_LARGER = "more than 64 nodes"


@dataclass(frozen=True)
class Facts:
    """What a graph is, as far as authors are compared by it."""

    dtype: str  # of its first floating input; of its first input where none floats
    size: str
    operators: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """One author on one graph. `log_score`: logarithm of the graph's own aggregate score, None where there is none;
    `speedup`: of a correct graph whose speed was measured."""

    log_score: float | None
    correct: bool
    speedup: float | None


@dataclass(frozen=True)
class GraphPair:
    """Both authors on one graph; None for one that has no result on its task. `place` is the task's on the board."""

    place: int
    name: str
    facts: Facts
    first: Judged | None
    second: Judged | None


_REJECTED = Judged(math.log(BASE), False, None)


def graph_pairs(tasks: Sequence[BoardTask], context: Context, first: Row, second: Row) -> list[GraphPair]:
    """Every graph of the board's tasks with what both rows come to on it, in the order of the tasks.

    A task that a baseline was not measured on is left out: that is not its failure. Costs four queries.
    """
    pks = [task.pk for task in tasks if task.pk is not None]
    place = {task.pk: at for at, task in enumerate(tasks) if task.pk is not None}
    entries = _entries(pks)
    results = _results([row for row in (first, second) if not row.entrant.baseline])
    inductor = inductor_scores(pks, context) if "inductor" in (first.entrant.key, second.entrant.key) else {}
    found = []
    for task in pks:
        at = place[task]
        if any(row.entrant.baseline and row.outcomes[at] is None for row in (first, second)):
            continue
        for name, graph, facts in entries.get(task, ()):
            sides = [_side(row, at, name, graph, context.timed, results, inductor) for row in (first, second)]
            found.append(GraphPair(at, name, facts, *sides))
    return found


def _entries(tasks: Iterable[int]) -> dict[int, list[tuple[str, int, Facts]]]:
    columns = ("task_id", "name", "graph_id", "graph__dtypes", "graph__node_count", "graph__operators")
    found: dict[int, list[tuple[str, int, Facts]]] = {}
    for task, name, graph, dtypes, nodes, operators in TaskGraph.objects.filter(task_id__in=list(tasks)).values_list(
        *columns
    ):
        size = next((word for most, word in _SIZES if nodes <= most), _LARGER)
        facts = Facts(dtypes[0] if dtypes else "none", size, tuple(dict.fromkeys(one["label"] for one in operators)))
        found.setdefault(task, []).append((name, graph, facts))
    return found


def size_order(size: str) -> int:
    """Place of a size's words from small to large."""
    words = [word for _, word in _SIZES]
    return words.index(size) if size in words else len(words)


def _results(rows: Iterable[Row]) -> dict[str, Mapping[str, Any]]:
    """Run → its graphs, of the runs that count on the board."""
    runs = [one.run for row in rows for one in row.outcomes if one is not None and one.run and not one.exploit]
    found: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(runs), _AT_ONCE):
        own = Run.objects.filter(pk__in=runs[start : start + _AT_ONCE])
        for pk, result in own.values_list("pk", "result"):
            found[str(pk)] = (result or {}).get("graphs") or {}
    return found


def _side(
    row: Row,
    at: int,
    name: str,
    graph: int,
    timed: bool,
    results: Mapping[str, Mapping[str, Any]],
    inductor: Mapping[int, GraphScore],
) -> Judged | None:
    outcome = row.outcomes[at]
    if outcome is None:
        return None
    if row.entrant.key == "eager":
        return Judged(0.0 if timed else None, True, 1.0 if timed else None)
    if row.entrant.baseline:
        return _judged(inductor[graph], timed) if graph in inductor else None
    if outcome.exploit:
        return _REJECTED
    said = results.get(outcome.run, {}).get(name)
    if said is None:  # it could not be read at all, or the run was deleted just now
        return _judged(GraphScore(None, Failure.COMPILE, None), timed)
    words = (said.get("reason"), said.get("mismatch"), said.get("first_t"), (said.get("speedup") or {}).get("e2e"))
    return _judged(graph_score(str(said.get("status")), *words), timed)


def _judged(score: GraphScore, timed: bool) -> Judged:
    right = score.correct_at(CORRECT_AT)
    found = scores([score]) if timed else None
    return Judged(None if found is None else math.log(found[1]), right, score.speedup if right and timed else None)
