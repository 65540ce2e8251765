"""Judging again on the spot, and imports that were not judged yet: those behind people, a few at a time."""

from collections.abc import Sequence

from django.db import transaction

from graphs.refused import Refused
from submissions.access import is_reviewer, require_reviewer
from submissions.actions.run_folders import may_import_for
from submissions.actions.runs import do_request_run
from submissions.audit import note
from submissions.devices import device_names
from submissions.models import Author, Lane, ReviewItem, Run, Submission


@transaction.atomic
def do_run_again(actor: Author, item: ReviewItem, device: str) -> Run:
    """A new run of an item's files, for their author; its result belongs to the item. Raises Refused."""
    require_reviewer(actor)
    if item.task is None:
        message = "The graphs of this task are not here. Import them, then run it again."
        raise Refused(409, "no_graphs", message)
    if item.run is not None:
        files = item.run.revision.files
    else:
        files = item.submission.files if item.submission is not None else {}
    run = do_request_run(item.author, item.task, files, device, Lane.REVIEW)
    item.rerun = run
    item.save(update_fields=["rerun"])
    note(actor, "review_rerun", f"review item {item.pk}", run=str(run.pk), device=device)
    return run


def do_want_evaluations(actor: Author | None, submissions: Sequence[Submission], device: str) -> int:
    """Asks for evaluations of these imports, behind people; returns how many were not asked for before. Those whose
    graphs are not here wait until these arrive. `actor` None is the operator's command. Raises Refused."""
    if device not in device_names():
        known = ", ".join(device_names()) or "none is configured (WORKER_DEVICES)"
        raise Refused(400, "unknown_device", f"There is no device class {device[:60]!r} here. Choose one of: {known}.")
    if actor is not None and not is_reviewer(actor):
        strange = next((one for one in submissions if not may_import_for(actor, one.author)), None)
        if strange is not None:
            message = f"You did not bring the work of {strange.author.name} in: you may look at it, not queue it."
            raise Refused(403, "not_yours", message)
    wanted = 0
    for start in range(0, len(submissions), 500):
        part = [one.pk for one in submissions[start : start + 500]]
        rows = Submission.objects.filter(pk__in=part, problem="", wanted_on="")
        wanted += rows.exclude(revision__runs__device=device).update(wanted_on=device)
    note(actor, "evaluations_wanted", f"{wanted} submissions", device=device)
    return wanted
