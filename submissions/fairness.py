"""Whose turn it is on a device class: by lane, then the person who had the least of it lately, then that person's
author who had the least, then whoever has waited longest.

A person and the models that they brought in share one person's part. What somebody had is seconds of the device, over
the last minutes: nobody pays for ever, and whoever asks for much does not keep others waiting.
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Sum
from django.db.models.functions import Coalesce, Now

from evaluator.verdicts import RunState
from submissions.models import Lease, Run

WINDOW = timedelta(minutes=10)


@dataclass(frozen=True)
class Waiting:
    """What one author has waiting in one lane. `owner` is the person whose part it takes."""

    lane: int
    owner: int
    author: int
    count: int
    oldest: datetime


Turn = tuple[int, int]  # lane, author


def waiting_on(device: str) -> list[Waiting]:
    """The queue of a device class in short: one row for each author and lane, however many runs wait."""
    rows = (
        Run.objects.filter(device=device, state=RunState.QUEUED)
        .order_by()
        .values_list("lane", "author", "author__brought_in_by")
        .annotate(count=Count("pk"), oldest=Min("created_at"))
    )
    return [Waiting(lane, owner or author, author, count, oldest) for lane, author, owner, count, oldest in rows]


def used_seconds(device: str) -> dict[int, float]:
    """Seconds of the device that each author's runs had lately."""
    took = ExpressionWrapper(Coalesce(F("ended_at"), Now()) - F("taken_at"), output_field=DurationField())
    rows = (
        Lease.objects.filter(device=device, taken_at__gt=Now() - WINDOW)
        .order_by()
        .values_list("run__author")
        .annotate(took=Sum(took))
    )
    return {author: max(0.0, took.total_seconds()) for author, took in rows}


def owners_of(waiting: list[Waiting], used: Mapping[int, float]) -> dict[int, int]:
    """author → person, of everybody who waits; who does not wait is looked up, since their models' use counts too."""
    from submissions.models import Author

    known = {one.author: one.owner for one in waiting}
    missing = [author for author in used if author not in known]
    rows = Author.objects.filter(pk__in=missing).values_list("pk", "brought_in_by")
    return known | {author: owner or author for author, owner in rows}


def turns(waiting: list[Waiting], used: Mapping[int, float], owners: Mapping[int, int], usual: float) -> Iterator[Turn]:
    """The order in which those who wait have their turns, if nobody comes and each run takes `usual` seconds."""
    by_author = {author: used.get(author, 0.0) for author in owners}
    by_owner: dict[int, float] = {}
    for author, owner in owners.items():
        by_owner[owner] = by_owner.get(owner, 0.0) + by_author[author]
    for lane in sorted({one.lane for one in waiting}):
        left = {one.author: one.count for one in waiting if one.lane == lane}
        of_owner: dict[int, list[tuple[float, datetime, int]]] = {}
        for one in (one for one in waiting if one.lane == lane):
            of_owner.setdefault(one.owner, []).append((by_author[one.author], one.oldest, one.author))
        queue = []
        for owner, authors in of_owner.items():
            heapq.heapify(authors)
            queue.append((by_owner[owner], min(oldest for _, oldest, _ in authors), owner))
        heapq.heapify(queue)
        while queue:
            _, since, owner = heapq.heappop(queue)
            authors = of_owner[owner]
            _, oldest, author = heapq.heappop(authors)
            yield lane, author
            by_author[author] += usual
            by_owner[owner] += usual
            left[author] -= 1
            if left[author]:
                heapq.heappush(authors, (by_author[author], oldest, author))
            if authors:
                heapq.heappush(queue, (by_owner[owner], since, owner))
