"""Reviews as the API shows them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Schema

from evaluator.scoring import Failure, GraphScore, scores
from evaluator.verdicts import Integrity
from submissions.models import Run


class ReviewOut(Schema):
    reviewer: str
    before: str  # the verdict that stood until then
    verdict: str
    reason: str
    created_at: datetime


class CountsOut(Schema):
    """What counts for a run whose verdict was overturned."""

    run: UUID  # whose numbers these are: its own, or those of the run that scored the files again
    state: str
    correct: int | None  # null while that is not known
    total: int | None
    first_t: int | None
    aggregate_score: float | None  # where speed was measured


def what_counts(run: Run) -> dict[str, Any] | None:
    """The score that counts after the last review; None where the judge's word stands."""
    if not run.reviewed_verdict or run.reviewed_verdict == run.verdict:
        return None
    if run.reviewed_verdict == Integrity.VIOLATION:
        return {**_numbers(run), "correct": 0, "first_t": None, "aggregate_score": _of_violation(run)}
    again = Run.objects.filter(overturns=run).first()
    return _numbers(again or run)


def _numbers(run: Run) -> dict[str, Any]:
    score = (run.result or {}).get("aggregate_score")
    numbers = {"correct": run.correct, "total": run.total, "first_t": run.first_t, "aggregate_score": score}
    return {"run": run.pk, "state": run.state, **numbers}


def _of_violation(run: Run) -> float | None:
    """The aggregate score of a run whose graphs are all rejected; None where runs have none, as on a CPU."""
    if (run.result or {}).get("aggregate_score") is None or not run.total:
        return None
    found = scores([GraphScore(None, Failure.VIOLATION, None)] * run.total)
    return None if found is None else found[1]


def reviews_of(run: Run) -> list[dict[str, Any]]:
    """All reviews of a run, the newest last: its verdict is the one that stands."""
    return [
        {
            "reviewer": review.reviewer.name,
            "before": review.before,
            "verdict": review.verdict,
            "reason": review.reason,
            "created_at": review.created_at,
        }
        for review in run.reviews.select_related("reviewer")
    ]
