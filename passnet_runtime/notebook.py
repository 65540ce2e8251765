"""A graph, a match and a verdict inline in a notebook: objects with `_repr_html_`, and with `text` for elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from torch.fx import GraphModule

from evaluator.engine.backend import GraphReport, PassBackend, ReportedNode
from evaluator.engine.backend.report import reported_node
from evaluator.engine.build import build
from graphs.fx_source import parse
from graphs.samples import read_sample
from passnet_runtime.check import Checked
from passnet_runtime.drawing import svg
from passnet_runtime.page import groups_of

_MARKS = {"correct": "●", "accuracy": "▲", "no_match": "■"}  # a shape of its own each; others: ✕
_WIDE = "overflow:auto;max-height:32rem"


@dataclass(frozen=True)
class Inline:
    """What a notebook shows. `text` is what a terminal gets."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def draw_graph(graph: GraphModule | GraphReport | str | PathLike[str]) -> Inline:
    """Draw a graph: a torch.fx.GraphModule, one of `backend.report`, or a sample folder, which is read, never run.

    Raises ReadProblem or UnsupportedTarget for a folder that holds no such graph.
    """
    nodes = _nodes(graph)
    count = sum(bool(node.calls) for node in nodes)
    return Inline(f'<div style="{_WIDE}">{svg(nodes, {})}</div>', f"graph of {count} operations")


def draw_match(backend: PassBackend, graph: int = 1) -> Inline:
    """Draw graph number `graph` (from 1) of those that a backend compiled, with its matches in colour.

    Raises IndexError where there is no such graph (yet).
    """
    if not 1 <= graph <= len(backend.report):
        raise IndexError(f"graph {graph}: {len(backend.report)} compiled so far")
    item = backend.report[graph - 1]
    groups = groups_of(item)
    lines = "".join(f"<li>{escape(name)}: {escape(', '.join(names))}</li>" for name, names in groups.items())
    left = "".join(f"<li>○ {escape(words)}</li>" for words in item.left_alone)
    text = f"graph {item.number}: {len(groups)} matches, {len(item.left_alone)} left alone"
    return Inline(
        f'<p>{escape(text)}</p><ul>{lines}{left}</ul><div style="{_WIDE}">{svg(item.nodes, groups)}</div>', text
    )


def draw_verdict(checked: Sequence[Checked]) -> Inline:
    """A table of what `check` found, one graph a row."""
    head = ("", "graph", "status", "matches", "first t", "Dynamo's capture", "reason")
    rows = [_row(item) for item in checked]
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    text = "\n".join("  ".join(cell for cell in row if cell) for row in rows)
    return Inline(f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>", text)


def _row(item: Checked) -> tuple[str, ...]:
    captured = {True: "the same", False: "other matches", None: ""}[item.captured]
    first_t = "" if item.first_t is None else "exact" if item.first_t <= -99 else str(item.first_t)
    mark = _MARKS.get(item.status, "✕")
    return (mark, item.graph, item.status, str(item.matches), first_t, captured, item.reason or "")


def _nodes(graph: Any) -> tuple[ReportedNode, ...]:
    if isinstance(graph, GraphReport):
        return graph.nodes
    if not isinstance(graph, GraphModule):
        graph = build(parse(read_sample(Path(graph)).source))
    return tuple(reported_node(node) for node in graph.graph.nodes if node.op != "output")
