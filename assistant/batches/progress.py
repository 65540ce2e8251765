"""How far a batch is, in numbers."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from assistant.models import Batch, BatchItem
from evaluator.scoring import board_score


@dataclass(frozen=True)
class Progress:
    """`score` is the board score over the tasks that are done, None where speed is not measured. A task of them
    without a score counts as a failure, as on a board."""

    total: int
    waiting: int
    running: int
    done: int
    left_out: int
    solved: int  # tasks all of whose graphs are correct
    score: float | None


def progress_of(batch: Batch) -> Progress:
    """Counted now."""
    rows = list(batch.items.values_list("state", "best"))
    states = Counter(state for state, _ in rows)
    done: list[dict[str, Any]] = [best or {} for state, best in rows if state == BatchItem.State.DONE]
    scores: list[float | None] = [best.get("score") for best in done]
    return Progress(
        total=len(rows),
        waiting=states[BatchItem.State.WAITING],
        running=states[BatchItem.State.RUNNING],
        done=len(done),
        left_out=states[BatchItem.State.LEFT_OUT],
        solved=sum(bool(best) and best["total"] > 0 and best["correct"] == best["total"] for best in done),
        score=board_score(scores) if any(score is not None for score in scores) else None,
    )
