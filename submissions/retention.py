"""What is thrown away after a while: texts that runs printed, leases and workers that are long gone.

Results, verdicts and reviews stay, and so does every event with its number and kind, so that a log has no gaps.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from submissions.models import OPEN_STATES, Lease, RateCount, Run, RunEvent, RunOutput, Worker

SHORTEST_DAYS = 7
SILENT = timedelta(days=7)
GONE = {"stream": "stdout", "text": "(thrown away after a while)"}  # stands for what an event held
_PART = 500  # rows of one transaction: nobody waits for it


@dataclass
class Thrown:
    """How many of each."""

    texts: int = 0
    outputs: int = 0
    leases: int = 0
    workers: int = 0
    rates: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{field.name} {getattr(self, field.name)}" for field in fields(self))


def do_retain(days: int, dry_run: bool = False) -> Thrown:
    """Throws away what belongs to runs that ended more than `days` ago. Raises ValueError for fewer than 7."""
    if days < SHORTEST_DAYS:
        raise ValueError(f"At least {SHORTEST_DAYS} days are kept.")
    before = timezone.now() - timedelta(days=days)
    ended = Run.objects.filter(finished_at__lt=before).exclude(state__in=OPEN_STATES)
    texts = RunEvent.objects.filter(run__in=ended, kind="log").exclude(payload=GONE)
    thrown = Thrown()
    thrown.texts = texts.count() if dry_run else sum(_forget(part) for part in _parts(texts))
    for name, rows in (
        ("outputs", RunOutput.objects.filter(run__in=ended)),
        ("leases", Lease.objects.filter(run__in=ended, ended_at__lt=before)),
        ("workers", Worker.objects.filter(seen_at__lt=timezone.now() - SILENT)),
        ("rates", RateCount.objects.filter(due__lt=before.timestamp())),
    ):
        setattr(thrown, name, rows.count() if dry_run else _delete(rows))
    return thrown


def _parts(rows: "QuerySet[RunEvent]") -> Iterator[list[int]]:
    while part := list(rows.order_by("pk").values_list("pk", flat=True)[:_PART]):
        yield part


def _forget(part: list[int]) -> int:
    return RunEvent.objects.filter(pk__in=part).update(payload=GONE)


def _delete(rows: "QuerySet[RunOutput] | QuerySet[Lease] | QuerySet[Worker] | QuerySet[RateCount]") -> int:
    deleted = 0
    while part := [str(pk) for pk in rows.order_by("pk").values_list("pk", flat=True)[:_PART]]:
        deleted += rows.model._default_manager.filter(pk__in=part).delete()[0]
    return deleted
