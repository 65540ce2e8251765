"""Counts for metrics, kept in the database: every server shows the same, and a restart loses nothing.

A failure to count is logged and never reaches the run that is counted.
"""

import json
import logging
from collections import Counter
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Min

from submissions.models import Lease, Run, RunEvent, Tally

log = logging.getLogger(__name__)

STAGES = ("queue", "start", "check", "load", "graphs")
BUCKETS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, float("inf"))  # seconds, upper ends

RUNS, GRAPHS, LOST, STAGE = "runs_ended", "graphs", "attempts_lost", "stage_seconds"


def key_of(name: str, **labels: str) -> str:
    """A tally's key. Labels are cut, so that an imported word can not make it too long."""
    return f"{name} {json.dumps({label: value[:40] for label, value in sorted(labels.items())})}"


def read_key(key: str) -> tuple[str, dict[str, str]]:
    """The name and the labels of a key."""
    name, _, labels = key.partition(" ")
    return name, json.loads(labels)


def add(key: str, count: int = 1, seconds: float = 0.0) -> None:
    """Counts, in one statement."""
    changes = {"count": F("count") + count, "seconds": F("seconds") + seconds}
    for _ in range(2):
        if Tally.objects.filter(pk=key).update(**changes):
            return
        try:
            with transaction.atomic():
                Tally.objects.create(key=key, count=count, seconds=seconds)
            return
        except IntegrityError:  # somebody else began it
            continue


def count_ended(run_id: str) -> None:
    """Counts a run that has ended: its state and verdict, its graphs' outcomes, the time of each of its stages."""
    try:
        run = Run.objects.only(
            "device", "state", "verdict", "result", "created_at", "started_at", "finished_at", "token"
        )
        _count(run.get(pk=run_id))
    except Exception:
        log.exception("run %s was not counted", run_id)


def count_lost(run_id: str) -> None:
    """Counts an attempt that was lost with its worker or daemon."""
    try:
        run = Run.objects.only("device", "state").get(pk=run_id)
        add(key_of(LOST, device=run.device))
        if run.state == "infrastructure_error":
            add(key_of(RUNS, device=run.device, state=run.state, verdict=""))
    except Exception:
        log.exception("the loss of run %s was not counted", run_id)


def _count(run: Run) -> None:
    add(key_of(RUNS, device=run.device, state=run.state, verdict=run.verdict))
    graphs: dict[str, Any] = (run.result or {}).get("graphs") or {}
    outcomes = Counter(
        (str(one.get("status") or ""), str(one.get("reason") or "")) for one in graphs.values() if isinstance(one, dict)
    )
    for (status, reason), count in sorted(outcomes.items()):
        add(key_of(GRAPHS, device=run.device, status=status, reason=reason), count)
    for stage, seconds in _stages(run).items():
        bucket = next(end for end in BUCKETS if seconds <= end)
        add(key_of(STAGE, device=run.device, stage=stage, le=f"{bucket:g}"), 1, seconds)


def _stages(run: Run) -> dict[str, float]:
    taken = Lease.objects.filter(run=run, token=run.token).values_list("taken_at", flat=True).first()
    kinds = ("static_check", "loaded")
    rows = RunEvent.objects.filter(run=run, kind__in=kinds, at__gte=taken or run.created_at)
    at = dict(rows.order_by().values_list("kind").annotate(first=Min("at")))
    times = (run.created_at, taken, run.started_at, at.get("static_check"), at.get("loaded"), run.finished_at)
    found = {}
    for stage, begun, ended in zip(STAGES, times[:-1], times[1:], strict=True):
        if begun is not None and ended is not None:
            found[stage] = max(0.0, (ended - begun).total_seconds())
    return found
