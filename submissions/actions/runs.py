"""The author's side of a run: ask for one, cancel it. Also the queue's side: send it on, say why it waits.

Every change of state writes a `state` event in the same transaction, so that a run's state and its log agree.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from evaluator.verdicts import RunState
from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.revisions import do_hand_in
from submissions.devices import device_names
from submissions.dispatch import send_run
from submissions.events import append_events, state_event
from submissions.models import OPEN_STATES, Author, Lane, Run

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
CANCELLED = "Cancelled by its author."
RETRY_RUNS = 10  # seconds: about what a run takes


def do_request_run(
    author: Author, task: Task, files: Mapping[str, str], device: str, lane: Lane = Lane.INTERACTIVE
) -> Run:
    """Hands the files in and queues a run of them. Raises Refused. How many may wait in the lane of programs is for
    whoever fills it to say: `submissions.background`."""
    if device not in device_names():
        known = ", ".join(device_names()) or "none is configured (WORKER_DEVICES)"
        raise Refused(400, "unknown_device", f"There is no device class {device[:60]!r} here. Choose one of: {known}.")
    with transaction.atomic():
        revision = do_hand_in(author, task, files)
        waiting = Run.objects.filter(author=author, state__in=OPEN_STATES, lane=Lane.INTERACTIVE).count()
        if lane is Lane.INTERACTIVE and waiting >= settings.MAX_ACTIVE_RUNS:
            message = f"{waiting} runs are queued or running, which is the limit. Wait for one or cancel one."
            raise Refused(429, "too_many_runs", message, retry_after=RETRY_RUNS)
        run = Run.objects.create(
            revision=revision,
            task=task,
            author=author,
            device=device,
            lane=lane,
            state=RunState.QUEUED,
            graphs=[list(pair) for pair in task.entries.values_list("name", "graph__identity")],
        )
        append_events(run.pk, [state_event(RunState.QUEUED)])
        transaction.on_commit(lambda: do_dispatch(str(run.pk), device))
    return run


def do_note(run: Run, message: str) -> None:
    """Tells the author why a queued run is still waiting; says each thing once."""
    with transaction.atomic():
        waiting = Run.objects.filter(pk=run.pk, state=RunState.QUEUED).exclude(message=message)
        if waiting.update(message=message) == 1:
            append_events(run.pk, [state_event(RunState.QUEUED, message)])


def do_cancel_run(run: Run) -> RunState:
    """Cancels a run at any stage and returns the state it has now.

    A queued run ends at once. One that a worker holds is marked; the worker sees the mark within a second, closes the
    daemon's connection, which kills judge and runner, and ends it. A run that has ended stays as it is.
    """
    with transaction.atomic():
        now_row = Run.objects.select_for_update().get(pk=run.pk)
        state = RunState(now_row.state)
        if state is RunState.QUEUED:
            state = RunState.CANCELLED
            changes = {"state": state, "message": CANCELLED, "finished_at": timezone.now()}
            Run.objects.filter(pk=run.pk).update(cancel_requested=True, **changes)
            append_events(run.pk, [state_event(state, CANCELLED)])
        elif not state.is_final:
            Run.objects.filter(pk=run.pk).update(cancel_requested=True)
    return state


def do_dispatch(run_id: str, device: str) -> None:
    """Sends the message that wakes a worker for a queued run, and notes when; `NEVER` lets the caretaker try soon."""
    sent = send_run(run_id, device)
    Run.objects.filter(pk=run_id).update(attended_at=timezone.now() if sent else NEVER)
