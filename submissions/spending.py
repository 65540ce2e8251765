"""What results have cost, told by whoever knows it.

Rooms above this one pay for models; they register here what they know, so that boards and comparisons can show it
without knowing them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True)
class Spent:
    """`cost` by currency, of what has a price; `unpriced`: tokens were used of which no price is known."""

    steps: int
    tokens: int
    cost: Mapping[str, Decimal]
    unpriced: bool = False


@dataclass(frozen=True)
class Trajectory:
    """The attempt that made a run: the run was its `step`-th; `spent` is all of it, before and after."""

    step: int
    exit_reason: str
    spent: Spent


class Ledger(Protocol):
    """Leaves out what it knows nothing of."""

    def trajectories(self, runs: Collection[UUID]) -> Mapping[UUID, Trajectory]: ...


class _Nothing:
    def trajectories(self, runs: Collection[UUID]) -> Mapping[UUID, Trajectory]:
        return {}


_ledgers: list[Ledger] = [_Nothing()]


def keep_ledger(ledger: Ledger) -> None:
    """From now on this one is asked. Called once, when the room that keeps it is ready."""
    _ledgers[:] = [ledger]


def trajectories(runs: Collection[UUID]) -> Mapping[UUID, Trajectory]:
    """Run → the attempt that made it."""
    return _ledgers[0].trajectories(runs)


def cost_words(spent: Spent) -> str:
    """ "0.42 USD", "0.42 USD + ?" where a price is missing, "–" where nothing was spent."""
    sums = [f"{amount:.2f} {currency}" for currency, amount in sorted(spent.cost.items())]
    return " + ".join([*sums, *(["?"] if spent.unpriced else [])]) or "–"
