"""Which workers there are, and whether each may take runs. A worker is one process; a device class may have many."""

from collections.abc import Mapping
from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now

from submissions.models import Lease, Worker

SEEN_LIMIT = timedelta(seconds=30)  # a worker that has said nothing for so long is taken for gone
IDENTITY = ("torch", "triton", "harness")  # results of workers that differ in one of these are not comparable
BEST_FIRST = ("ready", "busy", "warming", "offline")


def identity(versions: Mapping[str, object]) -> dict[str, str]:
    """What of a daemon's versions decides whether results may stand beside each other; empty where nothing is known."""
    return {name: str(versions[name]) for name in IDENTITY if versions.get(name)}


def in_words(versions: Mapping[str, object]) -> str:
    """ "torch 2.13.0, harness 1"."""
    return ", ".join(f"{name} {value}" for name, value in identity(versions).items()) or "unknown versions"


def alive(device: str | None = None) -> QuerySet[Worker]:
    """Workers that have said something lately, by the database's own clock: those of machines may differ."""
    seen = Worker.objects.filter(seen_at__gt=Now() - SEEN_LIMIT)
    return seen if device is None else seen.filter(device=device)


def takes_runs(worker: str) -> bool:
    """Whether this worker may take a run now. One that has said nothing yet may: its first round is still to come."""
    row = Worker.objects.filter(pk=worker).only("draining", "held").first()
    return row is None or not (row.draining or row.held)


def lost_here(run_id: str, device: str, worker: str) -> bool:
    """Whether this worker has lost the run before, and another one can take it: what is wrong may be its machine."""
    if not Lease.objects.filter(run_id=run_id, worker=worker, outcome="lost").exists():
        return False
    others = alive(device).filter(draining=False, held="", status__in=("ready", "busy")).exclude(pk=worker)
    return others.exists()


def judging(device: str) -> int:
    """How many workers of a class can judge at the same time now; at least 1, as if one were about to come."""
    takers = alive(device).filter(draining=False, held="", status__in=("ready", "busy"))
    return max(1, takers.count())
