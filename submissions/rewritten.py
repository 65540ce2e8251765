"""A graph after the rewrite, drawn so that what did not change stays where it was."""

import functools
import json
from uuid import UUID

from graphs.actions import do_lay_out
from graphs.fx_source import parse
from graphs.graph_json import graph_json
from graphs.layout import Layout, layout
from graphs.models import Graph
from graphs.problems import ReadProblem
from graphs.refused import Refused
from submissions.models import Run, RunEvent


def rewritten_json(run: Run, name: str, step: int | None = None) -> bytes:
    """The graph's JSON with `source` and `new_nodes`: after all passes, or after those up to a step.

    Raises Refused while, or when, there is no such graph.
    """
    identity = dict(run.graphs).get(name)
    if identity is None:
        names = ", ".join(known for known, _ in run.graphs)
        raise Refused(404, "unknown_graph", f"This run has no graph named {name[:100]!r}. It has: {names}.")
    events = run.events.filter(kind="rewritten").order_by("-seq")
    event = next((event for event in events if event.payload.get("graph") == name), None)
    if event is None:
        raise Refused(
            404,
            "not_rewritten",
            f"No pass has changed {name[:100]} in this run, or not yet. The run's log says whether a pattern matched.",
        )
    try:
        return _drawn(run.pk, event.seq, identity, step)
    except ReadProblem as problem:
        raise Refused(
            422, "unreadable", f"The rewritten code can not be drawn: {problem}. The log has its text."
        ) from problem


@functools.lru_cache(maxsize=64)
def _drawn(run_id: UUID, seq: int, identity: str, step: int | None) -> bytes:
    payload = RunEvent.objects.values_list("payload", flat=True).get(run_id=run_id, seq=seq)
    original = Graph.objects.select_related("source").get(identity=identity)
    do_lay_out(original)
    steps = payload.get("steps", [])
    if step is not None and not 0 <= step < len(steps):
        raise Refused(
            404, "unknown_step", f"This run kept the graph after {len(steps)} of its passes; there is no {step}."
        )
    shown = payload if step is None else steps[step]
    code = str(shown["code"])
    graph = parse(code, "rewritten.py")
    before = None if original.layout is None else Layout.from_json(original.layout)
    drawn = graph_json(graph, layout(graph, previous=before), payload.get("nodes"))
    return json.dumps({**drawn, "source": code, "new_nodes": shown.get("new_nodes", [])}).encode()
