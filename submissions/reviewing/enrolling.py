"""Failed submissions enter the review queue when their run ends or their folder is imported."""

import logging
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from evaluator.verdicts import RunState
from graphs.models import Task
from submissions.models import ReviewItem, Run, RunEvent, Submission
from submissions.reviewing.causes import Cause, cause_of, cause_of_import, failing_graph, lost_cause
from submissions.safe_json import safe_text

log = logging.getLogger(__name__)

_TOLD_BY = ("matched", "correctness", "kernels")
_BATCH = 500


def enrol_ended(run_id: str) -> None:
    """`enrol_run` for a run that has just ended. What goes wrong with the cause never touches the run: it is
    logged, and `manage.py fill_reviews` tries again."""
    try:
        enrol_run(Run.objects.select_related("task", "revision").get(pk=run_id))
    except Exception:
        log.exception("the cause of run %s could not be told; `manage.py fill_reviews` tries again", run_id)


@transaction.atomic
def enrol_run(run: Run) -> ReviewItem | None:
    """The item of a run that has ended; None where there is nothing to review. The same run has one item only.

    A run that somebody asked for on an item's page belongs to that item. An imported submission that waited undecided
    becomes the item of its first run.
    """
    if hasattr(run, "baseline_run") or ReviewItem.objects.filter(rerun=run).exists():
        return None
    cause = _cause_of_run(run)
    waiting = ReviewItem.objects.filter(run=None, decision="", submission__revision=run.revision_id).first()
    if waiting is None and run.state == RunState.DONE:
        # The run may end before its submission is told which revision it became.
        waiting = ReviewItem.objects.filter(
            run=None, decision="", author=run.author_id, task=run.task_id, submission__hash=run.revision.hash
        ).first()
    if cause is None:
        if waiting is not None and not _touched(waiting):
            waiting.delete()
        return None
    values = {
        **_values(cause),
        "author_id": run.author_id,
        "task": run.task,
        "task_name": run.task.title[:200],
        "device": run.device,
        "at": run.finished_at or run.created_at,
    }
    if waiting is not None:
        ReviewItem.objects.filter(pk=waiting.pk).update(run=run, **values)
        return ReviewItem.objects.get(pk=waiting.pk)
    return ReviewItem.objects.update_or_create(run=run, defaults=values)[0]


def enrol_submissions(submissions: Iterable[Submission]) -> int:
    """Items of imported submissions that can not be evaluated, or in which the static check found something; returns
    how many are new. They need `author_id`, `task`, `problem`, `findings`."""
    items = []
    for one in submissions:
        cause = cause_of_import(one.problem, one.findings or ())
        if cause is None:
            continue
        title = one.task.title if isinstance(one.task, Task) else one.task_name
        item = ReviewItem(submission=one, author_id=one.author_id, task=one.task, task_name=safe_text(title)[:200])
        for name, value in {**_values(cause), "at": one.imported_at}.items():
            setattr(item, name, value)
        items.append(item)
    before = ReviewItem.objects.count()
    ReviewItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=_BATCH)
    return ReviewItem.objects.count() - before


def runs_without_item() -> Any:
    """Ended runs that were never looked at. Those with nothing to review stay among them."""
    ended = (RunState.DONE.value, RunState.INFRASTRUCTURE_ERROR.value)
    return Run.objects.filter(state__in=ended, baseline_run=None, review_item=None, rerun_for=None)


def _cause_of_run(run: Run) -> Cause | None:
    if run.state == RunState.INFRASTRUCTURE_ERROR:
        return lost_cause(run.message)
    if run.state != RunState.DONE or not isinstance(run.result, dict) or not run.result.get("graphs"):
        return None
    name = failing_graph(run.result)
    events: list[tuple[str, dict[str, Any]]] = []
    if name is not None:
        rows = RunEvent.objects.filter(run=run, kind__in=_TOLD_BY).order_by("seq").values_list("kind", "payload")
        events = [(kind, payload) for kind, payload in rows if payload.get("graph") == name]
    operators = [str(one.get("label")) for one in run.task.operators]
    verdict = run.reviewed_verdict or run.verdict
    return cause_of(run.result, verdict, operators, events, timed=run.device != "cpu")


def _values(cause: Cause) -> dict[str, Any]:
    return {
        "group": cause.group,
        "kind": safe_text(cause.kind),
        "text": safe_text(cause.text),
        "signature": cause.signature,
        "graph": safe_text(cause.graph)[:300],
        "failed": cause.failed,
        "total": cause.total,
    }


def _touched(item: ReviewItem) -> bool:
    """Whether somebody has already worked on it."""
    return bool(item.note or item.assignee_id) or item.labels.exists() or item.comments.exists()
