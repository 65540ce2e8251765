"""Rounds: baseline and candidates timed in turn until the ratio is known well enough, or the time is up."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluator.measure.quiet_host import ROUNDS, Settle, always, quiet
from evaluator.measure.timers import Timer
from evaluator.statistics import FEW_RESAMPLES, RESAMPLES, Ratio, ratio_of_medians


@dataclass(frozen=True)
class Precision:
    """When to stop. Half width is relative (0.02 = ±2 %), the budget is seconds for one method."""

    half_width: float = 0.02
    min_rounds: int = 10
    max_rounds: int = 300
    budget_seconds: float = 1.0


#: By entry and method. The scored one may take the most rounds; `graph` is so steady that it can be asked for more.
PRECISION = {
    "direct e2e": Precision(min_rounds=20, budget_seconds=0.15),
    "direct graph": Precision(half_width=0.005, min_rounds=32, max_rounds=64, budget_seconds=0.3),
    "direct gpu": Precision(max_rounds=16, budget_seconds=0.1),
    "compiled e2e": Precision(max_rounds=24, budget_seconds=0.1),
}


@dataclass(frozen=True)
class Timing:
    """What one method measured: samples in µs per participant, one a round, in the same order for all."""

    method: str
    samples: dict[str, list[float]]
    baseline: str = "eager"
    asked: float = Precision.half_width

    @cached_property
    def ratios(self) -> dict[str, Ratio]:
        """Baseline / participant. Computed when asked for: a runner sends samples, and the judge does this itself."""
        return _ratios(self.samples, self.baseline, RESAMPLES) if self.baseline in self.samples else {}

    @property
    def conclusive(self) -> bool:
        """Whether every interval is as narrow as asked for."""
        return bool(self.ratios) and all(ratio.half_width <= self.asked for ratio in self.ratios.values())


def time_in_rounds(
    timer: Timer,
    names: Sequence[str],
    precision: Precision,
    *,
    refill: Callable[[int], None],
    rng: random.Random,
    after: Callable[[int, str], None] = lambda *_: None,
    baseline: str = "eager",
    clock: Callable[[], float] = time.monotonic,
    settle: Settle = always,
) -> Timing:
    """Call every participant once a round, in an order drawn anew for each, after `refill(round)` gave fresh inputs.

    Interleaving makes drift (clock, temperature, a busy host) hit all alike; a random order leaves no place that is
    always first. `after(round, name)` may look at what was just timed. Stops when every ratio's 95 % interval is
    narrower than asked, after `max_rounds` or when the budget is spent, whichever comes first, but never before
    `min_rounds`: the result is then inconclusive, not an abort.

    `settle` is called every few rounds, looks for a quiet processor and says how quiet it is there, see `quiet_host`:
    rounds on a host that was not quiet do not count.
    """
    samples: dict[str, list[float]] = {name: [] for name in names}
    yardsticks: list[float] = []
    deadline = clock() + precision.budget_seconds
    rounds, check_at, known = 0, precision.min_rounds, False
    while rounds < precision.max_rounds and (rounds < precision.min_rounds or (not known and clock() < deadline)):
        yardsticks.append(yardsticks[-1] if rounds % ROUNDS else settle())
        refill(rounds)
        for name in rng.sample(list(names), len(names)):
            samples[name].append(timer.sample(name))
            after(rounds, name)
        rounds += 1
        if rounds >= check_at:
            ratios = _ratios(_quiet(samples, yardsticks, precision), baseline, FEW_RESAMPLES)
            known = all(ratio.half_width <= precision.half_width for ratio in ratios.values())
            # The interval shrinks with the root of the rounds: looking at every round would cost more than it saves.
            check_at = max(rounds + 5, int(rounds * 1.5))
    return Timing(timer.method, _quiet(samples, yardsticks, precision), baseline, precision.half_width)


def _quiet(
    samples: dict[str, list[float]], yardsticks: Sequence[float], precision: Precision
) -> dict[str, list[float]]:
    kept = quiet(yardsticks, precision.min_rounds)
    return {name: [times[at] for at in kept] for name, times in samples.items()}


def _ratios(samples: dict[str, list[float]], baseline: str, resamples: int) -> dict[str, Ratio]:
    return {
        name: ratio_of_medians(samples[baseline], times, resamples=resamples)
        for name, times in samples.items()
        if name != baseline
    }
