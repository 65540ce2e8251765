"""Pages of the assistant: batches, attempts step by step, an author's iteration curves. All rendered by the server."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from pydantic import ValidationError

from assistant.access import access_attempt, access_batch, providers_of
from assistant.actions.batches import do_pause_batch, do_resume_batch, do_stop_batch
from assistant.author_curves import author_to_show, curves_of
from assistant.batch_api import BEGUN, CHANGED, Begin, begin_batch
from assistant.batches.choosing import named_tasks, shipped_benchmark
from assistant.batches.progress import progress_of
from assistant.iteration import share_reached, share_wavering
from assistant.models import Attempt, Batch
from assistant.player import steps_of
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author
from submissions.devices import device_names

_LISTED = 100  # rows of one page
_STEPS = 50
_LABELS = {"most": "sets of files a task", "steps": "steps a task", "cost": "money"}  # of the form, where they differ
_CHANGES = {"pause": do_pause_batch, "resume": do_resume_batch, "stop": do_stop_batch}


@require_safe
def batches(request: HttpRequest) -> HttpResponse:
    """The author's batches, and the form that begins one."""
    return _batches(request, {}, "")


@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Begins a batch and shows it; the form again, with the reason, where it is refused."""
    if request.method != "POST":  # the address stands in the browser after a refusal
        return HttpResponseRedirect("/batches/")
    author = current_author(request)
    given = {name: request.POST.get(name, "").strip() for name in (*Begin.model_fields, "which")}
    fields = {name: value for name, value in given.items() if value and name not in ("tasks", "which")}
    try:
        limits.take(BEGUN, author.pk)
        slugs = given["tasks"].replace(",", " ").split()
        if given["which"] == "named" and not slugs:
            raise Refused(400, "no_tasks", "No task is named. Write the slugs of some, or choose the benchmark.")
        tasks = named_tasks(slugs) if given["which"] == "named" else shipped_benchmark()
        batch = begin_batch(author, tasks, Begin.model_validate(fields))
    except Refused as refused:
        return _batches(request, given, refused.message, refused.status)
    except ValidationError as error:
        return _batches(request, given, _said(error), 400)
    return HttpResponseRedirect(f"/batches/{batch.pk}/")


def _said(error: ValidationError) -> str:
    """The first thing that is wrong with the form, in the words of its labels."""
    first = error.errors()[0]
    field = str(first["loc"][0])
    return f"Look at “{_LABELS.get(field, field)}”: {first['msg'][:1].lower()}{first['msg'][1:]}."


def _batches(request: HttpRequest, given: dict[str, str], problem: str, status: int = 200) -> HttpResponse:
    author = current_author(request)
    page = Paginator(Batch.objects.filter(author=author), _LISTED).get_page(request.GET.get("page"))
    shown = {
        "page": page,
        "rows": [(batch, progress_of(batch)) for batch in page],
        "devices": device_names(),
        "providers": providers_of(author),
        "given": given,
        "problem": problem,
    }
    return render(request, "assistant/batches.html", shown, status=status)


@require_safe
def batch(request: HttpRequest, batch_id: str) -> HttpResponse:
    """One batch, task by task."""
    found = access_batch(current_author(request), batch_id)
    items = found.items.select_related("task")
    wanted = request.GET.get("state", "")
    if wanted:
        items = items.filter(state=wanted)
    page = Paginator(items, _LISTED).get_page(request.GET.get("page"))
    shown = {"batch": found, "progress": progress_of(found), "page": page, "state": wanted}
    return render(request, "assistant/batch.html", shown)


@require_POST
def change_batch(request: HttpRequest, batch_id: str) -> HttpResponse:
    """Pause, resume or stop it."""
    author = current_author(request)
    limits.take(CHANGED, author.pk)
    found = access_batch(author, batch_id)
    change = _CHANGES.get(request.POST.get("wish", ""))
    if change is None:
        raise Refused(400, "unknown_wish", f"A batch can be asked to {', '.join(_CHANGES)}.")
    change(found)
    return HttpResponseRedirect(f"/batches/{found.pk}/")


@require_safe
def attempts(request: HttpRequest) -> HttpResponse:
    """The author's attempts, newest first, and the form that exports them."""
    rows = Attempt.objects.filter(conversation__author=current_author(request))
    rows = rows.select_related("conversation__task", "conversation__provider").defer(
        "first_files", "files", "best_files"
    )
    query = request.GET.get("q", "").strip()[:200]
    if query:
        rows = rows.filter(conversation__task__slug__icontains=query)
    page = Paginator(rows, _LISTED).get_page(request.GET.get("page"))
    return render(request, "assistant/attempts.html", {"page": page, "query": query})


@require_safe
def attempt(request: HttpRequest, attempt_id: str) -> HttpResponse:
    """One attempt, step by step; with `q` only what holds these words. Of one that goes on, its last page first."""
    found = access_attempt(current_author(request), attempt_id)
    query = request.GET.get("q", "").strip()[:200]
    steps = steps_of(found)
    matching = [step for step in steps if query.lower() in step.searched] if query else steps
    pages = Paginator(matching, _STEPS)
    at_the_end = found.state in (Attempt.State.QUEUED, Attempt.State.RUNNING) and not query
    page = pages.get_page(request.GET.get("page", pages.num_pages if at_the_end else 1))
    shown: dict[str, Any] = {"attempt": found, "page": page, "total": len(steps), "query": query}
    return render(request, "assistant/attempt.html", shown)


@require_safe
def author(request: HttpRequest, name: str = "") -> HttpResponse:
    """What repeated evaluation has brought an author, task by task."""
    reader = current_author(request)
    found = author_to_show(reader, name)
    rows = curves_of(found)
    only = [row.curve for row in rows]
    shown = {
        "author": found,
        "rows": rows,
        "reached": share_reached(only),
        "repeated": sum(one.reached is not None and len(one.values) > 1 for one in only),
        "passed": sum(one.passed for one in only),
        "wavering": share_wavering(only),
        "own": found.pk == reader.pk,
    }
    return render(request, "assistant/author.html", shown)
