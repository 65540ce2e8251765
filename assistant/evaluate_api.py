"""JSON API of the reward service: files in, a reward out; at once, within a deadline, or by id (docs/reward.md)."""

import math
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import Field

from assistant.actions.evaluations import Wanted, do_cancel, do_evaluate
from assistant.models import Evaluation
from assistant.reward import VERSION, Kind, reward
from evaluator.verdicts import RunState
from graphs.access import access_task
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author
from submissions.models import Author, Run
from submissions.queue import NOWHERE, UNKNOWN_SECONDS, Place, places_in_queue, usual_seconds

router = Router(tags=["reward"])

EVALUATED = limits.Rate("evaluation request", 200, 0.05)
MOST_AT_ONCE = 200  # of a batch, or asked after in one request
LONGEST_WAIT = 60.0  # seconds
_LOOK_SECONDS = 0.1
_LATEST_LOOK = 600  # seconds after which to look again, at the latest
# Each one that waits holds a thread and a connection to the database: beyond so many, the answer comes at once.
_waiting = threading.BoundedSemaphore(16)

Wait = Annotated[float, Field(ge=0, le=LONGEST_WAIT)]


class Item(Schema):
    task: Annotated[str, Field(max_length=200)]
    files: dict[str, str]
    device: Annotated[str, Field(max_length=60)] = "cpu"
    reward: Kind = Kind.SHAPED
    key: Annotated[str, Field(max_length=100)] = ""  # of your own: the same request again is the same evaluation


class EvaluateIn(Item):
    wait: Wait = 0.0  # seconds to wait for the end; 0 answers at once


class Batch(Schema):
    items: Annotated[list[Item], Field(min_length=1, max_length=MOST_AT_ONCE)]


class RewardOut(Schema):
    kind: Kind
    value: float | None  # null: nothing can be said, see docs/reward.md
    floor: bool  # an exploit, or something that waits for a reviewer
    graphs: dict[str, float] | None  # parts of the shaped reward
    version: int  # of the definition


class EvaluationOut(Schema):
    id: UUID
    key: str
    run: UUID
    task: str
    device: str
    state: str
    reward: RewardOut | None  # null until it has ended; and where it ended without a word on the files
    verdict: str | None
    correct: int | None
    total: int | None
    first_t: int | None
    aggregate_score: float | None
    es_t: dict[str, float] | None
    graphs: dict[str, dict[str, Any]] | None
    findings: list[dict[str, Any]]
    versions: dict[str, Any]
    message: str
    jobs_ahead: int | None
    expected_wait_seconds: float | None
    created_at: datetime


class EvaluationList(Schema):
    evaluations: list[EvaluationOut]


@router.post("/evaluate", response={200: EvaluationOut, 202: EvaluationOut}, summary="Have files judged for a reward")
def evaluate(request: HttpRequest, body: EvaluateIn, response: HttpResponse) -> tuple[int, dict[str, Any]]:
    """200 when it has ended within `wait`, else 202: ask again by id. 429 when too many wait."""
    author = current_author(request)
    limits.take(EVALUATED, author.pk)
    (made,) = do_evaluate(author, _wanted([body]))
    return _answer(author, made.pk, body.wait, response)


@router.post("/evaluate/batch", response={202: EvaluationList}, summary="Have many sets of files judged")
def evaluate_batch(request: HttpRequest, body: Batch) -> tuple[int, dict[str, Any]]:
    """All are queued, or none (429): send the batch again after the time that it says."""
    author = current_author(request)
    limits.take(EVALUATED, author.pk)
    made = do_evaluate(author, _wanted(body.items))
    return 202, {"evaluations": _shown(author, [one.pk for one in made])}


@router.get("/evaluate", response=EvaluationList, summary="Evaluations by id")
def evaluations(request: HttpRequest, ids: Annotated[str, Field(max_length=37 * MOST_AT_ONCE)]) -> dict[str, Any]:
    """`ids` with commas between; in that order."""
    return {"evaluations": _shown(current_author(request), [_uuid(text) for text in ids.split(",")[:MOST_AT_ONCE]])}


@router.get("/evaluate/{evaluation_id}", response={200: EvaluationOut, 202: EvaluationOut}, summary="One evaluation")
def evaluation(
    request: HttpRequest, evaluation_id: str, response: HttpResponse, wait: Wait = 0.0
) -> tuple[int, dict[str, Any]]:
    return _answer(current_author(request), _uuid(evaluation_id), wait, response)


@router.post("/evaluate/{evaluation_id}/cancel", response=EvaluationOut, summary="End one that is not wanted any more")
def cancel(request: HttpRequest, evaluation_id: str) -> dict[str, Any]:
    author = current_author(request)
    limits.take(limits.CANCELS, author.pk)
    do_cancel(_access(author, [_uuid(evaluation_id)])[0])
    return _shown(author, [_uuid(evaluation_id)])[0]


def _wanted(items: Sequence[Item]) -> list[Wanted]:
    tasks = {slug: access_task(slug) for slug in dict.fromkeys(item.task for item in items)}
    for item in items:
        if item.reward is Kind.SCORE and item.device == "cpu":
            message = "The reward `score` needs speed, which is not measured on a CPU. Ask for shaped or correctness."
            raise Refused(400, "no_speed_there", message)
    return [Wanted(tasks[item.task], item.files, item.device, item.reward, item.key) for item in items]


def _answer(author: Author, pk: UUID, wait: float, response: HttpResponse) -> tuple[int, dict[str, Any]]:
    found = _access(author, [pk])[0]
    has_ended = _wait(found, wait)
    row = _shown(author, [pk])[0]
    if has_ended:
        return 200, row
    usual = usual_seconds(row["device"])
    takes = ((row["jobs_ahead"] or 0) + 1) * (UNKNOWN_SECONDS if usual is None else usual)  # with those before it
    response["Retry-After"] = str(min(_LATEST_LOOK, max(1, math.ceil(takes))))
    response["Location"] = f"/api/evaluate/{pk}"
    return 202, row


def _wait(found: Evaluation, seconds: float) -> bool:
    """Whether it has ended, after at most so long."""
    state = RunState(found.run.state)
    if state.is_final or seconds == 0 or not _waiting.acquire(blocking=False):
        return state.is_final
    try:
        until = time.monotonic() + seconds
        while not state.is_final and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            state = RunState(Run.objects.values_list("state", flat=True).get(evaluation=found.pk))
    finally:
        _waiting.release()
    return state.is_final


def _access(author: Author, ids: Sequence[UUID]) -> list[Evaluation]:
    """The author's own. Somebody else's is answered like one that is none."""
    rows = Evaluation.objects.select_related("run__task").defer("run__task__description", "run__task__example_files")
    found = {row.pk: row for row in rows.filter(author=author, pk__in=ids)}
    missing = [pk for pk in ids if pk not in found]
    if missing:
        raise Refused(404, "unknown_evaluation", f"There is no evaluation {missing[0]} of yours.")
    return [found[pk] for pk in ids]


def _shown(author: Author, ids: Sequence[UUID]) -> list[dict[str, Any]]:
    rows = _access(author, ids)
    places = places_in_queue([found.run for found in rows])
    return [_row(found, places.get(found.run_id, NOWHERE)) for found in rows]


def _row(found: Evaluation, place: Place) -> dict[str, Any]:
    run = found.run
    result: dict[str, Any] = run.result or {}
    return {
        "id": found.pk,
        "key": found.key,
        "run": run.pk,
        "task": run.task.slug,
        "device": run.device,
        "state": run.state,
        "reward": _reward(found) if run.state == RunState.DONE else None,
        "verdict": run.reviewed_verdict or run.verdict or None,
        "correct": run.correct,
        "total": run.total,
        "first_t": run.first_t,
        "aggregate_score": result.get("aggregate_score"),
        "es_t": result.get("es_t"),
        "graphs": result.get("graphs"),
        "findings": result.get("findings", []),
        "versions": result.get("versions", {}),
        "message": run.message,
        "jobs_ahead": place.ahead,
        "expected_wait_seconds": place.wait_seconds,
        "created_at": found.created_at,
    }


def _reward(found: Evaluation) -> dict[str, Any]:
    run = found.run
    made = reward(run.result or {}, run.reviewed_verdict or run.verdict, Kind(found.reward))
    return {
        "kind": made.kind,
        "value": made.value,
        "floor": made.floor,
        "graphs": None if made.graphs is None else dict(made.graphs),
        "version": VERSION,
    }


def _uuid(text: str) -> UUID:
    try:
        return UUID(text.strip())
    except ValueError:
        raise Refused(404, "unknown_evaluation", f"{text[:60]!r} is not the id of an evaluation.") from None
