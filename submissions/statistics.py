"""Statistics of boards and comparisons, computed here once and alike. Pure Python: no Django, no torch, no NumPy.

Everything random has a seed, so that the same figures give the same interval. Intervals are of 95 % unless it is said.
"""

import math
import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from statistics import NormalDist, median
from typing import Any

from evaluator.scoring import geometric_mean

__all__ = [
    "Estimate",
    "Record",
    "bootstrap_ratio",
    "bradley_terry",
    "geometric_mean",
    "paired_difference",
    "percentile",
    "record",
    "resamples",
    "wilson",
]

RESAMPLES = 1000
CONFIDENCE = 0.95
_ROUNDS = 10_000  # of the iteration below; it converges in far fewer


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
    drawn.sort()
    tail = (1 - CONFIDENCE) / 2
    return Estimate(value, percentile(drawn, tail), percentile(drawn, 1 - tail))


def paired_difference(
    first: Sequence[float], second: Sequence[float], seed: int = 0, times: int = RESAMPLES
) -> Estimate:
    """Ratio of medians `second / first` of times taken in the same rounds (above 1: the first is faster), with an
    interval that resamples whole rounds, so that what a round had in common stays out of it.

    The difference is real, at this confidence, where the interval leaves out 1. Raises ValueError for lists that are
    empty or of different length, or a time that is not positive.
    """
    if not first or len(first) != len(second):
        raise ValueError(f"paired samples are needed, got {len(first)} and {len(second)}")
    if min(*first, *second) <= 0:
        raise ValueError("a time must be positive")
    value = median(second) / median(first)
    if len(first) == 1:
        return Estimate(value, value, value)
    drawn = []
    for places in resamples(len(first), times, seed):
        pick = itemgetter(*places)
        drawn.append(median(pick(second)) / median(pick(first)))
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


def bradley_terry(wins: Mapping[tuple[Hashable, Hashable], float], prior: float = 0.0) -> dict[Any, Estimate]:
    """Strength of each player as a natural logarithm; they sum to zero, and i beats j with the odds exp(sᵢ − sⱼ).

    `wins[i, j]` is how often i beat j; half a win each is a tie. `prior` adds so many wins each way between any two,
    which keeps those who never lost finite. Intervals are Wald's, from the observed information.

    Raises ValueError where the strengths do not exist: the players fall apart in two groups of which one never lost to
    the other (Ford's condition).
    """
    players = sorted({player for pair in wins for player in pair}, key=str)
    count = len(players)
    place = {player: at for at, player in enumerate(players)}
    table = [[prior if row != column else 0.0 for column in range(count)] for row in range(count)]
    for (winner, loser), number in wins.items():
        if winner == loser or number < 0:
            raise ValueError("somebody plays against themselves, or a number of wins is negative")
        table[place[winner]][place[loser]] += number
    if not _all_connected(table):
        raise ValueError("some players never lost to the others, or never met them: give a prior above 0")
    strength = _most_likely(table)
    spread = _standard_errors(table, strength)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    return {
        player: Estimate(strength[at], strength[at] - z * spread[at], strength[at] + z * spread[at])
        for player, at in place.items()
    }


def _all_connected(table: Sequence[Sequence[float]]) -> bool:
    """Whether every player is reached from every other along wins."""
    return all(
        len(_reached(table, backwards)) == len(table) for backwards in (False, True)
    )  # from the first one, and to it


def _reached(table: Sequence[Sequence[float]], backwards: bool) -> set[int]:
    seen: set[int] = set()
    waiting = [0] if table else []
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            others = range(len(table))
            waiting += [other for other in others if (table[other][here] if backwards else table[here][other]) > 0]
    return seen


def _most_likely(table: Sequence[Sequence[float]]) -> list[float]:
    """Zermelo's iteration as Newman writes it (2023), which converges much faster than the classical one."""
    count = len(table)
    odds = [1.0] * count
    for _ in range(_ROUNDS):
        moved = 0.0
        for i in range(count):
            others = [j for j in range(count) if j != i]
            above = math.fsum(table[i][j] * odds[j] / (odds[i] + odds[j]) for j in others)
            below = math.fsum(table[j][i] / (odds[i] + odds[j]) for j in others)
            new = above / below if others else 1.0
            moved = max(moved, abs(math.log(new / odds[i])))
            odds[i] = new
        middle = math.exp(math.fsum(map(math.log, odds)) / count) if count else 1.0
        odds = [value / middle for value in odds]
        if moved < 1e-12:
            break
    return [math.log(value) for value in odds]


def _standard_errors(table: Sequence[Sequence[float]], strength: Sequence[float]) -> list[float]:
    """Square roots of the diagonal of the information's pseudo-inverse, as the strengths sum to zero.

    Adding 1/n everywhere makes the matrix regular: its inverse is then the pseudo-inverse plus 1/n everywhere.
    """
    count = len(table)
    if count < 2:
        return [0.0] * count
    matrix = [[1 / count] * count for _ in range(count)]
    for i in range(count):
        for j in range(count):
            if i != j:
                win = 1 / (1 + math.exp(strength[j] - strength[i]))
                weight = (table[i][j] + table[j][i]) * win * (1 - win)
                matrix[i][i] += weight
                matrix[i][j] -= weight
    inverse = _inverse(matrix)
    return [math.sqrt(max(0.0, inverse[at][at] - 1 / count)) for at in range(count)]


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Gauss and Jordan, with the largest pivot of each column."""
    count = len(matrix)
    rows = [[*row, *(1.0 if at == place else 0.0 for at in range(count))] for place, row in enumerate(matrix)]
    for column in range(count):
        pivot = max(range(column, count), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [value / scale for value in rows[column]]
        for row in range(count):
            if row != column and (factor := rows[row][column]):
                rows[row] = [value - factor * own for value, own in zip(rows[row], rows[column], strict=True)]
    return [row[count:] for row in rows]
