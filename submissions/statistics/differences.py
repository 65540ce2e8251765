"""Whether two differ: times of the same rounds, times of two runs, wins over tasks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from statistics import median
from typing import Literal

from submissions.statistics.intervals import RESAMPLES, Estimate, between, resamples

Word = Literal["first", "second", "same", "unclear"]
NARROW = 0.02  # an interval that contains 1 and reaches no further from it says that the two are the same


def paired_difference(
    first: Sequence[float], second: Sequence[float], seed: int = 0, times: int = RESAMPLES
) -> Estimate:
    """Ratio of medians `second / first` of times taken in the same rounds (above 1: the first is faster), with an
    interval that resamples whole rounds, so that what a round had in common stays out of it.

    The difference is real, at this confidence, where the interval leaves out 1. Raises ValueError for lists that are
    empty or of different length, or a time that is not positive.
    """
    _check(first, second)
    value = median(second) / median(first)
    if len(first) == 1:
        return Estimate(value, value, value)
    return between(value, _drawn(first, second, seed, times))


@dataclass(frozen=True)
class Rounds:
    """Times of eager and of a submission, taken in the same rounds of one session."""

    eager: tuple[float, ...]
    own: tuple[float, ...]


def difference_through_eager(
    first: Rounds, second: Rounds, seeds: tuple[int, int] = (0, 1), times: int = RESAMPLES
) -> Estimate:
    """Speed-up of the first by that of the second (above 1: the first is faster), each against eager in its own rounds.

    Two runs never share a round. Eager stands in both: within each run whole rounds are resampled, as pairs, and the
    two runs independently of each other, so that what differs between the sessions and slows both alike stays out.
    Raises ValueError as `paired_difference` does.
    """
    value = _speedup(first) / _speedup(second)
    one, other = (_speedups(rounds, seed, times) for rounds, seed in zip((first, second), seeds, strict=True))
    return between(value, [own / their for own, their in zip(one, other, strict=True)])


def _speedup(rounds: Rounds) -> float:
    _check(rounds.own, rounds.eager)
    return median(rounds.eager) / median(rounds.own)


@lru_cache(maxsize=256)
def _speedups(rounds: Rounds, seed: int, times: int) -> tuple[float, ...]:
    """Kept, since a run is compared with several others."""
    return tuple(_drawn(rounds.own, rounds.eager, seed, times))


def difference_of_estimates(first: Estimate, second: Estimate) -> Estimate:
    """The same where only the two speed-ups and their intervals are known: their logarithms are taken as normal and
    independent, so that half widths add as squares. Raises ValueError for what is not positive."""
    if min(first.low, second.low) <= 0:
        raise ValueError("a speed-up must be positive")
    value = first.value / second.value
    reach = math.hypot(*(math.log(one.high / one.low) / 2 for one in (first, second)))
    return Estimate(value, value * math.exp(-reach), value * math.exp(reach))


def word_of(difference: Estimate) -> Word:
    """Which of the two is faster; "same" where the interval holds 1 and little else, "unclear" where it is wide."""
    if difference.low > 1:
        return "first"
    if difference.high < 1:
        return "second"
    return "same" if max(difference.high - 1, 1 - difference.low) <= NARROW else "unclear"


def sign_test(wins: int, losses: int) -> float:
    """How likely it is, if both were equally good, that wins and losses are at least so uneven: exact, two-sided, ties
    left out. 1 where nothing was decided."""
    trials, more = wins + losses, max(wins, losses)
    tail = sum(math.comb(trials, count) for count in range(more, trials + 1))
    return min(1.0, float(2 * tail / 2**trials))  # whole numbers divide exactly, however many trials


def _check(first: Sequence[float], second: Sequence[float]) -> None:
    if not first or len(first) != len(second):
        raise ValueError(f"paired samples are needed, got {len(first)} and {len(second)}")
    if min(*first, *second) <= 0:
        raise ValueError("a time must be positive")


def _drawn(below: Sequence[float], above: Sequence[float], seed: int, times: int) -> list[float]:
    """`median(above) / median(below)` of each draw of whole rounds."""
    if len(below) == 1:
        return [above[0] / below[0]] * times
    found = []
    for places in resamples(len(below), times, seed):
        pick = itemgetter(*places)
        found.append(median(pick(above)) / median(pick(below)))
    return found
