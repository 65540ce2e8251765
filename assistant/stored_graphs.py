"""Stored graphs as the drafter takes them."""

import functools

from assistant.drafter import GraphFacts
from graphs.api import input_shapes
from graphs.fx_source import FxGraph, parse
from graphs.models import Graph


def read_graph(graph: Graph) -> tuple[FxGraph, GraphFacts]:
    """The parsed graph, and what is known of its values. Raises ReadProblem."""
    metas = [meta for key in ("model_inputs", "inputs") for meta in graph.sample[key]]
    devices = {meta["name"]: str(meta.get("device") or "") for meta in metas}
    values = {**(graph.shapes or {}), **input_shapes(graph)}
    return _parsed(graph.source.content_hash, graph.source.text), GraphFacts(values, devices)


@functools.lru_cache(maxsize=32)
def _parsed(content_hash: str, text: str) -> FxGraph:
    return parse(text)
