"""Pages of boards, and of what run folders brought: all rendered by the server, the state of each in its address."""

from itertools import groupby
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from graphs.refused import Refused
from submissions import limits
from submissions.access import access_author, access_submission, may_read_work
from submissions.actions.run_folders import Described, do_get_author, do_want_evaluation, may_import_for
from submissions.authors import author_or_none, current_author
from submissions.boards import columns, published
from submissions.boards.costs import board_trajectories
from submissions.boards.history import curves
from submissions.boards.history_shown import drawing
from submissions.boards.making import Found, find_board, runs_of
from submissions.boards.shown import EXPLOITS, UNSOLVED, columns_of, context_name, lines_of, task_lines
from submissions.devices import device_names
from submissions.models import Run, Submission
from submissions.uploading.run_folders import import_archive

_LISTED = 100  # submissions of a page
_MOST_TEXT = 200
_PARTS = ("benchmark", "context", "sort", "q", "show")


@require_safe
def boards(request: HttpRequest) -> HttpResponse:
    """One leaderboard, with a heat-map of its tasks."""
    given = {name: request.GET.get(name, "")[:300] for name in _PARTS}
    found = find_board(given["benchmark"], given["context"], with_people=author_or_none(request) is not None)
    shown = {
        "found": found,
        "contexts": [(one.key, context_name(one)) for one in found.contexts],
        "context_name": context_name(found.context) if found.context else "",
        "given": given,
        "query": urlencode({"benchmark": given["benchmark"], "context": given["context"]}),
        "columns_module": columns,
        "published": published,
        **_table(found, given, visitor=author_or_none(request) is None),
    }
    return render(request, "boards/boards.html", shown)


def _table(found: Found, given: dict[str, str], *, visitor: bool) -> dict[str, object]:
    if found.board is None:
        return {}
    kept = columns_of(found.board, reported=found.reported)
    if given["sort"].removeprefix("-") not in ("", "author", "exploits", *(column.key for column in kept)):
        raise Refused(404, "unknown_order", "There is no such column to sort by. /boards/ has the board's own order.")
    paths = {} if visitor else board_trajectories(found.board)
    lines = lines_of(found.board, kept, given["sort"], given["q"], paths)
    heads = [
        (column, _sort_link(given, column.key, down_first=True), _sorted(given["sort"], column.key)) for column in kept
    ]
    return {
        "heads": heads,
        "by_author": (_sort_link(given, "author", down_first=False), _sorted(given["sort"], "author")),
        "by_exploits": (_sort_link(given, "exploits", down_first=True), _sorted(given["sort"], "exploits")),
        "own_order": _link(given, sort=""),
        "lines": lines,
        "has_cost": any(line.cost is not None for line in lines),
        "history": drawing(curves(found.board, runs_of(found)), timed=found.board.timed),
        "tasks": task_lines(found.board, lines, given["show"], paths),
        "shows": [
            (_link(given, show=key), name, given["show"] == key)
            for key, name in (("", "all"), (UNSOLVED, "solved by nobody"), (EXPLOITS, "with violations"))
        ],
    }


def _sort_link(given: dict[str, str], key: str, *, down_first: bool) -> str:
    first, second = (f"-{key}", key) if down_first else (key, f"-{key}")
    return _link(given, sort=second if given["sort"] == first else first)


def _link(given: dict[str, str], **changes: str) -> str:
    return "?" + urlencode({name: value for name, value in {**given, **changes}.items() if value})


def _sorted(sort: str, key: str) -> str:
    return "" if sort.removeprefix("-") != key else "descending" if sort.startswith("-") else "ascending"


@require_safe
def author(request: HttpRequest, author_id: int) -> HttpResponse:
    """What an author handed in by run folders: reported scores beside what was measured."""
    return _author(request, author_id, "")


def _author(request: HttpRequest, author_id: int, problem: str, status: int = 200) -> HttpResponse:
    reader = current_author(request)
    found = access_author(reader, author_id)
    rows = Submission.objects.filter(author=found).select_related("task").defer("files").order_by("task_name", "-pk")
    words = request.GET.get("q", "").strip()[:_MOST_TEXT]
    which = request.GET.get("show", "")
    rows = rows.filter(task_name__icontains=words) if words else rows
    if which == "findings":
        rows = rows.exclude(findings=None).exclude(findings=[])
    elif which == "problems":
        rows = rows.exclude(problem="")
    page = Paginator(rows, _LISTED).get_page(request.GET.get("page"))
    runs = Run.objects.filter(revision__in=[one.revision_id for one in page if one.revision_id], baseline_run=None)
    by_revision = {
        key: list(own)
        for key, own in groupby(runs.defer("result").order_by("revision_id"), lambda run: run.revision_id)
    }
    shown = {
        "author": found,
        "page": page,
        "rows": [(one, by_revision.get(one.revision_id, [])) for one in page],
        "logs": found.reported_logs.all()[:20],
        "given": {"q": words, "show": which},
        "may_import": may_import_for(reader, found),
        "devices": device_names(),
        "waiting": Submission.objects.filter(author=found).exclude(wanted_on="").count(),
        "problem": problem,
    }
    return render(request, "boards/author.html", shown, status=status)


@require_safe
def submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    """One of them: code, findings, the reported score, runs. The task's graphs need not be here."""
    reader = current_author(request)
    found = access_submission(reader, submission_id)
    runs = (
        Run.objects.filter(revision=found.revision_id, baseline_run=None).defer("result") if found.revision_id else ()
    )
    others = Submission.objects.filter(task_name=found.task_name).exclude(pk=found.pk).select_related("author")
    shown = {
        "submission": found,
        "files": sorted((name, text.encode("utf-8", "replace").decode()) for name, text in found.files.items()),
        "runs": runs,
        "others": [one for one in others.defer("files")[:50] if may_read_work(reader, one.author)],
    }
    return render(request, "boards/submission.html", shown)


@require_POST
def evaluate(request: HttpRequest, author_id: int) -> HttpResponse:
    """Queues evaluations of all that an author handed in, behind people."""
    reader = current_author(request)
    limits.take(limits.UPLOADS, reader.pk)
    found = access_author(reader, author_id)
    if not may_import_for(reader, found):
        raise Refused(403, "not_yours", "You did not bring this author's work in: you may look at it, not queue it.")
    try:
        do_want_evaluation(found, request.POST.get("device", ""))
    except Refused as refused:
        return _author(request, author_id, refused.message, refused.status)
    return HttpResponseRedirect(f"/boards/authors/{found.pk}/")


@require_safe
def upload(request: HttpRequest) -> HttpResponse:
    """The form that takes a run folder in an archive."""
    current_author(request)
    return render(request, "boards/upload.html", {"given": {}})


@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    """Reads the archive and shows what its author has now; the form again, with the reason, where it is refused."""
    reader = current_author(request)
    given = {name: request.POST.get(name, "").strip()[:_MOST_TEXT] for name in ("author", "version")}
    file = request.FILES.get("archive")
    try:
        limits.take(limits.UPLOADS, reader.pk)
        if file is None:
            raise Refused(400, "no_file", "No archive was chosen. Choose a zip, tar or tar.gz of the run folder.")
        found = do_get_author(given["author"], Described(given["version"]), reader)
        report, said = import_archive(file.read(), str(file.name), found)
    except Refused as refused:
        return render(
            request, "boards/upload.html", {"given": given, "problem": refused.message}, status=refused.status
        )
    return render(
        request, "boards/upload.html", {"given": given, "author": found, "counts": report.as_json(), "said": said}
    )
