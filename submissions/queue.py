"""A run's place in the queue of its device class."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from django.db.models import Q

from evaluator.verdicts import RunState
from submissions.models import LIVE_STATES, Run

_LAST_RUNS = 20


@dataclass(frozen=True)
class Place:
    """`position` 1 is next; `ahead` counts queued and running runs before it. None when the run does not wait.

    `wait_seconds` is what the runs ahead may take, by the median of this device's last runs; None before any ended.
    """

    position: int | None
    ahead: int | None
    wait_seconds: float | None


NOWHERE = Place(None, None, None)


def place_in_queue(run: Run) -> Place:
    """Where a queued run stands among the runs of its device class."""
    if run.state != RunState.QUEUED:
        return NOWHERE
    same_device = Run.objects.filter(device=run.device)
    same_lane = Q(created_at__lt=run.created_at) | Q(created_at=run.created_at, pk__lt=run.pk)
    earlier = Q(lane__lt=run.lane) | Q(same_lane, lane=run.lane)
    before = same_device.filter(earlier, state=RunState.QUEUED).count()
    running = same_device.filter(state__in=LIVE_STATES).count()
    ahead = before + running
    usual = usual_seconds(run.device) if ahead else 0.0
    return Place(before + 1, ahead, None if usual is None else usual * ahead)


def places_in_queue(runs: Iterable[Run]) -> dict[UUID, Place]:
    """The places of those that wait, by id: a few questions to the database a device class, however many runs."""
    found: dict[UUID, Place] = {}
    for device in {run.device for run in runs if run.state == RunState.QUEUED}:
        same_device = Run.objects.filter(device=device)
        running = same_device.filter(state__in=LIVE_STATES).count()
        usual = usual_seconds(device)
        waiting = same_device.filter(state=RunState.QUEUED).order_by("lane", "created_at", "pk")
        for before, pk in enumerate(waiting.values_list("pk", flat=True)):
            ahead = before + running
            found[pk] = Place(before + 1, ahead, 0.0 if not ahead else None if usual is None else usual * ahead)
    return found


def goes_before(run_id: str) -> str | None:
    """The run that a worker takes first though its message comes later: the oldest queued one of a lane before that of
    a queued run. None when it is its turn."""
    run = Run.objects.filter(pk=run_id, state=RunState.QUEUED).only("device", "lane").first()
    if run is None:
        return None
    before = Run.objects.filter(device=run.device, state=RunState.QUEUED, lane__lt=run.lane)
    first = before.order_by("lane", "created_at").values_list("pk", flat=True).first()
    return None if first is None else str(first)


def usual_seconds(device: str) -> float | None:
    """What a run takes there, by the median of the last ones; None before any ended."""
    ended = Run.objects.filter(device=device, state=RunState.DONE, imported=None, baseline_run=None)
    times = ended.exclude(started_at=None).exclude(finished_at=None).values_list("started_at", "finished_at")
    seconds = [(end - start).total_seconds() for start, end in times[:_LAST_RUNS] if start and end]
    return median(seconds) if seconds else None
