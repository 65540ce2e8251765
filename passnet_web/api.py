"""The JSON API under /api/: routers of the rooms, and one shape for every error."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from assistant.api import router as drafter
from assistant.attempt_api import router as attempts
from assistant.batch_api import router as batches
from assistant.chat_api import router as chat
from assistant.evaluate_api import router as evaluations
from assistant.provider_api import router as providers
from assistant.tool_api import router as tools
from graphs.api import router as graphs
from graphs.refused import Refused
from passnet_web.errors import with_headers
from submissions.api.baselines import router as baselines
from submissions.api.boards import router as boards
from submissions.api.checks import router as checks
from submissions.api.comparing import router as comparisons
from submissions.api.comparing_authors import router as author_comparisons
from submissions.api.devices import router as devices
from submissions.api.drafts import router as drafts
from submissions.api.graphs import router as graph_pages
from submissions.api.history import router as history
from submissions.api.imports import router as imports
from submissions.api.patterns import router as patterns
from submissions.api.ratings import router as blind_ratings
from submissions.api.reviewing import router as review_queue
from submissions.api.reviews import router as reviews
from submissions.api.runs import router as runs
from submissions.api.searches import router as searches
from submissions.api.shares import router as shares
from submissions.api.slower import router as slower
from submissions.api.tasks import router as tasks
from submissions.api.uploads import router as uploads

api = NinjaAPI(
    title="PassNet Workbench",
    version="1",
    description="Tasks, drafts, runs and their logs. Every error is `{error, code}`: what happened, why, what to do.",
)
for router in (
    tasks,
    graphs,
    graph_pages,
    drafts,
    checks,
    runs,
    reviews,
    review_queue,
    devices,
    baselines,
    slower,
    boards,
    comparisons,
    author_comparisons,
    blind_ratings,
    patterns,
    history,
    imports,
    searches,
    shares,
    uploads,
    drafter,
    providers,
    chat,
    attempts,
    batches,
    evaluations,
    tools,
):
    api.add_router("", router)


def _error(request: HttpRequest, status: int, code: str, message: str, **extra: Any) -> HttpResponse:
    return api.create_response(request, {"error": message, "code": code, **extra}, status=status)


@api.exception_handler(Refused)
def _refused(request: HttpRequest, refused: Refused) -> HttpResponse:
    return with_headers(_error(request, refused.status, refused.code, refused.message, **refused.extra), refused)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0] if error.errors else {}
    where = ".".join(str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path"))
    message = f"The request can not be read: {where or 'body'}: {first.get('msg', 'is not valid')}. See /api/docs."
    return _error(request, 422, "invalid", message)


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return _error(request, error.status_code, "bad_request", f"{error}. See /api/docs for what is expected.")


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return _error(request, 404, "not_found", "There is nothing at this address. /api/docs lists what there is.")


@api.exception_handler(RequestDataTooBig)
def _too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return _error(request, 413, "too_big", "The body is larger than 4 MB. A submission has at most 1 MB of files.")
