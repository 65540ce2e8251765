"""Pages of reports, and the same as files."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from graphs.models import Task
from graphs.refused import Refused
from submissions.access import access_author
from submissions.authors import current_author
from submissions.reports.author import author_report
from submissions.reports.benchmark import benchmark_report
from submissions.reports.files import as_html, as_markdown
from submissions.reports.shapes import Report
from submissions.reports.task import task_report


@require_safe
def author(request: HttpRequest, author_id: int) -> HttpResponse:
    """Where an author fails, for whoever may read their work."""
    reader = current_author(request)
    return _answer(request, author_report(reader, access_author(reader, author_id)))


@require_safe
def benchmark(request: HttpRequest, name: str) -> HttpResponse:
    """A benchmark as on its board; failures of the work that the reader may look into."""
    reader = current_author(request)
    return _answer(request, benchmark_report(reader, name, request.GET.get("context", "")[:300]))


@require_safe
def task(request: HttpRequest, slug: str) -> HttpResponse:
    reader = current_author(request)
    found = Task.objects.defer("thumbnail", "example_files", "search_text").filter(slug=slug).first()
    if found is None:
        raise Refused(404, "unknown_task", f"There is no task {slug[:100]!r} here. / lists all.")
    return _answer(request, task_report(reader, found))


def _answer(request: HttpRequest, report: Report) -> HttpResponse:
    form = request.GET.get("format", "")
    base = request.build_absolute_uri("/").rstrip("/")
    if form == "html":
        return as_html(report, base)
    if form == "markdown":
        return as_markdown(report, base)
    if form:
        raise Refused(400, "unknown_format", f"There is no format {form[:20]!r}. Choose of: html, markdown.")
    query = request.GET.copy()
    query.pop("format", None)
    kept = query.urlencode()
    return render(request, "reports/report.html", {"report": report, "base": "", "query": f"{kept}&" if kept else ""})
