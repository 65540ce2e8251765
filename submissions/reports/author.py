"""Where one author fails, with examples."""

from django.db.models import Count
from django.utils import timezone

from evaluator.verdicts import RunState
from submissions.models import Author, ReviewItem, Run, Submission
from submissions.reports.failures import causes, common, failing, flagged, queue, share
from submissions.reports.shapes import Cell, Report, Section, Table, number

_MOST_TASKS = 40


def author_report(reader: Author, author: Author) -> Report:
    """The reader may read this author's work (submissions.access.access_author)."""
    items = failing(reader).filter(author=author)
    narrowed = {"author": author.name}
    handed = Submission.objects.filter(author=author).count()
    judged = Run.objects.filter(author=author, state=RunState.DONE, baseline_run=None)
    total, right = judged.count(), 0
    for correct, graphs in judged.values_list("correct", "total"):
        right += graphs is not None and graphs > 0 and correct == graphs
    reviewed = ReviewItem.objects.filter(author=author).exclude(decision="").count()
    kind = f"version {author.version}" if author.version else author.get_kind_display()
    return Report(
        "Report of an author",
        author.name,
        f"author-{author.pk}",
        timezone.now(),
        (
            ("who", kind),
            ("imported submissions", f"{handed:,}"),
            ("judged runs", f"{total:,}, {right:,} of them correct on every graph ({share(right, total)})"),
            ("failures in the review queue", f"{items.count():,}"),
            ("decided by reviewers", f"{reviewed:,}"),
        ),
        (
            Cell("submissions", f"/boards/authors/{author.pk}/"),
            Cell("failures in the review queue", queue(narrowed)),
        ),
        (
            causes(items, narrowed),
            common(items),
            flagged(items, narrowed),
            _tasks(author, items),
        ),
    )


def _tasks(author: Author, items: object) -> Section:
    assert hasattr(items, "values_list")
    rows = (
        items.values_list("task__slug", "task_name")
        .annotate(count=Count("pk"))
        .order_by("-count", "task_name")[:_MOST_TASKS]
    )
    table = tuple(
        (
            Cell(name, f"/reports/task/{slug}/" if slug else ""),
            number(count),
            Cell("open", queue({"author": author.name, "task": slug or name})),
        )
        for slug, name, count in rows
    )
    words = f"At most {_MOST_TASKS} tasks, those with most failures first."
    return Section("Tasks it fails on", words, table=Table(("task", "failures", ""), table), empty="On none.")
