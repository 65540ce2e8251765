"""Answers for what is not there, what is refused and what went wrong: HTML for people, JSON under /api/."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from graphs.refused import Refused


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404. Our own views say what is missing; Django's resolver does not."""
    said = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    if request.path.startswith("/api/"):
        message = f"There is nothing at {request.path[:200]}. /api/docs lists what there is."
        return JsonResponse({"error": said or message, "code": "not_found"}, status=404)
    message = said or f"There is no page at {request.path[:200]}."
    return render(request, "404.html", {"message": message}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, a Host header that is not ours for instance. Nothing of the request is repeated."""
    message = "The request is malformed, or asks for a host that is not this workbench's (ALLOWED_HOSTS)."
    return HttpResponse(message, status=400, content_type="text/plain; charset=utf-8")


def server_error(request: HttpRequest) -> HttpResponse:
    """500. The reason is in the log, never in the answer."""
    if request.path.startswith("/api/"):
        message = "The server failed; that is a fault of the workbench. The reason is in its log. Try again."
        return JsonResponse({"error": message, "code": "server_error"}, status=500)
    return render(request, "500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form without its token: nearly always a page that was open while its owner logged in or out."""
    message = "This form is older than your session, so that nothing was done. Load the page again and repeat it."
    return refused_response(request, Refused(403, "csrf", message))


def refused_response(request: HttpRequest, refused: Refused) -> HttpResponse:
    """A refusal for a program or for a person."""
    if request.path.startswith("/api/"):
        answer: HttpResponse = JsonResponse(refused_json(refused), status=refused.status)
    else:
        said: dict[str, Any] = {"message": refused.message, **refused.extra}
        template = "404.html" if refused.status == 404 else "refused.html"
        answer = render(request, template, said, status=refused.status)
    return with_headers(answer, refused)


def refused_json(refused: Refused) -> dict[str, Any]:
    """The body of a refusal."""
    return {"error": refused.message, "code": refused.code, **refused.extra}


def with_headers(answer: HttpResponse, refused: Refused) -> HttpResponse:
    """Says when to come back, or how to say who one is, where HTTP has a header for it."""
    if "retry_after" in refused.extra:
        answer.headers["Retry-After"] = str(int(refused.extra["retry_after"]))
    if refused.status == 401:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="PassNet Workbench"'
    return answer
