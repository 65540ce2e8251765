"""JSON API of attempts: begin some, follow them, pause, resume, stop; and the trajectories that came of them."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router, Schema, Status
from pydantic import Field

from assistant.access import access_attempt, access_provider
from assistant.actions.attempts import do_begin_attempts, do_resume, do_wish
from assistant.endpoints import endpoint_of
from assistant.models import Attempt
from assistant.sending import check_may_send
from assistant.trajectories import Filters, json_lines
from graphs.access import access_task
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author
from submissions.devices import device_names
from submissions.files import check_files, check_texts
from submissions.safe_json import safe_text
from submissions.streaming import streamed

router = Router(tags=["assistant"])

BEGUN = limits.Rate("attempt begun", 20, 10)
CHANGED = limits.Rate("attempt changed", 60, 1)
_LISTED = 100


class Begin(Schema):
    provider: int
    files: dict[str, str]  # what it starts from
    goal: Annotated[str, Field(max_length=20_000)] = ""
    device: str = "cpu"
    count: Annotated[int, Field(ge=1, le=8)] = 1  # attempts alike, of which the best counts
    steps: Annotated[int, Field(ge=1, le=500)] = 40  # of each, like all that follow
    minutes: Annotated[int, Field(ge=1, le=1440)] = 60
    tokens: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0  # 0: no limit
    cost: Annotated[Decimal, Field(gt=0, lt=1_000_000)] | None = None  # in the provider's currency


class Evaluation(Schema):
    step: int
    run: str
    state: str
    verdict: str
    correct: int
    total: int
    first_t: int | None
    score: float | None


class AttemptOut(Schema):
    id: UUID
    conversation: UUID
    title: str
    task: str
    device: str
    state: str
    wish: str
    steps: int
    max_steps: int
    tokens: int
    max_tokens: int
    cost: Decimal | None  # null: of some answer the price is not known
    max_cost: Decimal | None
    seconds: float
    max_seconds: int
    best: Evaluation | None
    evaluations: list[Evaluation]
    exit_reason: str
    message: str
    created_at: datetime
    ended_at: datetime | None


class AttemptList(Schema):
    attempts: list[AttemptOut]


class AttemptPage(AttemptList):
    pages: int


@router.post("/assistant/tasks/{slug}/attempts", response={201: AttemptList}, summary="Let a model try by itself")
def begin(request: HttpRequest, slug: str, body: Begin) -> Status[dict[str, Any]]:
    """What an attempt made is proposed in its conversation when it ends, and stands in its runs."""
    author, task = current_author(request), access_task(slug)
    limits.take(BEGUN, author.pk)
    provider = access_provider(author, body.provider)
    check_may_send(author, task, endpoint_of(provider, with_key=False).host)
    check_files(body.files, may_be_empty=True)
    check_texts(body.files)
    if body.device not in device_names():
        raise Refused(400, "unknown_device", f"There is no device class {body.device[:60]!r} here.")
    budget = {
        "max_steps": body.steps,
        "max_seconds": body.minutes * 60,
        "max_tokens": body.tokens,
        "max_cost": body.cost,
    }
    made = do_begin_attempts(author, task, provider, body.files, safe_text(body.goal), body.device, body.count, budget)
    return Status(201, {"attempts": [_shown(access_attempt(author, one.pk)) for one in made]})


@router.get("/assistant/tasks/{slug}/attempts", response=AttemptPage, summary="The author's attempts, newest first")
def list_attempts(request: HttpRequest, slug: str, page: Annotated[int, Field(ge=1)] = 1) -> dict[str, Any]:
    """100 on a page; one behind the last is empty."""
    mine = Attempt.objects.filter(conversation__author=current_author(request), conversation__task=access_task(slug))
    light = mine.select_related("conversation__task").defer("first_files", "files", "best_files")
    pages = Paginator(light, _LISTED)
    rows = pages.page(page).object_list if page <= pages.num_pages else []
    return {"attempts": [_shown(row) for row in rows], "pages": pages.num_pages}


@router.get("/assistant/attempts/{attempt_id}", response=AttemptOut, summary="One attempt")
def attempt(request: HttpRequest, attempt_id: str) -> dict[str, Any]:
    return _shown(access_attempt(current_author(request), attempt_id))


@router.post("/assistant/attempts/{attempt_id}/pause", response=AttemptOut, summary="Pause after the step")
def pause(request: HttpRequest, attempt_id: str) -> dict[str, Any]:
    return _wished(request, attempt_id, Attempt.Wish.PAUSE)


@router.post("/assistant/attempts/{attempt_id}/stop", response=AttemptOut, summary="End it; its best is kept")
def stop(request: HttpRequest, attempt_id: str) -> dict[str, Any]:
    return _wished(request, attempt_id, Attempt.Wish.STOP)


@router.post("/assistant/attempts/{attempt_id}/resume", response=AttemptOut, summary="Go on with a paused attempt")
def resume(request: HttpRequest, attempt_id: str) -> dict[str, Any]:
    author = current_author(request)
    limits.take(CHANGED, author.pk)
    do_resume(access_attempt(author, attempt_id))
    return _shown(access_attempt(author, attempt_id))


@router.get("/assistant/trajectories", summary="The author's ended attempts as JSON Lines")
def trajectories(
    request: HttpRequest,
    least_score: Annotated[str, Field(max_length=40)] = "",
    honest: bool = False,
    correct: bool = False,
    best_per_task: bool = False,
    held_out: Annotated[str, Field(max_length=20_000)] = "",
    licences: Annotated[str, Field(max_length=2_000)] = "",
) -> StreamingHttpResponse:
    """`held_out`: slugs of tasks that must not occur, nor tasks that share a graph's code with them; `licences`: only
    tasks under one of these. Both with commas between. Tasks that are marked held out or never sent are left out."""
    try:
        least = float(least_score) if least_score else None
    except ValueError:
        raise Refused(422, "invalid", f"least_score is a number, not {least_score!r}.") from None
    filters = Filters(least, honest, correct, best_per_task, _parts(held_out), _parts(licences))
    lines = json_lines(current_author(request), filters)
    return streamed(request, lines, "application/x-ndjson; charset=utf-8", "trajectories.jsonl")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _wished(request: HttpRequest, attempt_id: str, wish: Attempt.Wish) -> dict[str, Any]:
    author = current_author(request)
    limits.take(CHANGED, author.pk)
    do_wish(access_attempt(author, attempt_id), wish)
    return _shown(access_attempt(author, attempt_id))


def _shown(row: Attempt) -> dict[str, Any]:
    names = [name for name in AttemptOut.model_fields if name not in ("conversation", "title", "task")]
    return {
        **{name: getattr(row, name) for name in names},
        "conversation": row.conversation_id,
        "title": row.conversation.title,
        "task": row.conversation.task.slug,
    }
