"""Two authors over a benchmark: who wins where, and whether the difference is more than chance. Pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from submissions.boards.board import TIED
from submissions.boards.outcome import BASE
from submissions.comparing.judged import Facts, GraphPair, Judged, size_order
from submissions.statistics import Estimate, Record, bootstrap_ratio, record, sign_test

Word = Literal["faster", "correct", "part", "wrong", "violation", "nothing"]
WORDS: tuple[Word, ...] = ("faster", "correct", "part", "wrong", "violation", "nothing")
By = Literal["dtype", "size", "operator"]
_MOST_GROUPS = 14


@dataclass(frozen=True)
class Tally:
    """One author on one task, or on those of its graphs that were asked for. `score` is None where there is none."""

    word: Word
    score: float | None
    graphs: int = 0
    correct: int = 0
    log_speedup: float = 0.0  # sum over the correct graphs whose speed was measured
    measured: int = 0

    @property
    def speedup(self) -> float | None:
        """Geometric mean over the correct graphs."""
        return math.exp(self.log_speedup / self.measured) if self.measured else None

    def value(self, *, timed: bool) -> float:
        """By which tasks are won: the score, where nothing counts 0.1; the share of correct graphs without speed."""
        if timed:
            return BASE if self.score is None else self.score
        return self.correct / self.graphs if self.graphs else 0.0


@dataclass(frozen=True)
class TaskPair:
    """Both on one task. `both_*`: over the graphs that are correct and were timed for both, first's minus second's."""

    place: int
    first: Tally
    second: Tally
    both_logs: float = 0.0
    both_measured: int = 0

    @property
    def tried(self) -> bool:
        """Whether one of them has a result here."""
        return self.first.word != "nothing" or self.second.word != "nothing"

    def winner(self, *, timed: bool) -> str:
        """ "a", "b", "tie"; empty where neither has a result."""
        if not self.tried:
            return ""
        one, other = self.first.value(timed=timed), self.second.value(timed=timed)
        if math.isclose(one, other, rel_tol=TIED):
            return "tie"
        return "a" if one > other else "b"


@dataclass(frozen=True)
class HeadToHead:
    """`p`: two-sided sign test over won tasks. Ratios are first / second, above 1 the first is better; None where there
    is nothing to compare. `correct`: difference of the shares of correct graphs; `scores`: AS of each."""

    record: Record
    p: float
    score_ratio: Estimate | None
    speed_ratio: Estimate | None
    correct: Estimate | None
    scores: tuple[float, float] | None
    right: tuple[int, int]  # correct graphs of each
    tasks: int
    graphs: int
    both_correct: int


@dataclass(frozen=True)
class Group:
    name: str
    head: HeadToHead


def tally(graphs: Sequence[Judged | None], *, violation: bool, timed: bool) -> Tally:
    """Adds up one side's graphs of a task: the task's AS is the geometric mean of its graphs' own."""
    judged = [one for one in graphs if one is not None]
    if not judged:
        return Tally("nothing", None, len(graphs))
    logs = [one.log_score for one in judged if one.log_score is not None]
    score = math.exp(math.fsum(logs) / len(logs)) if timed and len(logs) == len(judged) else None
    right = sum(one.correct for one in judged)
    speeds = [math.log(one.speedup) for one in judged if one.speedup is not None]
    word: Word = "wrong" if right == 0 else "part"
    if violation:
        word = "violation"
    elif right == len(judged):
        word = "faster" if score is not None and score > 1 + TIED else "correct"
    return Tally(word, score, len(judged), right, math.fsum(speeds), len(speeds))


def task_pairs(pairs: Iterable[GraphPair], violations: tuple[set[int], set[int]], *, timed: bool) -> list[TaskPair]:
    """Graphs put together by task. `violations`: places where what counts of a side is one."""
    by_place: dict[int, list[GraphPair]] = defaultdict(list)
    for one in pairs:
        by_place[one.place].append(one)
    found = []
    for place, own in sorted(by_place.items()):
        first = tally([one.first for one in own], violation=place in violations[0], timed=timed)
        second = tally([one.second for one in own], violation=place in violations[1], timed=timed)
        logs = [
            math.log(one.first.speedup / one.second.speedup)
            for one in own
            if one.first and one.second and one.first.speedup is not None and one.second.speedup is not None
        ]
        found.append(TaskPair(place, first, second, math.fsum(logs), len(logs)))
    return found


def reported_tally(score: float | None) -> Tally:
    """Of a score that its author reports, of which nothing else is known."""
    if score is None:
        return Tally("nothing", None)
    return Tally("faster" if score > 1 + TIED else "correct" if math.isclose(score, 1, rel_tol=TIED) else "part", score)


def head_to_head(pairs: Sequence[TaskPair], *, timed: bool) -> HeadToHead:
    """Over all tasks that are given; intervals resample tasks. One that neither has a result on decides nothing."""
    values = [(one.first.value(timed=timed), one.second.value(timed=timed)) for one in pairs if one.winner(timed=timed)]
    won = record(values, TIED)
    graphs = [float(max(one.first.graphs, one.second.graphs)) for one in pairs]
    score_ratio = speed_ratio = scores = None
    if timed and pairs:
        sides = [[math.log(side.value(timed=True)) for side in (one.first, one.second)] for one in pairs]
        first, second = (math.exp(math.fsum(logs) / len(logs)) for logs in zip(*sides, strict=True))
        scores = (first, second)
        score_ratio = bootstrap_ratio([one - other for one, other in sides], [1.0] * len(pairs), math.exp)
        measured = [float(one.both_measured) for one in pairs]
        speed_ratio = bootstrap_ratio([one.both_logs for one in pairs], measured, math.exp)
    differ = [float(one.first.correct - one.second.correct) for one in pairs]
    return HeadToHead(
        record=won,
        p=sign_test(won.wins, won.losses),
        score_ratio=score_ratio,
        speed_ratio=speed_ratio,
        correct=bootstrap_ratio(differ, graphs) if pairs else None,
        scores=scores,
        right=(sum(one.first.correct for one in pairs), sum(one.second.correct for one in pairs)),
        tasks=len(pairs),
        graphs=int(sum(graphs)),
        both_correct=sum(one.both_measured for one in pairs),
    )


def labels_of(facts: Facts, by: By) -> tuple[str, ...]:
    """The groups that a graph belongs to."""
    return facts.operators if by == "operator" else (facts.dtype if by == "dtype" else facts.size,)


def breakdown(
    pairs: Sequence[GraphPair], violations: tuple[set[int], set[int]], by: By, *, timed: bool, both: bool
) -> list[Group]:
    """The same figures over each group's graphs: the most frequent operators, dtypes, or sizes from small to large."""
    counts = Counter(label for one in pairs for label in labels_of(one.facts, by))
    names = [name for name, _ in counts.most_common(_MOST_GROUPS)]
    if by == "size":
        names.sort(key=size_order)
    found = []
    for name in names:
        own = [one for one in pairs if name in labels_of(one.facts, by)]
        kept = only_both(task_pairs(own, violations, timed=timed), both)
        found.append(Group(name, head_to_head(kept, timed=timed)))
    return found


def only_both(pairs: Sequence[TaskPair], both: bool) -> list[TaskPair]:
    """`both`: the tasks on which each side has a result, so that missing ones count nothing."""
    return [one for one in pairs if not both or (one.first.word != "nothing" and one.second.word != "nothing")]


def matrix(pairs: Iterable[TaskPair]) -> dict[tuple[Word, Word], int]:
    """How many tasks ended so for the first and so for the second."""
    return dict(Counter((one.first.word, one.second.word) for one in pairs))


def chosen(show: str, *, timed: bool) -> Callable[[TaskPair], bool]:
    """Which tasks `show` keeps: "disagree" (another outcome), "a", "b", "tie" (who won), "faster.part" (a cell of the
    matrix), "" all."""
    if show == "disagree":
        return lambda one: one.first.word != one.second.word
    if show in ("a", "b", "tie"):
        return lambda one: one.winner(timed=timed) == show
    if "." in show:
        first, _, second = show.partition(".")
        return lambda one: (one.first.word, one.second.word) == (first, second)
    return lambda one: True
