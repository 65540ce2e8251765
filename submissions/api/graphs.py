"""A graph on a page of its own: what it is, and what became of it, over all tasks that have it."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from graphs.access import access_any_graph
from graphs.api import input_shapes, said_of
from graphs.models import Graph, TaskGraph
from graphs.schemas import Value
from submissions.api.baselines import BaselineOut
from submissions.api.tasks import Best
from submissions.authors import author_or_none
from submissions.baselines import baselines_of_graph
from submissions.best import best_runs
from submissions.examples import ExampleInShort, example_in_short, shipped_runs
from submissions.models import Author

router = Router(tags=["graphs"])

MOST = 100  # tasks and relatives that are listed


class TaskOfGraph(Schema):
    slug: str
    title: str
    graph: str  # this graph's name there
    origin: str  # shipped or imported
    best: list[Best]  # over all graphs of the task
    examples: list[ExampleInShort]  # on this graph alone


class Relative(Schema):
    identity: str
    name: str
    dtypes: list[str]
    inputs: list[Value]
    same_code: bool  # and other inputs; false: the same form, but for names and the order of independent nodes


class GraphPage(Schema):
    identity: str
    name: str
    content_hash: str
    canonical_hash: str  # empty when it is not known
    node_count: int
    operators: list[dict[str, str]]
    dtypes: list[str]
    inputs: list[Value]
    model: str | None
    source: str | None
    warnings: list[str]
    stored_at: datetime
    tasks: list[TaskOfGraph]
    relatives: list[Relative]
    baselines: list[BaselineOut]


@router.get("/graphs/{key}", response=GraphPage, summary="A graph with its tasks, relatives and baselines")
def graph_page(request: HttpRequest, key: str) -> dict[str, Any]:
    """`key` is the graph's identity or its code's hash, in full or by its first eight digits or more."""
    graph = access_any_graph(key)
    said = (graph.problem, *graph.warnings, graph.shapes_problem)
    return {
        "identity": graph.identity,
        "name": graph.name,
        "content_hash": graph.source_id,
        "canonical_hash": graph.source.canonical_hash,
        "node_count": graph.node_count,
        "operators": graph.operators,
        "dtypes": graph.dtypes,
        "inputs": _inputs(graph),
        "model": said_of(graph, "model_name"),
        "source": said_of(graph, "source"),
        "warnings": [one for one in said if one],
        "stored_at": graph.created_at,
        "tasks": _tasks(graph, author_or_none(request)),
        "relatives": _relatives(graph),
        "baselines": baselines_of_graph(graph),
    }


def _tasks(graph: Graph, reader: Author | None) -> list[dict[str, Any]]:
    large = ("task__description", "task__example_files", "task__thumbnail", "task__search_text")
    entries = list(TaskGraph.objects.filter(graph=graph).select_related("task").defer(*large).order_by("id")[:MOST])
    ids = [entry.task_id for entry in entries]
    best, examples = best_runs(ids, reader), shipped_runs(ids)
    return [
        {
            "slug": entry.task.slug,
            "title": entry.task.title,
            "graph": entry.name,
            "origin": entry.task.origin,
            "best": best.get(entry.task_id, []),
            "examples": [example_in_short(run, entry.name) for run in examples.get(entry.task_id, [])],
        }
        for entry in entries
    ]


def _relatives(graph: Graph) -> list[dict[str, Any]]:
    """Graphs with the same code and other inputs, then those of the same form."""
    others = Graph.objects.exclude(pk=graph.pk).defer("layout", "shapes", "thumbnail").order_by("id")
    same = list(others.filter(source_id=graph.source_id)[:MOST])
    form = graph.source.canonical_hash
    alike = others.filter(source__canonical_hash=form).exclude(source_id=graph.source_id)[:MOST] if form else []
    return [_relative(one, True) for one in same] + [_relative(one, False) for one in alike]


def _relative(graph: Graph, same_code: bool) -> dict[str, Any]:
    shown = {"identity": graph.identity, "name": graph.name, "dtypes": graph.dtypes}
    return {**shown, "inputs": _inputs(graph), "same_code": same_code}


def _inputs(graph: Graph) -> list[dict[str, Any]]:
    return [{"name": name, **info} for name, info in input_shapes(graph).items()]
