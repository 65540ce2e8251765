"""JSON API of the drafter: a pass file for nodes that somebody selected on a graph."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from assistant.drafter import CannotBePattern, Draft, GraphFacts, draft
from assistant.stored_graphs import read_graph
from graphs.access import access_graph, access_task
from graphs.fx_source import FxGraph
from graphs.models import Graph, Task
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author

router = Router(tags=["drafter"])

DRAFTS = limits.Rate("drafted pass", 30, 0.5)
MAX_SELECTED = 5_000
_MOST_OTHERS = 24  # graphs of the task that a draft is made to fit as well


class SelectionIn(Schema):
    nodes: Annotated[list[str], Field(max_length=MAX_SELECTED)]


class DraftOut(Schema):
    name: str  # of the file; the caller finds a free one
    text: str
    kind: str  # kernel, views (nothing is computed) or original (the operators themselves, to be replaced by hand)
    outputs: list[str]
    leaks: list[str]  # outputs that the selection itself uses, too
    notes: list[str]


@router.post("/tasks/{slug}/graphs/{name}/draft", response=DraftOut, summary="A pass drafted for selected nodes")
def draft_selection(request: HttpRequest, slug: str, name: str, body: SelectionIn) -> dict[str, Any]:
    """Nothing is stored or run. A selection that can be no pattern is refused with `code` (empty, not_convex,
    mutation, devices, dead) and the `nodes` that are to blame."""
    limits.take(DRAFTS, current_author(request).pk)
    task = access_task(slug)
    identity = access_graph(slug, name).identity
    graph, facts = read_graph(Graph.objects.select_related("source").get(identity=identity))
    unknown = [node for node in body.nodes if node not in graph.by_name]
    if unknown:
        message = f"The graph {name} has no node named {unknown[0][:100]!r}. Select nodes of the graph in view."
        raise Refused(404, "unknown_node", message)
    try:
        made = draft(graph, body.nodes, facts, _others(task, identity))
    except CannotBePattern as problem:
        raise Refused(422, problem.code, problem.message, nodes=list(problem.nodes)) from problem
    return _json(made)


def _json(made: Draft) -> dict[str, Any]:
    return {
        "name": made.name,
        "text": made.text,
        "kind": made.kind,
        "outputs": list(made.outputs),
        "leaks": list(made.leaks),
        "notes": list(made.notes),
    }


def _others(task: Task, identity: str) -> list[tuple[FxGraph, GraphFacts]]:
    entries = task.entries.select_related("graph__source").exclude(graph__identity=identity)[:_MOST_OTHERS]
    return [read_graph(entry.graph) for entry in entries if entry.graph.layout is not None]
