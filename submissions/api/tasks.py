"""The catalogue: tasks with their best results."""

from typing import Annotated, Any
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Max, Min, Q
from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from graphs.models import Task, TaskGraph
from graphs.task_index import find_tasks
from submissions.authors import author_or_none
from submissions.baselines import inductor_in_short
from submissions.best import best_runs
from submissions.examples import ExampleInShort, example_in_short, shipped_runs

router = Router(tags=["tasks"])

PAGE = 200


class Best(Schema):
    device: str
    correct: int
    total: int
    first_t: int | None
    verdict: str
    run: UUID | None  # null: another author's


class InductorInShort(Schema):
    """Graphs on which Inductor's CPU compile was measured against eager, here."""

    measured: int
    faster: int
    slower: int


class Size(Schema):
    """Operators in the smallest and in the largest of a task's graphs."""

    least: int
    most: int


class TaskRow(Schema):
    slug: str
    title: str
    summary: str
    operators: list[dict[str, str]]
    dtypes: list[str]
    facets: dict[str, list[str]]  # kind, family (of models), domain, benchmark, as far as the graphs' files say
    graph_count: int
    has_example: bool  # a worked example: where a beginner starts
    size: Size | None  # null: a task without graphs
    graph: str | None  # identity of the first graph, whose drawing the thumbnail is
    thumbnail: str
    best: list[Best]
    inductor: InductorInShort | None  # null: never measured on this machine's CPU
    examples: list[ExampleInShort]  # runs that ship with the task, measured elsewhere


class TaskList(Schema):
    tasks: list[TaskRow]
    total: int


@router.get("/tasks", response=TaskList, summary="Search the catalogue")
def task_list(
    request: HttpRequest,
    q: Annotated[str, Field(max_length=200)] = "",
    limit: Annotated[int, Field(ge=1, le=PAGE)] = PAGE,
    offset: Annotated[int, Field(ge=0)] = 0,
) -> dict[str, Any]:
    """Every word of `q` must occur in a task's title, summary, name, operators or dtypes.

    Tasks with a worked example come first, then what ships, what was imported, what was captured, each by title.
    """
    found = find_tasks(q.lower().split())
    worked = ExpressionWrapper(Q(example_files__isnull=False), output_field=BooleanField())
    rows_of = Task.objects.order_by().defer("example_files", "description", "search_text").annotate(has_example=worked)
    page = found[offset : offset + limit]
    known = {task.pk: task for task in rows_of.filter(pk__in=page)}
    tasks = [known[task] for task in page if task in known]  # else it was deleted just now
    best = best_runs((task.pk for task in tasks), author_or_none(request))
    inductor = inductor_in_short(task.pk for task in tasks)
    examples = shipped_runs(task.pk for task in tasks)
    graphs = _graphs([task.pk for task in tasks])
    rows = [
        {
            **_row(task),
            **graphs.get(task.pk, {"size": None, "graph": None}),
            "has_example": task.has_example,
            "best": best.get(task.pk, []),
            "inductor": inductor.get(task.pk),
            "examples": [example_in_short(run) for run in examples.get(task.pk, [])],
        }
        for task in tasks
    ]
    return {"tasks": rows, "total": len(found)}


def _graphs(task_ids: list[int]) -> dict[int, dict[str, Any]]:
    """Task id → the sizes of its graphs, and which one comes first."""
    entries = TaskGraph.objects.filter(task_id__in=task_ids)
    first = dict(entries.filter(position=0).values_list("task_id", "graph__identity"))
    sizes = entries.order_by().values_list("task_id").annotate(Min("graph__node_count"), Max("graph__node_count"))
    return {task: {"size": {"least": least, "most": most}, "graph": first.get(task)} for task, least, most in sizes}


def _row(task: Task) -> dict[str, Any]:
    return {
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "operators": task.operators,
        "dtypes": task.dtypes,
        "facets": task.facets,
        "graph_count": task.graph_count,
        "thumbnail": task.thumbnail,
    }
