"""The best finished run of each task on each device class."""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from evaluator.verdicts import Integrity, RunState
from submissions.access import is_reviewer
from submissions.models import Author, Run


def best_runs(task_ids: Iterable[int], reader: Author | None) -> dict[int, list[dict[str, Any]]]:
    """Task id → one entry a device class: most graphs correct, then the smallest worst first t, then the earliest.

    Devices are never mixed; runs without a result or with a violation never count, where a reviewer's verdict goes
    before the judge's, and runs that were measured elsewhere; an unknown first t sorts last. `run` is null for whoever
    may not look into that run.
    """
    order = [F("correct").desc(), F("first_t").asc(nulls_last=True), F("finished_at").asc()]
    ranked = (
        Run.objects.filter(task_id__in=list(task_ids), state=RunState.DONE, correct__isnull=False, imported=None)
        .exclude(reviewed_verdict=Integrity.VIOLATION)
        .exclude(reviewed_verdict="", verdict=Integrity.VIOLATION)
        .annotate(rank=Window(RowNumber(), partition_by=[F("task_id"), F("device")], order_by=order))
        .filter(rank=1)
        .order_by("device")
    )
    own = reader.pk if reader else None
    sees_all = reader is not None and is_reviewer(reader)
    found: dict[int, list[dict[str, Any]]] = {}
    for run in ranked.defer("result"):
        shown: dict[str, Any] = {
            "device": run.device,
            "correct": run.correct,
            "total": run.total,
            "first_t": run.first_t,
        }
        visible = run.pk if sees_all or run.author_id == own else None
        shown |= {"verdict": run.reviewed_verdict or run.verdict, "run": visible}
        found.setdefault(run.task_id, []).append(shown)
    return found
