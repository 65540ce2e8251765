"""A run's place in the queue of its device class, and which run a worker takes next. Both follow
`submissions.fairness`, so that what is shown is what happens, as long as nobody else comes.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from django.db.models import Q

from evaluator.verdicts import RunState
from submissions.fairness import Turn, owners_of, turns, used_seconds, waiting_on
from submissions.models import LIVE_STATES, Run
from submissions.workers import judging

_LAST_RUNS = 20
UNKNOWN_SECONDS = 10.0  # what a run takes before any has ended


@dataclass(frozen=True)
class Place:
    """`position` 1 is next; `ahead` counts queued and running runs before it. None when the run does not wait.

    `wait_seconds` is what the runs ahead may take, by the median of this device's last runs and the workers there are;
    None before any ended.
    """

    position: int | None
    ahead: int | None
    wait_seconds: float | None


NOWHERE = Place(None, None, None)


def place_in_queue(run: Run) -> Place:
    """Where a queued run stands among the runs of its device class."""
    if run.state != RunState.QUEUED:
        return NOWHERE
    of_author = Run.objects.filter(device=run.device, state=RunState.QUEUED, lane=run.lane, author=run.author_id)
    before = of_author.filter(Q(created_at__lt=run.created_at) | Q(created_at=run.created_at, pk__lt=run.pk)).count()
    line = _Line(run.device)
    for position, turn in enumerate(line.turns()):
        if turn == (run.lane, run.author_id):
            if before == 0:
                return line.place(position)
            before -= 1
    return NOWHERE  # it was taken just now


def places_in_queue(runs: Iterable[Run]) -> dict[UUID, Place]:
    """The places of those that wait, by id: a few questions to the database a device class, however many runs."""
    found: dict[UUID, Place] = {}
    for device in {run.device for run in runs if run.state == RunState.QUEUED}:
        line = _Line(device)
        rows: dict[Turn, deque[UUID]] = defaultdict(deque)
        waiting = Run.objects.filter(device=device, state=RunState.QUEUED).order_by("created_at", "pk")
        for lane, author, pk in waiting.values_list("lane", "author", "pk"):
            rows[lane, author].append(pk)
        for position, turn in enumerate(line.turns()):
            if rows[turn]:
                found[rows[turn].popleft()] = line.place(position)
    return found


def next_run(device: str) -> str | None:
    """The run that a worker takes now; None when none waits."""
    turn = next(_Line(device, only_next=True).turns(), None)
    if turn is None:
        return None
    lane, author = turn
    theirs = Run.objects.filter(device=device, state=RunState.QUEUED, lane=lane, author=author)
    first = theirs.order_by("created_at", "pk").values_list("pk", flat=True).first()
    return None if first is None else str(first)


class _Line:
    """The queue of a device class as it is now."""

    def __init__(self, device: str, *, only_next: bool = False) -> None:
        self._waiting = waiting_on(device)
        self._used = used_seconds(device) if len({one.author for one in self._waiting}) > 1 else {}
        self._owners = owners_of(self._waiting, self._used)
        self._usual: float | None = None
        if not only_next and self._waiting:
            self._running = Run.objects.filter(device=device, state__in=LIVE_STATES).count()
            self._usual = usual_seconds(device)
            self._judging = judging(device)

    def turns(self) -> Iterator[Turn]:
        return turns(self._waiting, self._used, self._owners, self._usual or UNKNOWN_SECONDS)

    def place(self, before: int) -> Place:
        ahead = before + self._running
        if ahead == 0 or self._usual is not None:
            return Place(before + 1, ahead, (self._usual or 0.0) * ahead / self._judging)
        return Place(before + 1, ahead, None)


def usual_seconds(device: str) -> float | None:
    """What a run takes there, by the median of the last ones; None before any ended."""
    ended = Run.objects.filter(device=device, state=RunState.DONE, imported=None, baseline_run=None)
    times = ended.exclude(started_at=None).exclude(finished_at=None).values_list("started_at", "finished_at")
    seconds = [(end - start).total_seconds() for start, end in times[:_LAST_RUNS] if start and end]
    return median(seconds) if seconds else None
