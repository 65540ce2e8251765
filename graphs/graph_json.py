"""The one JSON value that the browser draws a graph from. Every text in it is plain text, never markup."""

from collections.abc import Mapping
from typing import Any

from graphs.fx_source import FxGraph, FxNode, arg_source, node_source
from graphs.layout import Layout
from graphs.operators import operator_class, operator_label

EMPTY: dict[str, Any] = {"nodes": [], "edges": [], "inputs": [], "outputs": [], "width": 0, "height": 0}

_LONG_TEXT = 2_000  # characters of one argument or line; literals may hold thousands of numbers


def graph_json(graph: FxGraph, layout: Layout, shapes: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Any]:
    """Nodes (inputs are badges on them), edges, inputs and outputs, with shapes where they are known.

    `shapes` maps a node's name to {"shape": [..] | None, "dtype": "float32" | None}. Coordinates are CSS pixels, y
    down, a node's (x, y) its top left corner; a stub edge has four points (see graphs.layout).
    """
    known = shapes or {}
    return {
        "nodes": [_node_json(node, layout, known) for node in graph.nodes if node.op != "placeholder"],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "points": [list(point) for point in edge.points],
                "stub": edge.stub,
                **_info(known, edge.source),
            }
            for edge in layout.edges
        ],
        "inputs": [{"name": node.name, **_info(known, node.name)} for node in graph.inputs],
        "outputs": list(graph.outputs),
        "width": layout.width,
        "height": layout.height,
    }


def fill_shapes(drawn: dict[str, Any], shapes: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes shapes into what `graph_json` made without any."""
    for node in drawn["nodes"]:
        node.update(_info(shapes, node["name"]))
        for badge in node["badges"]:
            badge.update(_info(shapes, badge["name"]))
    for edge in drawn["edges"]:
        edge.update(_info(shapes, edge["source"]))
    for value in drawn["inputs"]:
        value.update(_info(shapes, value["name"]))


def _node_json(node: FxNode, layout: Layout, known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    x, y, w, h = layout.nodes[node.name]
    return {
        "name": node.name,
        "op": node.op,
        "target": node.target,
        "label": operator_label(node),
        "class": operator_class(node),
        "code": _short(node_source(node)),
        "args": [["", _short(arg_source(value))] for value in node.args]
        + [[key, _short(arg_source(value))] for key, value in node.kwargs],
        "span": None
        if node.span is None
        else {
            "line": node.span.line,
            "column": node.span.column,
            "end_line": node.span.end_line,
            "end_column": node.span.end_column,
        },
        **_info(known, node.name),
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "badges": [{"name": name, **_info(known, name)} for name in layout.badges.get(node.name, ())],
    }


def _info(known: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any]:
    info = known.get(name)
    if info is None:
        return {"shape": None, "dtype": None}
    shape = info["shape"]
    return {"shape": None if shape is None else list(shape), "dtype": info["dtype"]}


def _short(text: str) -> str:
    return text if len(text) <= _LONG_TEXT else text[: _LONG_TEXT - 1] + "…"
