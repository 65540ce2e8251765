"""Two authors over a benchmark in the words, digits and places of their page, and as data."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.boards.board import BoardTask, Row
from submissions.boards.outcome import Outcome
from submissions.comparing.authors import Authors, side_key
from submissions.comparing.head_to_head import WORDS, HeadToHead, TaskPair, Word, chosen, matrix
from submissions.comparing.shown import estimate_json
from submissions.statistics import Estimate

MEANS: dict[Word, str] = {
    "faster": "all graphs correct, AS above 1",
    "correct": "all graphs correct, AS 1 or below",
    "part": "some graphs correct",
    "wrong": "no graph correct",
    "violation": "rejected as a violation",
    "nothing": "no result",
}
REPORTED_MEANS: dict[Word, str] = MEANS | {
    "faster": "reported score above 1",
    "correct": "reported score 1",
    "part": "reported score below 1",
}
_SIDE = 320  # of the scatter, in its own units
_FEW = 5  # tasks, of which the sign test can not show anything and an interval says little
_RIM = 16  # beyond the axes: where one of the two has no value


@dataclass(frozen=True)
class Dot:
    """A task on the scatter. `rim`: one side has no speed there, and the dot stands beyond the axis."""

    x: float
    y: float
    title: str
    link: str
    winner: str
    rim: bool


@dataclass(frozen=True)
class Scatter:
    dots: tuple[Dot, ...]
    ticks: tuple[tuple[str, float, float], ...]  # text, place on x, place on y
    one: float  # place of 1 on x
    one_y: float


@dataclass(frozen=True)
class TaskRow:
    """`link` opens both submissions side by side; empty where one of them can not be opened."""

    task: BoardTask
    pair: TaskPair
    winner: str
    link: str
    first_link: str
    second_link: str


def task_rows(authors: Authors, show: str, *, may_read: tuple[bool, bool]) -> list[TaskRow]:
    """The tasks that `show` keeps, those with the largest difference first."""
    keeps = chosen(show, timed=authors.timed)
    found = []
    for pair in authors.pairs:
        if keeps(pair):
            task = authors.tasks[pair.place]
            outcomes = (authors.first.outcomes[pair.place], authors.second.outcomes[pair.place])
            keys = [one.key if read and one is not None else "" for one, read in zip(outcomes, may_read, strict=True)]
            both = f"/compare/?of={keys[0]}&of={keys[1]}" if all(keys) else ""
            own = [own_link(task, one) if read else "" for one, read in zip(outcomes, may_read, strict=True)]
            found.append(TaskRow(task, pair, pair.winner(timed=authors.timed), both, *own))
    found.sort(key=lambda row: (-_gap(row.pair, timed=authors.timed), row.task.title))
    return found


def own_link(task: BoardTask, one: Outcome | None) -> str:
    """Where a result opens: its run on the task's page, or an imported submission's own page."""
    if one is not None and one.run and task.slug:
        return f"/tasks/{task.slug}/?run={one.run}"
    return f"/boards/submissions/{one.submission}/" if one is not None and one.submission else ""


def _gap(pair: TaskPair, *, timed: bool) -> float:
    one, other = pair.first.value(timed=timed), pair.second.value(timed=timed)
    return abs(math.log(one / other)) if timed else abs(one - other)


def matrix_rows(pairs: Sequence[TaskPair], *, reported: bool) -> list[tuple[Word, str, list[tuple[Word, int]]]]:
    """Outcome of the first, what it means, and how many tasks for each outcome of the second. Words without any task
    are left out."""
    counts = matrix(pairs)
    words = [word for word in WORDS if any(word in pair for pair in counts)]
    means = REPORTED_MEANS if reported else MEANS
    return [(word, means[word], [(other, counts.get((word, other), 0)) for other in words]) for word in words]


def scatter(rows: Iterable[TaskRow], plot: str, names: tuple[str, str]) -> Scatter | None:
    """Both axes are logarithmic and alike, in powers of two. `plot`: "score" for AS, else the speed-up of correct
    graphs. None where no task has a value."""
    values = [(row, *_values(row.pair, plot)) for row in rows]
    known = [value for _, *both in values for value in both if value is not None]
    if not known:
        return None
    low = min(0, math.floor(math.log2(min(known))))
    high = max(low + 1, math.ceil(math.log2(max(known))))
    scale = _SIDE / (high - low)

    def at(value: float) -> float:
        return round(_RIM + (math.log2(value) - low) * scale, 1)

    dots = []
    for row, x, y in values:
        if x is None and y is None:
            continue
        said = f"{row.task.title}: {names[0]} {_digits(x)}, {names[1]} {_digits(y)}"
        across = at(x) if x is not None else _RIM / 2
        up = at(y) if y is not None else _RIM / 2
        link = row.link or row.first_link or row.second_link
        dots.append(Dot(across, _SIDE + 2 * _RIM - up, said, link, row.winner, x is None or y is None))
    step = max(1, (high - low) // 6)
    powers = [one for one in range(low, high + 1) if one % step == 0]
    ticks = tuple((_power(one), at(2.0**one), _SIDE + 2 * _RIM - at(2.0**one)) for one in powers)
    return Scatter(tuple(dots), ticks, at(1.0), _SIDE + 2 * _RIM - at(1.0))


def _values(pair: TaskPair, plot: str) -> tuple[float | None, float | None]:
    if plot == "score":
        return pair.first.score, pair.second.score
    return pair.first.speedup, pair.second.speedup


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _power(exponent: int) -> str:
    return f"1/{2**-exponent}" if exponent < 0 else str(2**exponent)


def words_of(head: HeadToHead, names: tuple[str, str]) -> str:
    """One sentence: whether one of the two is better beyond chance, by the interval of the ratio of their AS, or by
    the sign test where speed was not measured."""
    first, second = names
    ratio = head.score_ratio
    if head.tasks < _FEW:
        return f"Fewer than {_FEW} tasks: nothing is shown by so few."
    if ratio is not None and (ratio.low > 1 or ratio.high < 1):
        return f"{first if ratio.value > 1 else second} is better: the interval of the ratio of AS leaves out 1."
    if ratio is not None:
        return "Not shown to differ: the interval of the ratio of AS contains 1."
    if head.record.wins + head.record.losses == 0:
        return "No task is decided between them."
    better = first if head.record.wins > head.record.losses else second
    return f"{better} wins more tasks than chance gives." if head.p < 0.05 else "Not shown to differ by the tasks won."


def p_words(p: float) -> str:
    """ "0.031", "< 0.001"."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def span(one: Estimate | None, digits: int = 3) -> tuple[str, str]:
    """Value and interval in digits; "–" where there is none."""
    if one is None:
        return "–", ""
    return f"{one.value:.{digits}f}", f"{one.low:.{digits}f}–{one.high:.{digits}f}"


def head_json(head: HeadToHead) -> dict[str, Any]:
    """As the API gives it."""
    return {
        "tasks": head.tasks,
        "graphs": head.graphs,
        "won_by_a": head.record.wins,
        "won_by_b": head.record.losses,
        "tied": head.record.ties,
        "share_of_a": estimate_json(head.record.share),
        "sign_test_p": head.p,
        "as": None if head.scores is None else {"a": head.scores[0], "b": head.scores[1]},
        "as_ratio": estimate_json(head.score_ratio),
        "speedup_ratio": estimate_json(head.speed_ratio),
        "graphs_correct": {"a": head.right[0], "b": head.right[1]},
        "correct_difference": estimate_json(head.correct),
        "graphs_correct_and_timed_for_both": head.both_correct,
    }


def authors_json(authors: Authors, rows: Sequence[TaskRow]) -> dict[str, Any]:
    """Everything that the page shows."""
    found = authors.found
    return {
        "benchmark": found.benchmark.key if found.benchmark else None,
        "context": found.context.key if found.context else None,
        "reported": found.reported,
        "a": _side(authors.first),
        "b": _side(authors.second),
        "head_to_head": head_json(authors.head),
        "groups": [{"name": one.name, **head_json(one.head)} for one in authors.groups],
        "tasks": [dict(zip(COLUMNS, cells, strict=True)) for cells in lines(rows)],
    }


def _side(row: Row) -> dict[str, Any]:
    entrant = row.entrant
    return {"key": side_key(row), "author": entrant.name, "kind": entrant.kind, "version": entrant.version}


COLUMNS = (
    "task", "title", "winner",
    "a_outcome", "a_as", "a_correct", "a_graphs", "a_speedup",
    "b_outcome", "b_as", "b_correct", "b_graphs", "b_speedup", "compare",
)  # fmt: skip


def lines(rows: Iterable[TaskRow]) -> list[list[Any]]:
    """A line for each task, for the CSV."""
    found = []
    for row in rows:
        line: list[Any] = [row.task.name, row.task.title, row.winner]
        for side in (row.pair.first, row.pair.second):
            line += [side.word, side.score, side.correct, side.graphs, side.speedup]
        found.append([*line, row.link])
    return found
