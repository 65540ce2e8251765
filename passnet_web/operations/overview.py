"""What an operator looks at: device classes, workers, leases, runs that do not get on."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, Min, OuterRef
from django.utils import timezone

from evaluator.verdicts import RunState
from passnet_web.metrics import LANES
from submissions.actions.claims import LEASE
from submissions.devices import DeviceState, device_states
from submissions.models import LIVE_STATES, Device, Lane, Lease, Run, Worker
from submissions.workers import alive, in_words

LONG = timedelta(hours=1)  # in the queue, before somebody should look
_MOST = 50


@dataclass(frozen=True)
class DeviceLine:
    """A device class. `queued` has a number for each lane."""

    state: DeviceState
    pinned: str
    queued: list[tuple[str, int]]
    waiting_since: datetime | None
    workers: int


@dataclass(frozen=True)
class WorkerLine:
    """A worker and what it has in hand."""

    row: Worker
    is_alive: bool
    versions: str
    lease: Lease | None


@dataclass(frozen=True)
class StuckLine:
    """A run that does not get on, and why that is so."""

    run: Run
    why: str


def device_lines() -> list[DeviceLine]:
    """All device classes of this installation."""
    queued: dict[str, dict[int, int]] = defaultdict(dict)
    since: dict[str, datetime] = {}
    rows = Run.objects.filter(state=RunState.QUEUED).order_by().values_list("device", "lane")
    for device, lane, count, first in rows.annotate(n=Count("pk"), first=Min("created_at")):
        queued[device][lane] = count
        since[device] = min(first, since.get(device, first))
    pinned = dict(Device.objects.values_list("name", "pinned"))
    takers = alive().filter(draining=False, held="").order_by()
    counted = dict(takers.values_list("device").annotate(n=Count("pk")))
    return [
        DeviceLine(
            state,
            in_words(pinned.get(state.device) or {}),
            [(LANES[lane], queued[state.device].get(lane, 0)) for lane in Lane],
            since.get(state.device),
            counted.get(state.device, 0),
        )
        for state in device_states()
    ]


def worker_lines() -> list[WorkerLine]:
    """All workers that have ever said something and were not forgotten since."""
    here = set(alive().values_list("pk", flat=True))
    held = {lease.worker: lease for lease in Lease.objects.filter(ended_at=None).select_related("run__task")}
    return [WorkerLine(row, row.pk in here, in_words(row.versions), held.get(row.pk)) for row in Worker.objects.all()]


def open_leases() -> list[Lease]:
    """Who holds what, the oldest first."""
    return list(
        Lease.objects.filter(ended_at=None).select_related("run__task", "run__author").order_by("taken_at")[:_MOST]
    )


def stuck_lines() -> list[StuckLine]:
    """Runs that nobody will end by themselves, or that have waited for long."""
    now = timezone.now()
    runs = Run.objects.select_related("task", "author").defer("result", "graphs").order_by("created_at")
    leases = Lease.objects.filter(run=OuterRef("pk"), ended_at=None)
    found = [
        StuckLine(run, "A worker should hold it, but there is no lease.")
        for run in runs.filter(~Exists(leases), state__in=LIVE_STATES)[:_MOST]
    ]
    late = leases.filter(expires_at__lt=now - LEASE)
    found += [
        StuckLine(run, "Its lease has run out and nobody has taken it back: no worker's caretaker is alive.")
        for run in runs.filter(Exists(late), state__in=LIVE_STATES)[:_MOST]
    ]
    takers = set(alive().filter(draining=False, held="").values_list("device", flat=True))
    waiting = runs.filter(state=RunState.QUEUED)
    found += [
        StuckLine(run, "No worker of its device class takes runs.")
        for run in waiting.exclude(device__in=takers)[:_MOST]
    ]
    found += [
        StuckLine(run, "It has waited for more than an hour.")
        for run in waiting.filter(device__in=takers, created_at__lt=now - LONG, lane__lt=Lane.BACKGROUND)[:_MOST]
    ]
    return found[:_MOST]
