"""A graph in the form that models read well: its own code, with shape, kind and users beside each line."""

from collections.abc import Mapping
from typing import Any

from assistant.tools.workplace import ToolProblem, Workplace
from graphs.api import input_shapes
from graphs.fx_source import FxGraph, FxNode, ReadProblem, node_source, parse
from graphs.models import Graph
from graphs.operators import operator_class
from submissions.safe_json import safe_text

_SHORT = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))
_MOST_LINES = 300
_LONGEST_LINE = 400


def list_graphs(place: Workplace) -> str:
    """The task's graphs: all of them must be handled by one submission."""
    rows = []
    for entry in place.task.entries.select_related("graph").defer("graph__layout", "graph__shapes", "graph__thumbnail"):
        inputs = ", ".join(f"{name} {_value(info)}" for name, info in list(input_shapes(entry.graph).items())[:12])
        rows.append(f"{entry.name}  {entry.graph.node_count} nodes  inputs: {inputs}")
    return "\n".join(rows)


def show_graph(place: Workplace, name: str, first_line: int = 1) -> str:
    """One graph, at most 300 nodes of it from `first_line` on."""
    entry = place.task.entries.filter(name=safe_text(name)).first()
    if entry is None:
        names = ", ".join(place.task.entries.values_list("name", flat=True)[:30])
        raise ToolProblem(f"There is no graph {name[:100]!r} in this task. There are: {names}.")
    graph = Graph.objects.select_related("source").get(pk=entry.graph_id)
    try:
        parsed = parse(graph.source.text)
    except ReadProblem as problem:
        raise ToolProblem(f"The graph can not be read: {problem}") from problem
    return graph_text(parsed, {**(graph.shapes or {}), **input_shapes(graph)}, first_line)


def graph_text(graph: FxGraph, known: Mapping[str, Mapping[str, Any]], first_line: int = 1) -> str:
    """Inputs first, then a line for each node; `# f32[4, 6] · reduction · used by: add, output`."""
    users: dict[str, list[str]] = {}
    for node in graph.nodes:
        for ref in dict.fromkeys(node.refs()):
            users.setdefault(ref, []).append(node.name)
    nodes = [node for node in graph.nodes if node.op != "output"]
    first = max(1, first_line)
    shown = nodes[first - 1 : first - 1 + _MOST_LINES]
    lines = [_line(node, known.get(node.name), users.get(node.name, [])) for node in shown]
    left = len(nodes) - (first - 1 + len(shown))
    if left > 0:
        lines.append(f"… {left} more nodes: ask with first_line={first + len(shown)}.")
    return "\n".join([*lines, f"return {', '.join(graph.outputs)}"])


def _line(node: FxNode, info: Mapping[str, Any] | None, users: list[str]) -> str:
    what = "input" if node.op == "placeholder" else operator_class(node)
    code = f"{node.name}" if node.op == "placeholder" else node_source(node)
    more = f" and {len(users) - 6} more" if len(users) > 6 else ""
    used = f"used by: {', '.join(users[:6])}{more}" if users else "not used"
    code = code if len(code) <= _LONGEST_LINE else code[: _LONGEST_LINE - 1] + "…"
    return f"{code}  # {_value(info)} · {what} · {used}"


def _value(info: Mapping[str, Any] | None) -> str:
    """`f32[4, 6]`; what is not known is a question mark."""
    if info is None:
        return "?"
    dtype, shape = str(info.get("dtype") or "?").removeprefix("torch."), info.get("shape")
    short = next((dtype.replace(long, brief, 1) for long, brief in _SHORT if dtype.startswith(long)), dtype)
    return f"{short}{'[?]' if shape is None else list(shape)}"
