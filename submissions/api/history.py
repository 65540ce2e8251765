"""What the history draws: a few numbers of each finished run. Also a run's whole log as a file."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router, Schema

from evaluator.verdicts import RunState, Status
from graphs.access import access_task
from submissions.access import access_run
from submissions.api.runs import HISTORY
from submissions.authors import current_author
from submissions.events import MAX_PAGE, read_events
from submissions.models import Lane, Run
from submissions.printed import printed
from submissions.speed_in_short import mean_speedup
from submissions.streaming import streamed

router = Router(tags=["runs"])


class Point(Schema):
    run: UUID
    correct: int  # graphs
    total: int
    aggregate_score: float | None
    speedup: dict[str, float]  # by method: geometric mean over the graphs that are correct
    launches: dict[str, int] | None  # by participant, over the graphs where both are known


class Points(Schema):
    points: list[Point]


@router.get("/tasks/{slug}/history", response=Points, summary="The numbers of the author's finished runs, oldest first")
def history(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Of the runs that `GET …/runs` lists."""
    shown = {"author": current_author(request), "baseline_run": None, "lane__lt": Lane.BACKGROUND}
    mine = Run.objects.filter(task=access_task(slug), **shown)
    newest = list(mine.values_list("pk", "state", "result")[:HISTORY])
    points = [_point(pk, result) for pk, state, result in newest if state == RunState.DONE and result]
    return {"points": points[::-1]}


@router.get("/runs/{run_id}/log.jsonl", summary="The run's whole log, a JSON object a line")
def log(request: HttpRequest, run_id: str) -> StreamingHttpResponse:
    """`seq`, `at`, `event` and the event's fields."""
    run = access_run(current_author(request), run_id)
    return streamed(request, _lines(run), "application/jsonl", f"run-{run.pk}.jsonl")


@router.get("/runs/{run_id}/output.txt", summary="All that the run printed")
def output(request: HttpRequest, run_id: str) -> StreamingHttpResponse:
    """Both streams in the order in which they were read; the last line says where it was cut, if it was."""
    run = access_run(current_author(request), run_id)
    return streamed(request, printed(run), "text/plain; charset=utf-8", f"run-{run.pk}-output.txt")


def _lines(run: Run) -> Iterator[str]:
    after = 0
    while page := read_events(run, after, MAX_PAGE):
        after = page[-1].seq
        for row in page:
            yield json.dumps({"seq": row.seq, "at": row.at.isoformat(), "event": row.kind, **row.payload}) + "\n"


def _point(run: Any, result: dict[str, Any]) -> dict[str, Any]:
    graphs = list(result.get("graphs", {}).values())
    right = [graph for graph in graphs if graph.get("status") == Status.CORRECT]
    return {
        "run": run,
        "correct": len(right),
        "total": len(graphs),
        "aggregate_score": result.get("aggregate_score"),
        "speedup": mean_speedup(right),
        "launches": _launches(graphs),
    }


def _launches(graphs: list[dict[str, Any]]) -> dict[str, int] | None:
    known = [graph["launches"] for graph in graphs if graph.get("launches")]
    both = [one for one in known if one.get("eager") is not None and one.get("candidate") is not None]
    return {who: sum(one[who] for one in both) for who in ("eager", "candidate")} if both else None
