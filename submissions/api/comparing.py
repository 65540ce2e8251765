"""Two to six submissions on one task, beside each other."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from submissions.authors import current_author
from submissions.comparing.differences import differences, speeds_of
from submissions.comparing.entries import MOST, Chosen, choose
from submissions.comparing.shown import COLUMNS, DIFFERENCE, comparison_json, differences_json, rows
from submissions.csv_text import csv_text

router = Router(tags=["comparisons"])

Key = Annotated[str, Field(max_length=40)]
Method = Literal["e2e", "gpu", "graph", "kernel"]


class Which(Schema):
    of: Annotated[list[Key], Field(max_length=4 * MOST)] = []  # a run's id, or "s" and the number of a submission


class Timed(Which):
    method: Method = "e2e"


class EntryOut(Schema):
    key: str
    author: str
    kind: str
    version: str
    run: UUID | None  # of a submission: the newest that was judged to its end
    revision_number: int | None
    state: str | None
    created_at: datetime | None
    context: str | None  # device, versions, profile; null where nothing was measured
    hardware: str  # of a run that came as a file, in its words
    timed: bool
    why_not: str  # why its speed is not compared with the first entry's; empty: it is
    verdict: str | None
    reviewed_verdict: str | None
    correct: int | None
    total: int | None
    aggregate_score: float | None
    es_t: dict[str, float] | None
    findings: list[dict[str, Any]]
    submission: int | None
    reported: float | None  # the author's own word
    problem: str
    trajectory: dict[str, Any] | None  # of a model's attempt: step of this run, steps, tokens, cost, exit_reason
    files: dict[str, str]


class ComparisonOut(Schema):
    task: dict[str, str] | None
    name: str  # of a task whose graphs are not here
    entries: list[EntryOut]


class DifferenceOut(Schema):
    key: str
    graph: str
    ratio: dict[str, float] | None  # how many times as fast as the first entry, with its 95 % interval
    word: str  # faster, slower, same, inconclusive
    basis: str | None  # rounds: eager and the submission in the same rounds of each run; intervals: these alone
    rounds: list[int]
    why: str


@router.get("/compare", response=ComparisonOut, summary="Two to six submissions on one task")
def compare(request: HttpRequest, which: Query[Which]) -> dict[str, Any]:
    """`?of=<run>&of=s<submission>…`, in this order. Logs of the runs are at `/api/runs/{id}/events`."""
    return comparison_json(_chosen(request, which))


@router.get("/compare/differences", response=list[DifferenceOut], summary="Whether their speeds really differ")
def compare_speeds(request: HttpRequest, which: Query[Timed]) -> list[dict[str, Any]]:
    """Each against the first, graph by graph, by one method. Nothing of different devices or versions is compared."""
    return differences_json(differences(_chosen(request, which).entries, which.method))


@router.get("/compare/figures", summary="The comparison as a file")
def figures(request: HttpRequest, which: Query[Timed]) -> HttpResponse:
    """CSV: a line for each graph and submission."""
    chosen = _chosen(request, which)
    speeds = speeds_of([one.run.pk for one in chosen.entries if one.run is not None], which.method)
    lines = rows(chosen, differences(chosen.entries, which.method), speeds)
    headers = {"Content-Disposition": f'attachment; filename="compare-{which.method}.csv"'}
    return HttpResponse(
        csv_text((*COLUMNS, *DIFFERENCE), lines), content_type="text/csv; charset=utf-8", headers=headers
    )


def _chosen(request: HttpRequest, which: Which) -> Chosen:
    return choose(current_author(request), which.of)
