"""The run log: append, read by number, announce. Truth is in the rows; an announcement says that there are more."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluator.verdicts import RunState
from submissions.announce import announce
from submissions.models import LIVE_STATES, Run, RunEvent
from submissions.safe_json import safe_json

Event = tuple[str, dict[str, Any]]  # kind, payload

MAX_PAGE = 1000


class StaleToken(Exception):
    """Somebody else holds the run by now, or it has ended: nothing was written."""


def append_events(run_id: Any, events: Sequence[Event], *, token: int | None = None) -> int:
    """Appends events to a run's log and returns the number of the last one.

    Call it inside the transaction that changes the run, if there is one. With `token`, nothing is written unless that
    token still holds the live run (raises StaleToken). The update of `seq` locks the run's row until the transaction
    ends, so that numbers are given in order and without gaps, whoever else appends.
    """
    rows = Run.objects.filter(pk=run_id)
    if token is not None:
        rows = rows.filter(token=token, state__in=LIVE_STATES)
    with transaction.atomic():
        if rows.update(seq=F("seq") + len(events)) != 1:
            raise StaleToken(f"run {run_id} is not held by token {token} any more")
        last, state = Run.objects.values_list("seq", "state").get(pk=run_id)
        first = last - len(events) + 1
        at = timezone.now()
        RunEvent.objects.bulk_create(
            RunEvent(run_id=run_id, seq=first + index, kind=kind[:40], payload=safe_json(payload), at=at)
            for index, (kind, payload) in enumerate(events)
        )
        transaction.on_commit(lambda: announce(str(run_id), last, state))
    return last


def state_event(state: RunState, message: str = "") -> Event:
    """The event that says which state a run has now, and why."""
    return ("state", {"state": state.value, "message": message})


def read_events(run: Run, after: int, limit: int) -> list[RunEvent]:
    """Events with numbers greater than `after`, at most `limit` of them, in order."""
    return list(run.events.filter(seq__gt=after).order_by("seq")[: max(1, min(limit, MAX_PAGE))])
