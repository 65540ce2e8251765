"""A quiet processor to time on, by the host's clock.

On a shared host the same call takes half as long again for seconds, on one processor and not on the next. A yardstick
that is nobody's (a launch of torch's smallest kernel, and the wait for it) tells when and where: timing moves to where
it is short, and rounds during which it was long do not count. What is timed has no say in either.
"""

import os
import random
import statistics
from collections.abc import Callable, Sequence

import torch

from evaluator.measure import primitives

ROUNDS = 8  # between two looks at the yardstick
_LOOKS = 7
_QUIET = 1.15  # times the shortest yardstick: longer, and the host is not quiet


class QuietHost:
    """Moves the calling thread from processor to processor; `leave` gives it all of them back."""

    def __init__(self, device: torch.device, rng: random.Random) -> None:
        self._tiny = torch.zeros(1, device=device)
        self._rng = rng
        self._all = sorted(os.sched_getaffinity(0))
        self._now: int | None = None

    def settle(self) -> float:
        """Look at where we are and at one other processor, go to the quieter one; the yardstick there, in µs."""
        other = self._rng.choice(self._all)
        if self._now is None:
            self._now = other
        here, there = self._yardstick(self._now), self._yardstick(other)
        if there < here:
            self._now = other
        os.sched_setaffinity(0, {self._now})
        return min(here, there)

    def leave(self) -> None:
        os.sched_setaffinity(0, self._all)

    def _yardstick(self, processor: int) -> float:
        os.sched_setaffinity(0, {processor})
        return statistics.median(self._look() for _ in range(_LOOKS))

    def _look(self) -> float:
        start = primitives.clock()
        self._tiny.add_(1)
        primitives.synchronize()
        return (primitives.clock() - start) / 1e3


def quiet(yardsticks: Sequence[float], least: int) -> list[int]:
    """Rounds (given the yardstick of each) that count: those on a quiet host; and never fewer than the `least`."""
    if not yardsticks:
        return []
    limit = _QUIET * min(yardsticks)
    if sum(one <= limit for one in yardsticks) < least:
        limit = sorted(yardsticks)[min(least, len(yardsticks)) - 1]
    return [at for at, one in enumerate(yardsticks) if one <= limit]


def always() -> float:
    """The yardstick of a host whose noise is not looked at."""
    return 1.0


Settle = Callable[[], float]
