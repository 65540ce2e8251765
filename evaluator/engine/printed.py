"""A module's graph back as FX code: of the whole rewritten module, or of one node for a message."""

import builtins
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node

from evaluator.engine.leaf import identifier
from evaluator.engine.view import source_name
from graphs.fx_source import (
    Device,
    FxGraph,
    FxNode,
    Ref,
    Slice,
    Symbol,
    arg_source,
    expression_source,
    node_source,
    to_source,
)

_SHORT = 160  # characters of a line of code in a message


def rewritten_source(module: GraphModule) -> str:
    """The module as the text of a model.py, which graphs.fx_source reads back with the same node names.

    Launchers appear as calls of plain functions, `masked_pool = FuseMaskedPool_masked_pool(in_0, in_1)`.
    """
    return to_source(to_fx_graph(module))


def to_fx_graph(module: GraphModule) -> FxGraph:
    """The module's graph as plain values. Nodes that `build` made keep the names and targets of their source."""
    return FxGraph(tuple(_fx_node(node, source_name) for node in module.graph.nodes))


def node_code(node: Node, naming: Callable[[Node], str] = source_name) -> str:
    """The node as one line of code, shortened where it is very long. `naming` says what nodes are called."""
    line = node_source(_fx_node(node, naming))
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def call_code(node: Node, naming: Callable[[Node], str]) -> str:
    """What the node computes, as an expression in full length. `naming` is asked about its arguments alone."""
    return expression_source(_fx_node(node, lambda one: source_name(one) if one is node else naming(one)))


def value_code(value: Any, naming: Callable[[Node], str] = source_name) -> str:
    """An argument as code."""
    try:
        text = arg_source(_value(value, naming))
    except TypeError:
        text = repr(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def target_name(node: Node) -> str:
    """The dotted name of what a node calls."""
    known = node.meta.get("source_target")
    if known is not None:
        return str(known)
    if isinstance(node.target, str):
        return node.target
    if node.target is getattr:
        return "getattr"
    if isinstance(node.target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return f"torch.ops.{node.target!s}"
    last = str(getattr(node.target, "__name__", type(node.target).__name__))
    module = getattr(node.target, "__module__", None)
    if module in ("_operator", "operator") or getattr(operator, last, None) is node.target:
        return f"operator.{last}"
    if getattr(builtins, last, None) is node.target:
        return last
    if module == "passes" or (module or "torch").split(".")[0] not in ("torch", "math"):
        return identifier(last)
    for space in (torch, torch.nn.functional):
        if getattr(space, last, None) is node.target:
            return f"{space.__name__}.{last}"
    return f"{module}.{last}" if module else f"torch.{last}"


def _fx_node(node: Node, naming: Callable[[Node], str]) -> FxNode:
    args = tuple(_value(value, naming) for value in node.args)
    kwargs = tuple((key, _value(value, naming)) for key, value in node.kwargs.items())
    op: Any = "call_function" if node.op == "call_module" else node.op
    target = naming(node) if node.op == "placeholder" else target_name(node)
    return FxNode(naming(node), op, target, args, kwargs, annotation=node.meta.get("annotation"))


def _value(value: Any, naming: Callable[[Node], str]) -> Any:
    match value:
        case Node():
            return Ref(naming(value))
        case slice():
            return Slice(_value(value.start, naming), _value(value.stop, naming), _value(value.step, naming))
        case torch.device():
            return Device(value.type, value.index)
        case torch.dtype() | torch.layout() | torch.memory_format():
            return Symbol(str(value))
        case tuple():
            return tuple(_value(item, naming) for item in value)
        case list():
            return [_value(item, naming) for item in value]
        case dict():
            return {key: _value(item, naming) for key, item in value.items()}
    return value
