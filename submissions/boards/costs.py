"""What the results of a board have cost, where an attempt of a model made them."""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from uuid import UUID

from submissions.boards.board import Board, Row
from submissions.spending import Spent, Trajectory, trajectories


def board_trajectories(board: Board) -> Mapping[str, Trajectory]:
    """Run → the attempt that made it, of the runs that count on the board."""
    runs = [UUID(one.run) for row in board.rows for one in row.outcomes if one is not None and one.run]
    return {str(run): path for run, path in trajectories(runs).items()} if runs else {}


def spent_of(row: Row, paths: Mapping[str, Trajectory]) -> Spent | None:
    """All that the attempts behind a row's results took, each once, since a task's result is one run's; None where no
    attempt made any of them."""
    own = [paths[one.run].spent for one in row.outcomes if one is not None and one.run in paths]
    if not own:
        return None
    cost: dict[str, Decimal] = defaultdict(Decimal)
    for one in own:
        for currency, amount in one.cost.items():
            cost[currency] += amount
    return Spent(
        sum(one.steps for one in own), sum(one.tokens for one in own), dict(cost), any(one.unpriced for one in own)
    )
