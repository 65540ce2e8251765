"""Which evaluation of an attempt is the better one. All of them were judged on one device class."""

from collections.abc import Mapping
from typing import Any

from evaluator.verdicts import Integrity, RunState
from submissions.models import Run

Evaluation = Mapping[str, Any]


def evaluation_of(run: Run, step: int) -> dict[str, Any]:
    """A finished run in a few values, for the attempt's curve."""
    result = run.result or {}
    return {
        "step": step,
        "run": str(run.pk),
        "state": run.state,
        "verdict": run.verdict,
        "correct": run.correct or 0,
        "total": run.total or 0,
        "first_t": run.first_t,
        "score": result.get("aggregate_score"),
    }


def is_better(one: Evaluation, other: Evaluation | None) -> bool:
    """Whether `one` is better than the best so far. One with a violation, or that was not judged, is never best."""
    if one["state"] != RunState.DONE or one["verdict"] == Integrity.VIOLATION:
        return False
    return other is None or _rank(one) > _rank(other)


def _rank(one: Evaluation) -> tuple[float, int, float]:
    """By score where speed was measured, then by correct graphs, then by how exact the worst of them is."""
    score = float("-inf") if one["score"] is None else float(one["score"])
    exact = float("-inf") if one["first_t"] is None else -float(one["first_t"])
    return (score, int(one["correct"]), exact)
