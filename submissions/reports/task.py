"""One task: what became of each author's submissions, and why they fail."""

from django.utils import timezone

from graphs.models import Task
from submissions.access import may_read_work
from submissions.boards.outcome import Outcome, best
from submissions.boards.shown import context_name
from submissions.boards.stored import Context, scored_runs
from submissions.models import Author, Submission
from submissions.reports.failures import by_author, causes, common, failing, flagged, queue
from submissions.reports.shapes import Bar, Cell, Figure, Report, Section, Table, number

_MOST = 60


def task_report(reader: Author, task: Task) -> Report:
    """Of the work that this reader may look into."""
    items = failing(reader).filter(task=task)
    narrowed = {"task": task.slug}
    handed = Submission.objects.filter(task=task)
    return Report(
        "Report of a task",
        task.title,
        f"task-{task.slug}",
        timezone.now(),
        (
            ("graphs", f"{task.graph_count:,}"),
            ("imported submissions", f"{handed.count():,}"),
            ("failures in the review queue", f"{items.count():,}"),
        ),
        (Cell("workbench", f"/tasks/{task.slug}/"), Cell("failures in the review queue", queue(narrowed))),
        (
            _results(reader, task),
            causes(items, narrowed),
            common(items),
            by_author(items),
            flagged(items, narrowed),
            _reported(reader, task),
        ),
    )


def _results(reader: Author, task: Task) -> Section:
    found: dict[tuple[int, Context], list[Outcome]] = {}
    for run in scored_runs([task.pk]):
        found.setdefault((run.author, run.context), []).append(run.outcome)
    authors = {
        one.pk: one
        for one in Author.objects.select_related("user").filter(pk__in={author for author, _ in found})
        if may_read_work(reader, one)
    }
    rows = [
        (authors[author], context, best(outcomes), len(outcomes))
        for (author, context), outcomes in found.items()
        if author in authors
    ]
    rows.sort(key=lambda row: (row[1].key, -(row[2].score or 0.0), -row[2].correct, row[0].name))
    table = tuple(
        (
            Cell(author.name, f"/reports/author/{author.pk}/"),
            Cell(context_name(context)),
            Cell(f"{one.correct} of {one.graphs}", f"/tasks/{task.slug}/?run={one.run}", number=True),
            Cell("–" if one.score is None else f"{one.score:.3f}", number=True),
            number(count),
            Cell("violation" if one.exploit else ""),
        )
        for author, context, one, count in rows[:_MOST]
    )
    bars = tuple(
        Bar(author.name, one.correct / one.graphs if one.graphs else 0.0, f"{one.correct} of {one.graphs}")
        for author, _, one, _ in rows[:20]
    )
    figure = Figure("Correct graphs of each author's best run", "share of the graphs", bars)
    head = ("author", "measured on", "correct graphs", "AS", "runs", "integrity")
    return Section(
        "Results", "The best run of each author counts.", figure, Table(head, table), "No run has ended here."
    )


def _reported(reader: Author, task: Task) -> Section:
    handed = Submission.objects.filter(task=task, reported__isnull=False).select_related("author__user")
    rows = [one for one in handed.defer("files").order_by("-reported")[:_MOST] if may_read_work(reader, one.author)]
    table = tuple(
        (
            Cell(one.author.name, f"/reports/author/{one.author_id}/"),
            number(one.reported or 0.0, 3),
            Cell("open", f"/boards/submissions/{one.pk}/"),
        )
        for one in rows
    )
    words = "By the authors' own runs; not measured here."
    return Section("Reported scores", words, table=Table(("author", "reported", ""), table), empty="None was reported.")
