"""What repeated evaluation brings: an author's curve on a task, in a few numbers. Plain Python."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.verdicts import Integrity


@dataclass(frozen=True)
class Point:
    """One evaluation. `score` is the aggregate score, None where speed was not measured."""

    correct: int
    total: int
    score: float | None
    verdict: str

    @property
    def passes(self) -> bool:
        """Every graph is correct, and no rule is broken."""
        return self.total > 0 and self.correct == self.total and self.verdict != Integrity.VIOLATION

    @property
    def value(self) -> float:
        """What the curve shows: the score; the share of correct graphs where there is none. 0 with a violation."""
        if self.verdict == Integrity.VIOLATION:
            return 0.0
        return self.score if self.score is not None else self.correct / self.total if self.total else 0.0


@dataclass(frozen=True)
class Curve:
    """`reached` is the first evaluation's share of the best one's value, None where the best is 0. `best_so_far` never
    falls. `wavered`: it passed, failed, and passed again."""

    values: tuple[float, ...]
    best_so_far: tuple[float, ...]
    first: float
    best: float
    best_at: int  # counted from 1
    reached: float | None
    passed: bool
    wavered: bool


def curve(points: Sequence[Point]) -> Curve:
    """The curve of evaluations in their order. Raises ValueError without any."""
    if not points:
        raise ValueError("a curve needs an evaluation")
    values = tuple(point.value for point in points)
    best_so_far = tuple(max(values[: at + 1]) for at in range(len(values)))
    best = best_so_far[-1]
    passes = [point.passes for point in points]
    return Curve(
        values, best_so_far, values[0], best, values.index(best) + 1, values[0] / best if best else None,
        any(passes), _wavers(passes),
    )  # fmt: skip


def share_wavering(curves: Sequence[Curve]) -> float | None:
    """Of those that ever passed, the share that passed, failed, and passed again; None where none did."""
    passed = [one for one in curves if one.passed]
    return sum(one.wavered for one in passed) / len(passed) if passed else None


def share_reached(curves: Sequence[Curve]) -> float | None:
    """Mean of what the first evaluation reached of the best, over what was evaluated more than once: the only
    evaluation is the best one. None where there is nothing to compare."""
    known = [one.reached for one in curves if one.reached is not None and len(one.values) > 1]
    return sum(known) / len(known) if known else None


def _wavers(passes: Sequence[bool]) -> bool:
    seen = 0  # 1: passed, 2: and failed after that
    for one in passes:
        if one and seen == 2:
            return True
        if one or seen:
            seen = 1 if one else 2
    return False
