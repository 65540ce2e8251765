"""What the passes did to the graphs of a model, as values and in words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.fx import GraphModule, Node

from evaluator.engine.normalise import operator_of
from evaluator.engine.passes import Applied
from evaluator.engine.view import source_name
from evaluator.events import NearMiss

_ROOT = re.compile(r"^L\['\w+'\]\.?")  # what Dynamo calls the model itself
_FRAME = re.compile(r'File "(.+)", line (\d+)')


@dataclass(frozen=True)
class ReplacedMatch:
    """One match: the graph's nodes that a launcher took the place of, and where in the model they come from."""

    pass_name: str
    nodes: tuple[str, ...]
    modules: tuple[str, ...]  # "encoder.layers.0.norm1", the innermost of each node
    lines: tuple[str, ...]  # "model.py:12", of code outside torch


@dataclass(frozen=True)
class ReportedNode:
    """One operation of a captured graph: enough to draw it."""

    name: str
    calls: str  # "layer_norm"; "" for an input
    uses: tuple[str, ...]
    result: str  # "float32 [2, s0]", or ""


@dataclass(frozen=True)
class GraphReport:
    """One graph that Dynamo captured. `then` says how the rest of it runs.

    `fallback` is set where the graph runs as it was captured although passes matched: `matches` then says what they
    would have replaced. `left_alone` says which matches were found and not replaced, and why.
    """

    number: int  # counts from 1, in the order of compilation
    operations: int
    inputs: tuple[str, ...]  # "L_x_ float32 [2, s0]"
    matches: tuple[ReplacedMatch, ...]
    near_misses: tuple[NearMiss, ...]
    notes: tuple[str, ...]
    then: str
    fallback: str | None = None
    left_alone: tuple[str, ...] = ()
    nodes: tuple[ReportedNode, ...] = ()


def report(number: int, module: GraphModule, applied: Applied, then: str) -> GraphReport:
    """What `apply_passes` said about a captured graph."""
    nodes = list(module.graph.nodes)
    places = {source_name(node): (_module(node), _place(node.stack_trace)) for node in nodes}
    return GraphReport(
        number=number,
        operations=sum(node.op.startswith("call_") for node in nodes),
        inputs=tuple(
            f"{node.target} {_shape(node.meta.get('example_value'))}".strip()
            for node in nodes
            if node.op == "placeholder"
        ),
        matches=tuple(_matches(applied, places)),
        near_misses=tuple(applied.near_misses),
        notes=(*applied.notes, *_bodies(module)),
        then=then,
        left_alone=tuple(applied.left_alone),
        nodes=tuple(reported_node(node) for node in nodes if node.op != "output"),
    )


def text(reports: Sequence[GraphReport]) -> str:
    """Reports as a person reads them."""
    if not reports:
        return "No graph has been compiled yet: call the compiled model once."
    return "\n\n".join("\n".join(_lines(item)) for item in reports)


def reported_node(node: Node) -> ReportedNode:
    """What there is to draw of a node."""
    operator = operator_of(node)
    uses = tuple(source_name(source) for source in node.all_input_nodes)
    calls = "" if operator is None else operator.name
    return ReportedNode(source_name(node), calls, uses, _shape(node.meta.get("example_value")))


def _matches(applied: Applied, places: dict[str, tuple[str | None, str | None]]) -> Iterator[ReplacedMatch]:
    matched = iter(applied.matched_nodes)  # those of the first pass come first
    for name, count in applied.per_pass.items():
        for _ in range(count):
            nodes = tuple(next(matched))
            modules, lines = zip(*(places.get(node, (None, None)) for node in nodes), strict=True)
            yield ReplacedMatch(name, nodes, _each_once(modules), _each_once(lines))


def _bodies(module: GraphModule) -> Iterator[str]:
    """Graphs within the graph: what is checkpointed, the branches of a condition, the body of a loop."""
    for node in module.graph.nodes:
        bodies = [getattr(module, str(value.target), None) for value in node.all_input_nodes if value.op == "get_attr"]
        names = [node.op for body in bodies if isinstance(body, GraphModule) for node in body.graph.nodes]
        count = sum(name.startswith("call_") for name in names)
        if count:
            yield f"no pass is tried on the {count} operations within `{node.name}`, which runs a graph of its own"


def _each_once(names: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _lines(item: GraphReport) -> Iterator[str]:
    count = len(item.matches)
    matches = "no match" if count == 0 else "1 match" if count == 1 else f"{count} matches"
    how = item.then if item.fallback is None else f"{item.then}, without the passes"
    yield f"graph {item.number}: {item.operations} operations, {matches}, then {how}"
    for match in item.matches:
        places = ", ".join((*match.modules, *match.lines))
        where = f" ({places})" if places else ""
        yield f"  {'●' if item.fallback is None else '▲'} {match.pass_name}: {', '.join(match.nodes)}{where}"
    if item.fallback:
        yield f"  ▲ {item.fallback}"
    for words in item.left_alone:
        yield f"  ○ {words}"
    for miss in item.near_misses:
        yield f"  ■ {miss['pass_name']}: no match. {miss['message']}"
        if miss["suggestion"]:
            yield f"    → {miss['suggestion']}"
    for note in item.notes:
        yield f"  · {note}"


def _module(node: Node) -> str | None:
    """The module of the model that a node was captured in."""
    stack = node.meta.get("nn_module_stack")
    return _ROOT.sub("", list(stack.values())[-1][0]) if stack else None


def _place(stack_trace: str | None) -> str | None:
    """File and line of the innermost frame of the model's own code."""
    frames = _FRAME.findall(stack_trace or "")
    return f"{Path(frames[-1][0]).name}:{frames[-1][1]}" if frames else None


def _shape(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} [{', '.join(map(str, value.shape))}]"
    return "" if value is None else str(value)
