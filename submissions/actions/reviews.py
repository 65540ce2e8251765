"""Overturning a verdict. The judge's own word is never changed: a review is a row beside it."""

from django.db import transaction

from evaluator.verdicts import Integrity, RejectReason, RunState
from graphs.refused import Refused
from submissions.actions.runs import do_dispatch
from submissions.audit import note
from submissions.events import append_events, state_event
from submissions.models import Author, Lane, Run, RunReview
from submissions.safe_json import safe_text
from submissions.summary import rejection

SCORED_AGAIN = "A reviewer has overturned the violation: the same files are scored, whatever is found in them."
SHORTEST_REASON, LONGEST_REASON = 10, 4000


@transaction.atomic
def do_review_run(reviewer: Author, run: Run, verdict: Integrity, reason: str) -> RunReview:
    """Puts a reviewer's verdict beside the judge's. Raises Refused when there is nothing to overturn or no reason."""
    reason = safe_text(reason.strip())
    if not SHORTEST_REASON <= len(reason) <= LONGEST_REASON:
        message = (
            f"Say why, in {SHORTEST_REASON} to {LONGEST_REASON:,} characters: the author and other reviewers read it."
        )
        raise Refused(400, "no_reason", message)
    judged = Run.objects.select_for_update().get(pk=run.pk)
    if judged.state != RunState.DONE or not judged.verdict:
        raise Refused(409, "not_judged", "This run has no verdict: it is not done. Only a judged run can be reviewed.")
    before = judged.reviewed_verdict or judged.verdict
    if before == verdict:
        raise Refused(409, "same_verdict", f"The verdict that stands is {before} already.")
    Run.objects.filter(pk=run.pk).update(reviewed_verdict=verdict.value)
    if (
        not Run.objects.filter(overturns=judged).update(reviewed_verdict=verdict.value)
        and verdict != Integrity.VIOLATION
    ):
        _score_again(judged, verdict)
    note(reviewer, "run_reviewed", run.pk, before=before, verdict=verdict.value, reason=reason)
    return RunReview.objects.create(run=run, reviewer=reviewer, before=before, verdict=verdict.value, reason=reason)


def _score_again(judged: Run, verdict: Integrity) -> None:
    """Queue a run that scores the files of one whose graphs a violation has rejected; nothing where they were scored.

    The rejected run keeps its result: both verdicts stand, each with what it means for the score.
    """
    if rejection(judged.result or {}) != RejectReason.VIOLATION:
        return
    again = Run.objects.create(
        revision=judged.revision,
        task=judged.task,
        author=judged.author,
        device=judged.device,
        lane=Lane.REVIEW,
        state=RunState.QUEUED,
        graphs=judged.graphs,
        overturns=judged,
        reviewed_verdict=verdict.value,
        message=SCORED_AGAIN,
    )
    append_events(again.pk, [state_event(RunState.QUEUED, SCORED_AGAIN)])
    transaction.on_commit(lambda: do_dispatch(str(again.pk), again.device))
