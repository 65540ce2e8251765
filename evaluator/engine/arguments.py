"""What the launcher of a match is called with: runs the author's `replacement_args`.

Its inputs are what the pattern's inputs are bound to: constants as they are, values of the graph as proxies, so that
expressions and subscripts of them become nodes of the rewritten graph.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.fx import Graph, Node, Proxy
from torch.fx.node import map_aggregate, map_arg

from evaluator.engine.leaf import takes
from evaluator.engine.pattern import Match, nodes_in
from evaluator.engine.signatures import MISSING
from evaluator.engine.trace import PatternError, TracedPattern, explained, kind_of
from evaluator.engine.tracer import CallTracer, Factories


class _ArgumentTracer(CallTracer):
    """Records into a graph of its own: the author's code never holds a node of the graph that is being rewritten."""

    def __init__(self) -> None:
        super().__init__()
        self.root = torch.nn.Module()
        self.graph = Graph()
        self.tensor_attrs: dict[Any, str] = {}
        self.inputs: dict[Node, Node] = {}  # placeholder here → node of the rewritten graph

    def stand_in(self, node: Node) -> Proxy:
        """A proxy for a node of the rewritten graph, the same for each time it is asked for."""
        known = next((placeholder for placeholder, source in self.inputs.items() if source is node), None)
        placeholder = known or self.graph.placeholder(node.name)
        self.inputs[placeholder] = node
        return self.proxy(placeholder)


class _Unbound:
    """What an input is bound to that the pattern does not use."""

    def __init__(self, name: str) -> None:
        self.name = name


def launcher_arguments(
    graph: Graph,
    root: torch.nn.Module,
    traced: TracedPattern,
    match: Match,
    function: Callable[..., Any],
    file: str | None,
) -> tuple[tuple[Any, ...], list[Node]]:
    """The arguments of the launcher's node, and the nodes that computing them put in. Raises PatternError.

    To be called within `functions_as_leaves` (see tracer.py).
    """
    tracer = _ArgumentTracer()
    values = [_value(item.node, item.name, item.default, match, tracer) for item in traced.inputs]
    try:
        args, kwargs = _call_form(function, traced, values, file)
        with Factories(tracer):
            returned = function(*args, **kwargs)
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
        if not isinstance(returned, (tuple, list)):
            raise PatternError(_not_a_tuple(returned), file, line)
        unbound = next(_unbound_in(returned), None)
        if unbound is not None:
            why = f"replacement_args passes on `{unbound.name}`, but the pattern does not use it"
            raise PatternError(f"{why}, so no value of the graph stands for it", file, line)
        traced_args = tuple(_argument(value, tracer, file, line) for value in returned)
    except PatternError:
        raise
    except Exception as error:  # whatever the author's code raises
        raise explained(error, function, "replacement_args", file) from error
    return _copied(traced_args, tracer, graph, root)


def _copied(
    args: tuple[Any, ...], tracer: _ArgumentTracer, graph: Graph, root: torch.nn.Module
) -> tuple[tuple[Any, ...], list[Node]]:
    """Bring what the arguments need into the rewritten graph, where it is set to insert."""
    needed = set(nodes_in(args))
    for node in reversed(list(tracer.graph.nodes)):
        if node in needed:
            needed.update(node.all_input_nodes)
    copies = dict(tracer.inputs)
    created = []
    for node in tracer.graph.nodes:
        if node in needed and node not in copies:
            copy = copies[node] = graph.node_copy(node, lambda source: copies[source])
            created.append(copy)
            if node.op == "get_attr":  # a tensor that the pass holds
                copy.target = _held(getattr(tracer.root, str(node.target)), root)
    return tuple(map_arg(value, lambda node: copies[node]) for value in args), created


def _held(tensor: Any, root: torch.nn.Module) -> str:
    count = 0
    while hasattr(root, f"_tensor_constant{count}"):
        count += 1
    setattr(root, f"_tensor_constant{count}", tensor)
    return f"_tensor_constant{count}"


def _argument(value: Any, tracer: CallTracer, file: str | None, line: int | None) -> Any:
    try:
        return tracer.create_arg(value)
    except NotImplementedError as error:
        why = f"replacement_args returns {kind_of(value)}, which can not stand in a graph"
        hint = "pass tensors, numbers, texts, dtypes or None, and let the launcher look up the rest"
        raise PatternError(f"{why}: {hint}", file, line) from error


def _value(node: Node | None, name: str, default: Any, match: Match, tracer: _ArgumentTracer) -> Any:
    if node is None:
        return default
    if node not in match.inputs:
        return _Unbound(name) if default is MISSING else default
    return map_aggregate(match.inputs[node], lambda value: _proxied(value, tracer))


def _proxied(value: Any, tracer: _ArgumentTracer) -> Any:
    return tracer.stand_in(value) if isinstance(value, Node) else value


def _call_form(
    function: Callable[..., Any], traced: TracedPattern, values: list[Any], file: str | None
) -> tuple[list[Any], dict[str, Any]]:
    """By position, as the pattern's parameters come; else by name, if it asks for each of them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return values, {}
    inputs = [value for value, item in zip(values, traced.inputs, strict=True) if item.node is not None]
    by_name = {item.name: value for value, item in zip(values, traced.inputs, strict=True)}
    named = {name: value for name, value in by_name.items() if name in signature.parameters}
    forms: list[tuple[list[Any], dict[str, Any]]] = [(values, {}), (inputs, {})]
    if len(named) >= len(inputs):
        forms.append(([], named))
    for args, kwargs in forms:
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            continue
        return args, kwargs
    names = ", ".join(item.name for item in traced.inputs)
    count = f"{len(values)} input{'' if len(values) == 1 else 's'}"
    why = f"replacement_args takes {takes(signature)}, the pattern has {count} ({names}): both take the same"
    raise PatternError(why, file, getattr(getattr(function, "__code__", None), "co_firstlineno", None))


def _not_a_tuple(value: Any) -> str:
    if isinstance(value, Proxy):
        return "replacement_args returns one value; it has to return a tuple: write a comma, `return (x,)`"
    kind = "nothing" if value is None else kind_of(value)
    return f"replacement_args returns {kind}; it has to return a tuple of what the launcher is called with"


def _unbound_in(value: Any) -> Iterator[_Unbound]:
    if isinstance(value, _Unbound):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _unbound_in(item)
