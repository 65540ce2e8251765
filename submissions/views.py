"""Pages. Their content comes from the JSON API; the server renders the frame, so that something is there at once."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from graphs.access import access_any_graph, access_task
from graphs.refused import Refused


@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """All tasks."""
    return render(request, "catalogue.html", {"skeleton_rows": range(8)})


@require_safe
def workbench(request: HttpRequest, slug: str) -> HttpResponse:
    """One task: its graphs, the author's pass, the verdict."""
    try:
        task = access_task(slug)
    except Refused as refused:
        return _refused(request, refused)
    return render(request, "workbench.html", {"task": task})


@require_safe
def graph(request: HttpRequest, key: str) -> HttpResponse:
    """One graph: its drawing and code, what it is made of, its tasks, baselines and results."""
    try:
        found = access_any_graph(key)
    except Refused as refused:
        return _refused(request, refused)
    return render(request, "graph.html", {"graph": found})


@require_safe
def slower(request: HttpRequest) -> HttpResponse:
    """Which graphs get slower under a compiler, by how much, and why."""
    return render(request, "slower.html", {"skeleton_rows": range(12)})


@require_safe
def upload(request: HttpRequest) -> HttpResponse:
    """Bring in folders or a module through the browser."""
    return render(request, "upload.html")


def _refused(request: HttpRequest, refused: Refused) -> HttpResponse:
    return render(request, "404.html", {"message": refused.message, **refused.extra}, status=refused.status)
