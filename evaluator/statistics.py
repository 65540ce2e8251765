"""Statistics of paired timings: medians, ratios with an interval, and the word that follows from them.

All numbers a page, a board or a score shows about speed come from here, so that they are computed once and alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

SpeedWord = Literal["faster", "slower", "same", "inconclusive"]

#: Resamples of the bootstrap: the interval's own noise is then under a tenth of its width.
RESAMPLES = 500
#: While rounds go on, to see whether they may stop: good enough for that.
FEW_RESAMPLES = 100


@dataclass(frozen=True)
class Ratio:
    """Speed-up `baseline / candidate` of medians (above 1: the candidate is faster) with its 95 % interval."""

    value: float
    low: float
    high: float
    rounds: int

    @property
    def half_width(self) -> float:
        """Half of the interval's width relative to the value: 0.02 is the ±2 % that a measurement asks for."""
        return (self.high - self.low) / (2 * self.value)


def ratio_of_medians(
    baseline: Sequence[float], candidate: Sequence[float], seed: int = 0, resamples: int = RESAMPLES
) -> Ratio:
    """Ratio of medians of paired samples, with a percentile bootstrap over rounds.

    `baseline[i]` and `candidate[i]` were taken in the same round, in random order; resampling whole rounds keeps what
    a round had in common (clock, temperature, a busy host) out of the interval.

    Raises ValueError when the lists are empty or of different length, or a time is not positive.
    """
    if not baseline or len(baseline) != len(candidate):
        raise ValueError(f"paired samples needed, got {len(baseline)} and {len(candidate)}")
    a, b = np.asarray(baseline, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    if min(a.min(), b.min()) <= 0:
        raise ValueError("a time must be positive")
    rows = np.random.default_rng(seed).integers(0, len(a), size=(resamples, len(a)))
    ratios = _medians(a[rows]) / _medians(b[rows])
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Ratio(float(np.median(a) / np.median(b)), float(low), float(high), len(a))


def _medians(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row: `np.median`, which spends half of its time on NaN."""
    middle = rows.shape[1] // 2
    if rows.shape[1] % 2:
        return np.partition(rows, middle, axis=1)[:, middle]
    both = np.partition(rows, (middle - 1, middle), axis=1)
    return (both[:, middle - 1] + both[:, middle]) / 2


def speed_word(ratio: Ratio, asked_half_width: float = 0.02) -> SpeedWord:
    """`faster` or `slower` when the interval excludes 1; else `same`, or `inconclusive` when it is too wide to say."""
    if ratio.low > 1:
        return "faster"
    if ratio.high < 1:
        return "slower"
    return "same" if ratio.half_width <= asked_half_width else "inconclusive"
