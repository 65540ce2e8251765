"""The queue as lists: items page by page by key, clusters of one cause, how many each filter would leave."""

from typing import Any

from django.db.models import Count, Max, Min, Q

from submissions.access import visible_items
from submissions.models import Author, ReviewItem, ReviewLabel
from submissions.reviewing.filters import Filters, filtered
from submissions.reviewing.taxonomy import group_name, kind_name

MOST = 200
_FACETS = ("group", "author", "device", "assignee")
_MOST_VALUES = 60


def list_items(reader: Author, filters: Filters, after: int, limit: int) -> tuple[list[dict[str, Any]], int | None]:
    """The newest first, those with a smaller number than `after` (0: from the newest on); and the `after` of the next
    page, None at the end."""
    rows = filtered(reader, filters)
    if after:
        rows = rows.filter(pk__lt=after)
    limit = max(1, min(limit, MOST))
    found = list(rows.select_related("author", "assignee", "task").order_by("-pk")[: limit + 1])
    labels: dict[int, list[str]] = {}
    names = ReviewLabel.objects.filter(item__in=[one.pk for one in found[:limit]]).values_list("item_id", "name")
    for pk, name in names:
        labels.setdefault(pk, []).append(name)
    shown = [row_of(item, labels.get(item.pk, [])) for item in found[:limit]]
    return shown, found[limit - 1].pk if len(found) > limit else None


def row_of(item: ReviewItem, labels: list[str]) -> dict[str, Any]:
    """An item as a line of the list."""
    return {
        "id": item.pk,
        "author": item.author.name,
        "task": item.task.slug if item.task else None,
        "task_name": item.task_name,
        "device": item.device,
        "group": item.group,
        "kind": item.kind,
        "cause": group_name(item.group),
        "kind_name": kind_name(item.group, item.kind),
        "text": item.text,
        "signature": item.signature,
        "failed": item.failed,
        "total": item.total,
        "at": item.at,
        "decision": item.decision,
        "assignee": item.assignee.name if item.assignee else None,
        "labels": labels,
    }


def list_clusters(reader: Author, filters: Filters, limit: int) -> list[dict[str, Any]]:
    """Causes that several submissions share, those of most first."""
    rows = (
        filtered(reader, filters)
        .order_by()
        .values("signature", "group", "kind")
        .annotate(
            count=Count("pk"),
            authors=Count("author", distinct=True),
            open=Count("pk", filter=Q(decision="")),
            newest=Max("at"),
            first=Min("pk"),
            text=Max("text"),
        )
        .order_by("-count", "-newest", "signature")[: max(1, min(limit, MOST))]
    )
    return [
        {**row, "cause": group_name(row["group"]), "kind_name": kind_name(row["group"], row["kind"])} for row in rows
    ]


def count_items(reader: Author, filters: Filters) -> dict[str, Any]:
    """How many fit, and how many would with each other value of a filter."""
    facets: dict[str, list[dict[str, Any]]] = {}
    for name in _FACETS:
        column = f"{name}__name" if name in ("author", "assignee") else name
        columns = [column, "kind"] if name == "group" else [column]
        rows = filtered(reader, filters, but=name).order_by().values_list(*columns).annotate(count=Count("pk"))
        counts: dict[str, int] = {}
        for value, *_, count in rows:
            counts[_value(name, value)] = counts.get(_value(name, value), 0) + count
        most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_VALUES]
        facets[name] = [{"value": value, "count": count} for value, count in most]
    kinds = filtered(reader, filters, but="kind").order_by().values_list("kind").annotate(count=Count("pk"))
    facets["kind"] = [{"value": kind, "count": count} for kind, count in sorted(kinds, key=lambda p: -p[1]) if kind]
    states = dict(filtered(reader, filters, but="state").order_by().values_list("decision").annotate(count=Count("pk")))
    labels = ReviewLabel.objects.filter(item__in=visible_items(reader)).order_by().values("name")
    counted = labels.annotate(count=Count("pk")).order_by("-count", "name")[:_MOST_VALUES]
    facets["label"] = [{"value": one["name"], "count": one["count"]} for one in counted]
    return {"total": filtered(reader, filters).count(), "states": states, "facets": facets}


def _value(name: str, value: str | None) -> str:
    if name == "assignee":
        return value or "nobody"
    return value or "none"


def neighbours(reader: Author, filters: Filters, item: ReviewItem) -> dict[str, int | None]:
    """The items before and after one in the list."""
    rows = filtered(reader, filters).order_by()
    after = rows.filter(pk__lt=item.pk).aggregate(one=Max("pk"))["one"]
    before = rows.filter(pk__gt=item.pk).aggregate(one=Min("pk"))["one"]
    return {"previous": before, "next": after}
