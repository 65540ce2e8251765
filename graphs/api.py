"""JSON API of tasks and graphs, as far as it needs no results."""

import functools
import gzip
import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from ninja import Router, Schema

from graphs.access import GraphKey, access_any_graph, access_graph, access_task
from graphs.actions import do_lay_out
from graphs.drawing import drawn_bytes
from graphs.drawn_files import kept
from graphs.fx_source import parse
from graphs.graph_json import EMPTY, fill_shapes
from graphs.layout import Layout
from graphs.models import Graph, TaskGraph
from graphs.refused import Refused
from graphs.schemas import GraphOut, Value

LARGE = ("graph__layout", "graph__shapes", "graph__thumbnail")  # a summary needs none of them

router = Router(tags=["graphs"])


class GraphSummary(Schema):
    name: str
    identity: str  # its page is /graphs/{identity}/
    title: str
    dtypes: list[str]
    node_count: int
    inputs: list[Value]
    model: str | None  # what it was taken from, as its graph_net.json says
    source: str | None


class TaskDetail(Schema):
    slug: str
    title: str
    summary: str
    description: str
    graphs: list[GraphSummary]
    has_example: bool
    origin: str  # shipped, captured or imported
    policy: dict[str, Any]


class Files(Schema):
    files: dict[str, str]


@router.get("/tasks/{slug}", response=TaskDetail, summary="A task with its graphs")
def task_detail(request: HttpRequest, slug: str) -> dict[str, Any]:
    task = access_task(slug)
    return {
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "description": task.description,
        "graphs": [_graph_summary(entry) for entry in task.entries.select_related("graph").defer(*LARGE)],
        "has_example": task.example_files is not None,
        "origin": task.origin,
        "policy": {"metadata_only": True},
    }


@router.get(
    "/tasks/{slug}/graphs/{name}", response=GraphOut, summary="A graph as the browser draws it, with its source"
)
def graph_detail(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Nodes with coordinates, code spans, shapes and dtypes (null until the evaluator has found them); edges."""
    return _sent(request, access_graph(slug, name))


@router.get("/graphs/{key}/drawing", response=GraphOut, summary="A graph by its hash, as the browser draws it")
def drawing(request: HttpRequest, key: str) -> HttpResponse:
    """`key` is the graph's identity or its code's hash, in full or by its first eight digits or more."""
    graph = access_any_graph(key)
    annotated = Graph.objects.filter(pk=graph.pk, shapes__isnull=False).exists()
    return _sent(request, GraphKey(graph.name, graph.identity, annotated))


def _sent(request: HttpRequest, key: GraphKey) -> HttpResponse:
    """The drawing, or that it has not changed."""
    tag = f'"{key.identity[:32]}-{int(key.annotated)}"'
    if request.headers.get("If-None-Match") == tag:
        unchanged: HttpResponse = HttpResponseNotModified()
        unchanged.headers["ETag"] = tag
        return unchanged
    packed = _graph_bytes(key)
    unpacks = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(packed if unpacks else gzip.decompress(packed), content_type="application/json")
    if unpacks:
        response.headers["Content-Encoding"] = "gzip"  # a tenth: 0.5 MB for 5,800 nodes
    response.headers["Vary"] = "Accept-Encoding, Cookie"
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-cache"  # kept, but asked for again: shapes may have arrived
    return response


@router.get("/tasks/{slug}/example", response=Files, summary="The task's worked example pass")
def example(request: HttpRequest, slug: str) -> dict[str, Any]:
    task = access_task(slug)
    if task.example_files is None:
        raise Refused(404, "no_example", f"The task {slug} has no worked example. Start from the draft instead.")
    return {"files": task.example_files}


def _graph_summary(entry: TaskGraph) -> dict[str, Any]:
    graph = entry.graph
    return {
        "name": entry.name,
        "identity": graph.identity,
        "title": entry.name,
        "dtypes": graph.dtypes,
        "node_count": graph.node_count,
        "inputs": [{"name": name, **info} for name, info in input_shapes(graph).items()],
        "model": said_of(graph, "model_name"),
        "source": said_of(graph, "source"),
    }


def said_of(graph: Graph, key: str) -> str | None:
    """A text of the sample's graph_net.json, which may hold anything."""
    value = (graph.sample.get("graph_net") or {}).get(key)
    return value[:300] if isinstance(value, str) and value else None


@functools.lru_cache(maxsize=64)
def _graph_bytes(key: GraphKey) -> bytes:
    """Compressed JSON, kept in memory."""
    graph = Graph.objects.select_related("source").defer("layout").get(identity=key.identity)
    value = json.dumps(
        {
            **drawn(graph),
            "name": key.name,
            "source": graph.source.text,
            "content_hash": graph.source.content_hash,
            "canonical_hash": graph.source.canonical_hash,
            "warnings": [*([graph.problem] if graph.problem else []), *graph.warnings],
        }
    )
    return gzip.compress(value.encode(), 1)


def drawn(graph: Graph) -> dict[str, Any]:
    """The graph with its stored coordinates; without nodes when it is too large to draw."""
    do_lay_out(graph)
    packed = kept(settings.VAR / "drawings", graph.source_id, lambda: _without_shapes(graph))
    value: dict[str, Any] = json.loads(gzip.decompress(packed))
    fill_shapes(value, {**input_shapes(graph), **(graph.shapes or {})})
    return value


def _without_shapes(graph: Graph) -> bytes:
    """Takes a second for 5,800 nodes: large graphs are drawn when they are imported, and kept as files."""
    if graph.layout is None:
        return gzip.compress(json.dumps(EMPTY).encode())
    return drawn_bytes(parse(graph.source.text), Layout.from_json(graph.layout))


def input_shapes(graph: Graph) -> dict[str, dict[str, Any]]:
    """What the sample itself says about its inputs; the other nodes' shapes come from the evaluator."""
    metas = (meta for key in ("model_inputs", "inputs") for meta in graph.sample[key])
    return {meta["name"]: {"shape": meta["shape"], "dtype": meta["dtype"]} for meta in metas}
