"""The worker's side of a run: claim it, write to it, end it, or lose it.

Only the holder of a claim may write to a running run. Its token is compared in the same UPDATE that changes the row:
a worker that was taken for lost and comes back finds that its writes are refused (StaleToken).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluator.verdicts import RunState
from submissions.actions.runs import CANCELLED, do_dispatch
from submissions.audit import note
from submissions.events import Event, StaleToken, append_events, state_event
from submissions.models import LIVE_STATES, Author, Lease, Run, Worker
from submissions.reviewing.enrolling import enrol_ended
from submissions.safe_json import safe_json, safe_text
from submissions.summary import summarise
from submissions.tallies import count_ended, count_lost
from submissions.workers import takes_runs

LEASE = timedelta(seconds=30)  # how long a run stays with a worker that says nothing
MAX_LOSSES = 1  # a run that is lost more often ends as infrastructure_error


@dataclass(frozen=True)
class Claim:
    """The right to write to a run, until its lease ends."""

    run_id: str
    token: int
    device: str
    worker: str


def do_claim_run(run_id: str, worker: str) -> Claim | None:
    """Takes a queued run for a worker, with a fresh token and a lease; None when it is not queued any more, or when the
    worker takes no runs."""
    if not takes_runs(worker):
        return None
    now = timezone.now()
    with transaction.atomic():
        queued = Run.objects.filter(pk=run_id, state=RunState.QUEUED, cancel_requested=False)
        if queued.update(state=RunState.LEASED, token=F("token") + 1, message="", attended_at=now) != 1:
            return None
        token, device = Run.objects.values_list("token", "device").get(pk=run_id)
        Lease.objects.create(
            run_id=run_id, token=token, device=device, worker=worker, taken_at=now, expires_at=now + LEASE
        )
        append_events(run_id, [state_event(RunState.LEASED)])
    return Claim(run_id, token, device, worker)


def do_start_run(claim: Claim, isolation: str = "") -> None:
    """leased → running, judged under this isolation. Raises StaleToken."""
    _move(claim, RunState.RUNNING, started_at=timezone.now(), isolation=safe_text(isolation)[:60])


def do_append_events(claim: Claim, events: Sequence[Event]) -> int:
    """Appends what the judge said. Returns the last number. Raises StaleToken."""
    return append_events(claim.run_id, events, token=claim.token)


def do_extend_lease(claim: Claim) -> bool:
    """Says that the worker lives. False when the claim has ended: the worker must stop at once."""
    now = timezone.now()
    open_lease = Lease.objects.filter(run_id=claim.run_id, token=claim.token, ended_at=None)
    return open_lease.update(expires_at=now + LEASE) == 1


def do_finish_run(claim: Claim, result: Mapping[str, Any]) -> None:
    """running → done; the result is frozen. Raises StaleToken."""
    frozen = safe_json(dict(result))
    short = summarise(frozen)
    with transaction.atomic():
        _move(
            claim,
            RunState.DONE,
            finished_at=timezone.now(),
            result=frozen,
            correct=short.correct,
            total=short.total,
            first_t=short.first_t,
            verdict=short.verdict[:12],
        )
        _end_lease(claim.run_id, claim.token, "done")
        transaction.on_commit(lambda: count_ended(claim.run_id))
    enrol_ended(claim.run_id)


def do_finish_measuring(claim: Claim, result: Mapping[str, Any]) -> None:
    """running → done, for a run without a submission: there is nothing to be right or wrong. Raises StaleToken."""
    with transaction.atomic():
        _move(claim, RunState.DONE, finished_at=timezone.now(), result=safe_json(dict(result)))
        _end_lease(claim.run_id, claim.token, "done")
        transaction.on_commit(lambda: count_ended(claim.run_id))


def do_release_run(claim: Claim, message: str) -> None:
    """Gives a run back to the queue through no fault of anybody (the worker stops, the device is taken)."""
    with transaction.atomic():
        # The author may have asked to cancel since the worker last looked: a queued run has nobody who would see it.
        if Run.objects.select_for_update().get(pk=claim.run_id).cancel_requested:
            return do_end_cancelled(claim)
        _move(claim, RunState.QUEUED, message)
        _end_lease(claim.run_id, claim.token, "released")


def do_end_cancelled(claim: Claim) -> None:
    """The worker has stopped the run because its author asked for it. What was measured stays in the log."""
    with transaction.atomic():
        _move(claim, RunState.CANCELLED, CANCELLED, finished_at=timezone.now())
        _end_lease(claim.run_id, claim.token, "cancelled")
        transaction.on_commit(lambda: count_ended(claim.run_id))


def do_lose_attempt(claim: Claim, why: str) -> RunState:
    """The attempt was lost through our fault: back to the queue once, then infrastructure_error. Raises StaleToken."""
    with transaction.atomic():
        return _lose(claim.run_id, claim.token, why)


def do_reap_leases(now: datetime, worker: str | None = None, silent: Collection[int] | None = None) -> list[str]:
    """Takes runs away from workers that are gone; returns their ids.

    Gone is a worker whose lease has run out; with `worker`, an earlier process of that name: it has just been started
    anew, so that whatever it held is lost; with `silent`, whoever holds one of these leases (submissions.leases knows
    them without trusting a clock).
    """
    leases = Lease.objects.filter(ended_at=None)
    if silent is not None:
        leases = leases.filter(pk__in=silent)
    elif worker is not None:
        leases = leases.filter(worker=worker)
    else:
        leases = leases.filter(expires_at__lt=now)
    lost = []
    for lease in leases.order_by("pk")[:100]:
        try:
            with transaction.atomic():
                # The claim again, now that it is locked: the worker may have spoken meanwhile.
                again = leases.filter(pk=lease.pk, expires_at=lease.expires_at)
                if not again.update(ended_at=now, outcome="lost"):
                    continue
                Worker.objects.filter(pk=lease.worker).update(killed=F("killed") + 1)
                _lose(str(lease.run_id), lease.token, f"The worker {lease.worker} stopped answering.")
        except StaleToken:
            Lease.objects.filter(pk=lease.pk, ended_at=None).update(ended_at=now, outcome="stale")
            continue
        lost.append(str(lease.run_id))
    return lost


def _lose(run_id: str, token: int, why: str) -> RunState:
    held = Run.objects.filter(pk=run_id, token=token, state__in=LIVE_STATES)
    if held.update(losses=F("losses") + 1) != 1:
        raise StaleToken(f"run {run_id} is not held by token {token} any more")
    run = Run.objects.get(pk=run_id)
    changes: dict[str, Any] = {"message": safe_text(why)}
    if run.cancel_requested:
        state, changes["message"] = RunState.CANCELLED, CANCELLED
    elif run.losses <= MAX_LOSSES:
        state, changes["message"] = RunState.QUEUED, f"{safe_text(why)} The run is tried once more."
    else:
        state = RunState.INFRASTRUCTURE_ERROR
        changes["message"] = (
            f"{safe_text(why)} That happened twice, so that the run was given up. It does not count against the "
            "submission: run it again, and if it fails again look into the worker's log."
        )
    if state.is_final:
        changes["finished_at"] = timezone.now()
    Run.objects.filter(pk=run_id).update(state=state, **changes)
    append_events(run_id, [state_event(state, changes["message"])])
    _end_lease(run_id, token, "lost")
    transaction.on_commit(lambda: count_lost(run_id))
    if state is RunState.INFRASTRUCTURE_ERROR:
        enrol_ended(run_id)
    if state is RunState.QUEUED:
        transaction.on_commit(lambda: do_dispatch(run_id, run.device))
    return state


def do_requeue(actor: Author, run: Run, why: str) -> RunState:
    """An admin takes a run from whoever holds it and queues it again, without counting a loss; a queued one has its
    message sent again. What the old holder still writes is refused. A run that has ended stays as it is."""
    with transaction.atomic():
        row = Run.objects.select_for_update().get(pk=run.pk)
        state = RunState(row.state)
        if state.is_final:
            return state
        if row.cancel_requested:
            state, message = RunState.CANCELLED, CANCELLED
        else:
            state, message = RunState.QUEUED, safe_text(why)
        if row.state in LIVE_STATES or state is RunState.CANCELLED:
            ended = {"finished_at": timezone.now()} if state.is_final else {}
            Run.objects.filter(pk=run.pk).update(state=state, message=message, **ended)
            append_events(run.pk, [state_event(state, message)])
            _end_lease(str(run.pk), row.token, "requeued")
        note(actor, "run_requeued", run.pk, before=row.state)
        if state is RunState.QUEUED:
            transaction.on_commit(lambda: do_dispatch(str(run.pk), run.device))
    return state


def _move(claim: Claim, state: RunState, message: str = "", **changes: Any) -> None:
    """Changes the state of a run that the claim still holds, and says so in its log."""
    with transaction.atomic():
        held = Run.objects.filter(pk=claim.run_id, token=claim.token, state__in=LIVE_STATES)
        if held.update(state=state, message=safe_text(message), **changes) != 1:
            raise StaleToken(f"run {claim.run_id} is not held by token {claim.token} any more")
        append_events(claim.run_id, [state_event(state, message)])


def _end_lease(run_id: str, token: int, outcome: str) -> None:
    open_lease = Lease.objects.filter(run_id=run_id, token=token, ended_at=None)
    open_lease.update(ended_at=timezone.now(), outcome=outcome)
