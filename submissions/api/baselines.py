"""Baselines: what eager and a compiler need for a task's graphs, and how to have it measured."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema, Status

from graphs.access import access_task
from submissions import limits
from submissions.actions.baselines import MEASURED_ON, do_request_baselines
from submissions.authors import author_or_none, current_author
from submissions.baselines import baseline_rows, current_measuring

router = Router(tags=["baselines"])


class IntervalOut(Schema):
    value: float
    low: float  # of the 95 % interval
    high: float


class BaselineOut(Schema):
    graph: str
    device: str
    hardware: str  # what the machine is, in its system's words
    backend: str  # inductor, inductor max-autotune, …
    entry: str  # direct or compiled: what eager and the compiler were called through, alike
    method: str  # e2e, gpu, graph, kernel
    threads: int | None
    eager_us: float  # medians of one session, in µs
    median_us: float
    ratio: IntervalOut  # eager / compiler, above 1: the compiler is faster
    word: str  # faster, slower, same, inconclusive
    kernels: int | None  # of one call, by the compiler's own metrics
    eager_kernels: int | None
    compared: bool  # whether the compiler's outputs were compared with eager's
    first_t: int | None  # smallest t at which they are right; null: at none, or not compared
    flags: dict[str, Any]  # precision
    versions: dict[str, str]
    measured_at: datetime
    origin: str  # the file it was imported from; empty: measured by this installation


class GraphProblem(Schema):
    graph: str
    message: str


class MeasuringOut(Schema):
    run: UUID | None  # null: another author's
    state: str
    device: str
    total: int
    done: int
    jobs_ahead: int | None
    message: str | None
    finished_at: datetime | None
    problems: list[GraphProblem]


class BaselinesOut(Schema):
    rows: list[BaselineOut]
    measuring: MeasuringOut | None  # the newest run that measured them here, also one that is over


class MeasureIn(Schema):
    device: str = MEASURED_ON


class MeasuringQueued(Schema):
    run: UUID


@router.get("/tasks/{slug}/baselines", response=BaselinesOut, summary="Eager against compilers on a task's graphs")
def task_baselines(request: HttpRequest, slug: str) -> dict[str, Any]:
    """For lists and boards. A submission's ratio comes from its own session and is never made of these rows."""
    task = access_task(slug)
    measuring = current_measuring(task, MEASURED_ON, author_or_none(request))
    return {"rows": baseline_rows(task), "measuring": measuring}


@router.post(
    "/tasks/{slug}/baselines", response={201: MeasuringQueued}, summary="Measure eager and Inductor on this machine"
)
def measure_baselines(request: HttpRequest, slug: str, body: MeasureIn) -> Status[dict[str, Any]]:
    """Queues a run without a submission. Its log and its cancel are those of every run: `/runs/{run}`."""
    author = current_author(request)
    limits.take(limits.RUNS, author.pk)
    return Status(201, {"run": do_request_baselines(author, access_task(slug), body.device).pk})
