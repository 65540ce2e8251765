"""What the review queue knows of a set of work: causes with how often and an example, flagged work, who fails how."""

from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import urlencode

from django.db.models import Count, Max, Q, QuerySet

from submissions.access import visible_items
from submissions.models import Author, ReviewItem
from submissions.reports.shapes import Bar, Cell, Figure, Section, Table, number
from submissions.reviewing.taxonomy import GROUPS, group_name, kind_name

_TOP_CAUSES, _MOST_FLAGGED = 12, 40
_EXCUSED = (ReviewItem.Decision.OVERTURN.value, ReviewItem.Decision.HARNESS_FAULT.value)
EXCUSED_WORDS = "What a reviewer has overturned, or called a fault of the harness, does not count."
Items = QuerySet[ReviewItem]


def failing(reader: Author) -> Items:
    """Items that this reader may look into and that count against their authors."""
    return visible_items(reader).exclude(decision__in=_EXCUSED).exclude(group="harness").order_by()


def causes(items: Items, narrowed: dict[str, str]) -> Section:
    """How often each kind of failure is seen. `narrowed`: the same set in the review queue's address."""
    rows = items.values_list("group", "kind").annotate(count=Count("pk"), example=Max("pk")).order_by("-count", "group")
    found = list(rows)
    total = sum(count for _, _, count, _ in found)
    by_group: dict[str, int] = defaultdict(int)
    for group, _, count, _ in found:
        by_group[group] += count
    texts = dict(ReviewItem.objects.filter(pk__in=[row[3] for row in found]).values_list("pk", "text"))
    table = tuple(
        (
            Cell(cause_name(group, kind), queue(narrowed, group=group, kind=kind)),
            number(count),
            Cell(share(count, total), number=True),
            Cell(texts.get(example, ""), example_link(example)),
        )
        for group, kind, count, example in found
    )
    bars = tuple(
        Bar(group_name(group), count, f"{count:,} ({share(count, total)})")
        for group, count in sorted(by_group.items(), key=lambda pair: -pair[1])
    )
    return Section(
        "What fails",
        EXCUSED_WORDS,
        Figure("Failures by cause", "submissions", bars),
        Table(("cause", "submissions", "share", "an example"), table),
        "No failure is known.",
    )


def common(items: Items) -> Section:
    """The causes, word for word, that most submissions share."""
    rows = (
        items.values_list("signature", "group", "kind")
        .annotate(count=Count("pk"), authors=Count("author", distinct=True), example=Max("pk"), text=Max("text"))
        .order_by("-count", "signature")[:_TOP_CAUSES]
    )
    table = tuple(
        (
            Cell(cause_name(group, kind)),
            Cell(text, queue({"signature": signature})),
            number(count),
            number(authors),
            Cell("open", example_link(example)),
        )
        for signature, group, kind, count, authors, example, text in rows
    )
    head = ("cause", "in words", "submissions", "authors", "an example")
    return Section("The same cause, most often", table=Table(head, table), empty="No failure is known.")


def flagged(items: Items, narrowed: dict[str, str]) -> Section:
    """Submissions in which the integrity check found something: how many, and which."""
    rows = items.filter(group="integrity")
    total = rows.count()
    most = rows.select_related("author", "task").order_by("-pk")[:_MOST_FLAGGED]
    table = tuple(
        (
            Cell(one.author.name, f"/reports/author/{one.author_id}/"),
            Cell(one.task_name, f"/reports/task/{one.task.slug}/" if one.task else ""),
            Cell(kind_name("integrity", one.kind)),
            Cell(one.text),
            Cell(one.get_decision_display()),
            Cell("open", example_link(one.pk)),
        )
        for one in most
    )
    words = f"{total:,} flagged; {EXCUSED_WORDS}" + (
        f" The newest {_MOST_FLAGGED} are here." if total > len(table) else ""
    )
    head = ("author", "task", "class", "what was seen", "reviewed", "")
    link = (Cell("all in the review queue", queue(narrowed, group="integrity")),)
    rows_shown = table if total <= len(table) else (*table, (*link, *(Cell("") for _ in head[1:])))
    return Section("Flagged by the integrity check", words, table=Table(head, rows_shown), empty="Nothing is flagged.")


def by_author(items: Items) -> Section:
    """A row for each author: failures by cause, and the one that dominates."""
    counts: dict[tuple[int, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for author, name, group, count in items.values_list("author_id", "author__name", "group").annotate(Count("pk")):
        counts[author, name][group] += count
    groups = [one.key for one in GROUPS if any(one.key in own for own in counts.values())]
    table = []
    for (author, name), own in sorted(counts.items(), key=lambda pair: (-sum(pair[1].values()), pair[0][1])):
        first = max(own, key=lambda key: own[key])
        total = sum(own.values())
        table.append(
            (
                Cell(name, f"/reports/author/{author}/"),
                Cell(f"{group_name(first)} ({share(own[first], total)})", queue({"author": name}, group=first)),
                number(total),
                *(number(own[key]) if own.get(key) else Cell("–", number=True) for key in groups),
            )
        )
    head = ("author", "dominates", "failures", *map(group_name, groups))
    return Section("Failures of each author", table=Table(head, tuple(table)), empty="No failure is known.")


def of_tasks(pks: Iterable[int], names: Iterable[str]) -> Q:
    """Items of these tasks; `names` are those whose graphs are not here."""
    return Q(task__in=list(pks)) | Q(task=None, task_name__in=list(names))


def cause_name(group: str, kind: str) -> str:
    words = kind_name(group, kind)
    return f"{group_name(group)}: {words}" if words else group_name(group)


def queue(narrowed: dict[str, str], **more: str) -> str:
    """The address of the review queue with these filters, whatever was decided."""
    kept = {name: value for name, value in {**narrowed, **more}.items() if value}
    return f"/review/?{urlencode({**kept, 'state': 'any', 'view': 'list'})}"


def example_link(item: int) -> str:
    return f"/review/?state=any&view=list&item={item}"


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"
