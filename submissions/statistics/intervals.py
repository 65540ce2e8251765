"""Estimates with intervals: shares, means over tasks, ratios of times."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from statistics import NormalDist

RESAMPLES = 1000
CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Estimate:
    """A value with its interval. `low` ≤ `high`; the value of a bootstrap may lie outside where samples are few."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Record:
    """Wins and losses of one side. A tie is half a win: `share` is over all three, None where there were none."""

    wins: int
    losses: int
    ties: int
    share: Estimate | None


def percentile(ascending: Sequence[float], share: float) -> float:
    """Linear between the two nearest ranks. Raises ValueError where there are no values."""
    if not ascending:
        raise ValueError("no values")
    place = (len(ascending) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (ascending[above] - ascending[below]) * (place - below)


@lru_cache(maxsize=16)
def resamples(count: int, times: int = RESAMPLES, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """`times` draws of `count` places out of `count`, with replacement: everybody on a board gets the same ones."""
    draw = random.Random(seed)
    places = range(count)
    return tuple(tuple(draw.choices(places, k=count)) for _ in range(times))


def bootstrap_ratio(
    numerators: Sequence[float],
    denominators: Sequence[float],
    then: Callable[[float], float] = lambda ratio: ratio,
    seed: int = 0,
    times: int = RESAMPLES,
) -> Estimate | None:
    """`then(Σ numerators / Σ denominators)` over units (tasks), with a percentile bootstrap that resamples whole units.

    A mean has denominators of one, a share of graphs their number in each task, a geometric mean logarithms and
    `then=math.exp`. None where the denominators come to nothing. Draws in which they do are left out.
    """
    if len(numerators) != len(denominators):
        raise ValueError(f"as many numerators as denominators are needed, got {len(numerators)}, {len(denominators)}")
    whole = math.fsum(denominators)
    if whole == 0:
        return None
    value = then(math.fsum(numerators) / whole)
    if len(numerators) == 1:
        return Estimate(value, value, value)
    drawn = []
    for places in resamples(len(numerators), times, seed):
        pick = itemgetter(*places)
        below = sum(pick(denominators))
        if below:
            drawn.append(then(sum(pick(numerators)) / below))
    return between(value, drawn)


def between(value: float, drawn: list[float]) -> Estimate:
    """The value with the middle 95 % of what was drawn."""
    drawn.sort()
    tail = (1 - CONFIDENCE) / 2
    return Estimate(value, percentile(drawn, tail), percentile(drawn, 1 - tail))


def wilson(successes: float, trials: int, confidence: float = CONFIDENCE) -> Estimate:
    """A share with Wilson's score interval. Raises ValueError unless 0 ≤ successes ≤ trials and there are trials."""
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no share")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    high = 1.0 if successes == trials else min(1.0, middle + reach)
    return Estimate(share, low, high)


def record(pairs: Iterable[tuple[float, float]], tolerance: float = 0.0) -> Record:
    """How often the first of each pair is greater. Within a relative `tolerance` of the greater it is a tie."""
    wins = losses = ties = 0
    for one, other in pairs:
        if abs(one - other) <= tolerance * max(abs(one), abs(other)):
            ties += 1
        elif one > other:
            wins += 1
        else:
            losses += 1
    trials = wins + losses + ties
    return Record(wins, losses, ties, wilson(wins + ties / 2, trials) if trials else None)
