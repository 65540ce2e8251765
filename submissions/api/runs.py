"""Runs: ask for one, follow it by event number, cancel it, look at what it did to a graph."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from pydantic import Field

from graphs.access import access_task
from graphs.api import Files
from graphs.schemas import RewrittenOut
from submissions import limits
from submissions.access import access_run, access_run_to_cancel, may_review, visible_items
from submissions.actions.runs import do_cancel_run, do_request_run
from submissions.authors import current_author
from submissions.events import MAX_PAGE, read_events
from submissions.imported import ImportedOut, example_runs, imported_of
from submissions.models import Lane, Run
from submissions.queue import place_in_queue
from submissions.reviews import CountsOut, ReviewOut, reviews_of, what_counts
from submissions.rewritten import rewritten_json
from submissions.summary import rejection

router = Router(tags=["runs"])

HISTORY = 100


class RunIn(Schema):
    files: dict[str, str]
    device: str = "cpu"


class Queued(Schema):
    run: UUID
    revision: str
    revision_number: int


class RunRow(Schema):
    run: UUID
    revision: str
    revision_number: int
    state: str
    device: str
    created_at: datetime
    finished_at: datetime | None
    correct: int | None
    total: int | None
    first_t: int | None
    rejected: str | None  # why no graph was evaluated: bad_submission, violation
    verdict: str | None  # the judge's; it never changes
    reviewed_verdict: str | None  # a reviewer's, which stands instead
    imported: ImportedOut | None  # where it was measured, if not here


class RunList(Schema):
    runs: list[RunRow]
    examples: list[RunRow]  # ship with the task: measured elsewhere, for everybody to see


class RunDetail(RunRow):
    task: str
    files_hash: str
    started_at: datetime | None
    seq: int
    queue_position: int | None
    jobs_ahead: int | None
    expected_wait_seconds: float | None  # by the device's last runs; None: not known, or not waiting
    cancel_requested: bool
    result: dict[str, Any] | None
    message: str | None
    isolation: str | None  # what separated the submission from the machine; null before it was judged
    reviews: list[ReviewOut]
    counts: CountsOut | None  # the score that counts after a review; null where the judge's word stands
    overturns: UUID | None  # the run whose violation was overturned: this one scores its files all the same
    may_review: bool  # whoever asks may overturn the verdict
    review_item: int | None  # its place in the review queue, where whoever asks may look there
    author: str
    own: bool  # it is the asker's


class EventOut(Schema):
    seq: int
    kind: str
    payload: dict[str, Any]
    at: datetime


class EventPage(Schema):
    events: list[EventOut]
    last: int
    state: str


class StateOut(Schema):
    run: UUID
    state: str
    cancel_requested: bool


@router.post("/tasks/{slug}/runs", response={201: Queued}, summary="Hand files in and run them")
def request_run(request: HttpRequest, slug: str, body: RunIn) -> Status[dict[str, Any]]:
    author = current_author(request)
    limits.take(limits.RUNS, author.pk)
    run = do_request_run(author, access_task(slug), body.files, body.device)
    queued = {"run": run.pk, "revision": run.revision.hash, "revision_number": run.revision.number}
    return Status(201, queued)


@router.get("/tasks/{slug}/runs", response=RunList, summary="The author's runs of a task, newest first")
def run_history(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Without those that programs asked for in the background: `POST /api/evaluate` lists its own."""
    task = access_task(slug)
    mine = Run.objects.filter(task=task, author=current_author(request), baseline_run=None, lane__lt=Lane.BACKGROUND)
    runs = list(mine.select_related("revision").defer("result", "revision__files")[:HISTORY])
    # Only where nothing is correct can everything have been rejected; such results are short.
    nothing = Run.objects.filter(pk__in=[run.pk for run in runs if run.correct == 0 and run.total])
    rejected = {pk: rejection(result or {}) for pk, result in nothing.values_list("pk", "result")}
    examples = example_runs(task)
    marks = imported_of([*runs, *examples])
    return {
        "runs": [_row(run, rejected.get(run.pk), marks.get(run.pk)) for run in runs],
        "examples": [_row(run, None, marks.get(run.pk)) for run in examples],
    }


@router.get("/runs/{run_id}", response=RunDetail, summary="A run's state, its place in the queue, its result")
def run_detail(request: HttpRequest, run_id: str) -> dict[str, Any]:
    """`seq` and `state` are read together: events up to `seq` lead to exactly this state."""
    author = current_author(request)
    run = access_run(author, run_id)
    place = place_in_queue(run)
    return {
        **_row(run, rejection(run.result or {}), imported_of([run]).get(run.pk)),
        "task": run.task.slug,
        "files_hash": run.revision.hash,
        "started_at": run.started_at,
        "seq": run.seq,
        "queue_position": place.position,
        "jobs_ahead": place.ahead,
        "expected_wait_seconds": place.wait_seconds,
        "cancel_requested": run.cancel_requested,
        "result": run.result,
        "message": run.message or None,
        "isolation": run.isolation or None,
        "reviews": reviews_of(run),
        "counts": what_counts(run),
        "overturns": run.overturns_id,
        "may_review": may_review(author, run),
        "review_item": visible_items(author).filter(run=run).values_list("pk", flat=True).first(),
        "author": run.author.name,
        "own": run.author_id == author.pk,
    }


@router.get("/runs/{run_id}/events", response=EventPage, summary="The run's log after event number n")
def run_events(
    request: HttpRequest,
    run_id: str,
    after: Annotated[int, Field(ge=0)] = 0,
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 500,
) -> dict[str, Any]:
    """`last` is the number of the log's last event: ask again while the events given do not reach it."""
    run = access_run(current_author(request), run_id)
    events = [
        {"seq": row.seq, "kind": row.kind, "payload": row.payload, "at": row.at} for row in _events(run, after, limit)
    ]
    return {"events": events, "last": run.seq, "state": run.state}


@router.post("/runs/{run_id}/cancel", response=StateOut, summary="Cancel a run at any stage")
def cancel_run(request: HttpRequest, run_id: str) -> dict[str, Any]:
    """A queued run ends at once; a running one within about a second. What was measured is kept."""
    author = current_author(request)
    limits.take(limits.CANCELS, author.pk)
    run = access_run_to_cancel(author, run_id)
    state = do_cancel_run(run)
    return {"run": run.pk, "state": state.value, "cancel_requested": not state.is_final}


@router.get("/runs/{run_id}/files", response=Files, summary="The files of the run's revision")
def run_files(request: HttpRequest, run_id: str) -> dict[str, Any]:
    return {"files": access_run(current_author(request), run_id).revision.files}


@router.get(
    "/runs/{run_id}/graphs/{name}/rewritten", response=RewrittenOut, summary="A graph after the rewrite, drawn alike"
)
def rewritten(request: HttpRequest, run_id: str, name: str, step: int | None = None) -> HttpResponse:
    """The graph's JSON with `source` (the rewritten module's code) and `new_nodes` (what the passes put in).

    With `step` it is the graph between two passes, numbered from 0: after the first pass that changed it, and so on.
    """
    run = access_run(current_author(request), run_id)
    return HttpResponse(rewritten_json(run, name, step), content_type="application/json")


def _events(run: Run, after: int, limit: int) -> Any:
    # Never more than the run's row knows of: `last` and `state` belong to the same moment.
    return [row for row in read_events(run, after, limit) if row.seq <= run.seq]


def _row(run: Run, rejected: str | None, imported: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "run": run.pk,
        "revision": run.revision.hash,
        "revision_number": run.revision.number,
        "state": run.state,
        "device": run.device,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "correct": run.correct,
        "total": run.total,
        "first_t": run.first_t,
        "rejected": rejected,
        "verdict": run.verdict or None,
        "reviewed_verdict": run.reviewed_verdict or None,
        "imported": imported,
    }
