"""JSON API of batches: one author over many tasks; begin, follow, pause, resume, stop."""

from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from assistant.access import access_batch, access_provider
from assistant.actions.batches import do_begin_batch, do_pause_batch, do_resume_batch, do_stop_batch
from assistant.batches.choosing import named_tasks, shipped_benchmark
from assistant.batches.drafting import drafter_version
from assistant.batches.progress import progress_of
from assistant.endpoints import endpoint_of
from assistant.models import Batch
from assistant.sending import check_may_send
from graphs.models import Task
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author
from submissions.devices import device_names
from submissions.models import Author

router = Router(tags=["assistant"])

BEGUN = limits.Rate("batch begun", 5, 30)
CHANGED = limits.Rate("batch changed", 60, 1)
_LISTED = 50
_ITEMS = 500  # of a batch on one page


class Begin(Schema):
    """`tasks` are slugs; without any it is the shipped benchmark."""

    tasks: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=5_000)] = []
    device: Annotated[str, Field(max_length=60)] = "cpu"
    provider: int | None = None  # of the model; null: the drafter
    most: Annotated[int, Field(ge=1, le=50)] = 8  # sets of files that the drafter has judged for a task
    steps: Annotated[int, Field(ge=1, le=500)] = 40  # of a model for each task, like all that follow
    minutes: Annotated[int, Field(ge=1, le=1440)] = 60
    tokens: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    cost: Annotated[Decimal, Field(gt=0, lt=1_000_000)] | None = None


class BatchOut(Schema):
    id: UUID
    kind: str
    device: str
    version: str
    state: str
    message: str
    created_at: datetime
    ended_at: datetime | None
    total: int
    waiting: int
    running: int
    done: int
    left_out: int
    solved: int
    score: float | None


class ItemOut(Schema):
    task: str
    title: str
    state: str
    message: str
    attempt: UUID | None
    evaluations: list[dict[str, Any]]
    best: dict[str, Any] | None


class BatchDetail(BatchOut):
    items: list[ItemOut]
    pages: int  # of items


class BatchList(Schema):
    batches: list[BatchOut]


@router.post("/assistant/batches", response={201: BatchOut}, summary="Let the drafter or a model try many tasks")
def begin(request: HttpRequest, body: Begin) -> Status[dict[str, Any]]:
    author = current_author(request)
    limits.take(BEGUN, author.pk)
    tasks = named_tasks(body.tasks) if body.tasks else shipped_benchmark()
    return Status(201, _shown(begin_batch(author, tasks, body)))


def begin_batch(author: Author, tasks: list[Task], wanted: Begin) -> Batch:
    """Begins what is wanted, over these tasks. Raises Refused."""
    if wanted.device not in device_names():
        raise Refused(400, "unknown_device", f"There is no device class {wanted.device!r} here.")
    if wanted.provider is None:
        budget: dict[str, Any] = {"most": wanted.most}
        return do_begin_batch(author, Batch.Kind.DRAFTER, tasks, wanted.device, budget, drafter_version())
    provider = access_provider(author, wanted.provider)
    if tasks:
        check_may_send(author, tasks[0], endpoint_of(provider, with_key=False).host)
    budget = {
        "max_steps": wanted.steps,
        "max_seconds": wanted.minutes * 60,
        "max_tokens": wanted.tokens,
        "max_cost": None if wanted.cost is None else str(wanted.cost),
    }
    return do_begin_batch(author, Batch.Kind.MODEL, tasks, wanted.device, budget, provider.model[:80], provider)


@router.get("/assistant/batches", response=BatchList, summary="The author's batches, newest first")
def batches(request: HttpRequest) -> dict[str, Any]:
    rows = Batch.objects.filter(author=current_author(request))[:_LISTED]
    return {"batches": [_shown(row) for row in rows]}


@router.get("/assistant/batches/{batch_id}", response=BatchDetail, summary="One batch, task by task")
def batch(request: HttpRequest, batch_id: str, page: Annotated[int, Field(ge=1)] = 1) -> dict[str, Any]:
    """500 tasks on a page; one behind the last is empty."""
    found = access_batch(current_author(request), batch_id)
    pages = Paginator(found.items.select_related("task"), _ITEMS)
    items = [
        {
            "task": item.task.slug,
            "title": item.task.title,
            "state": item.state,
            "message": item.message,
            "attempt": item.attempt_id,
            "evaluations": item.evaluations,
            "best": item.best,
        }
        for item in (pages.page(page).object_list if page <= pages.num_pages else [])
    ]
    return {**_shown(found), "items": items, "pages": pages.num_pages}


@router.post("/assistant/batches/{batch_id}/pause", response=BatchOut, summary="Begin no further task")
def pause(request: HttpRequest, batch_id: str) -> dict[str, Any]:
    found = _to_change(request, batch_id)
    do_pause_batch(found)
    return _again(found)


@router.post("/assistant/batches/{batch_id}/resume", response=BatchOut, summary="Go on with a paused batch")
def resume(request: HttpRequest, batch_id: str) -> dict[str, Any]:
    found = _to_change(request, batch_id)
    do_resume_batch(found)
    return _again(found)


@router.post("/assistant/batches/{batch_id}/stop", response=BatchOut, summary="End it; what was judged is kept")
def stop(request: HttpRequest, batch_id: str) -> dict[str, Any]:
    found = _to_change(request, batch_id)
    do_stop_batch(found)
    return _again(found)


def _to_change(request: HttpRequest, batch_id: str) -> Batch:
    author = current_author(request)
    limits.take(CHANGED, author.pk)
    return access_batch(author, batch_id)


def _again(found: Batch) -> dict[str, Any]:
    found.refresh_from_db()
    return _shown(found)


def _shown(row: Batch) -> dict[str, Any]:
    names = ("id", "kind", "device", "version", "state", "message", "created_at", "ended_at")
    return {**{name: getattr(row, name) for name in names}, **asdict(progress_of(row))}
