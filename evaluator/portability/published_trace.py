"""A pattern as the published harness traces it, and how it compares with ours and with a graph.

Needs torch and runs the pattern's code. The behaviour of the published tracer is rebuilt from what its source says, on
torch.fx's own Tracer; SubgraphMatcher is torch's, as the published harness uses it.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node, Tracer
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

from evaluator.engine.load import LoadedPass
from evaluator.engine.printed import node_code, target_name
from evaluator.engine.signatures import IN_PLACE_OPERATORS
from evaluator.engine.trace import PatternError, TracedPattern, trace_pattern
from evaluator.portability.rules import Finding


class PositionalTracer(Tracer):
    """Calls of functions with a Python signature get all arguments by position, defaults filled in."""

    def create_node(self, kind: str, target: Any, args: Any, kwargs: Any, *more: Any, **named: Any) -> Node:
        if kind == "call_function":
            try:
                bound = inspect.signature(target).bind(*args, **kwargs)
            except (TypeError, ValueError):  # builtins have no signature
                return super().create_node(kind, target, args, kwargs, *more, **named)
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        return super().create_node(kind, target, args, kwargs, *more, **named)


def published_graph(pattern: Any) -> GraphModule:
    """Raises whatever the pattern's code raises."""
    if isinstance(pattern, GraphModule):
        return pattern
    if isinstance(pattern, Graph):
        return GraphModule(torch.nn.Module(), pattern)
    tracer = PositionalTracer()
    graph = tracer.trace(pattern)
    return GraphModule(tracer.root, graph)


def check(item: LoadedPass) -> Iterator[Finding]:
    """Findings on one pass that the text alone does not show."""
    if item.module.replacement_func() is not item.module.replacement_func():
        yield Finding("unstable_launcher", item.file, None, "replacement_func returns another object each time")
    try:
        ours = trace_pattern(item.pattern, None, item.file)
    except PatternError:
        return  # the evaluator says so itself
    if not inspect.isfunction(item.pattern):
        yield from _object(item, ours)
        return
    line = item.pattern.__code__.co_firstlineno
    try:
        theirs = published_graph(item.pattern)
    except Exception as problem:
        first = (str(problem).splitlines() or [""])[0]
        yield Finding("untraceable_pattern", item.file, line, f"{type(problem).__name__}: {first}")
        return
    if len(ours.outputs) > 1:
        yield Finding("several_outputs", item.file, line, f"the pattern returns {len(ours.outputs)} values")
    yield from _differences(item.file, line, ours, theirs)


def literal_matches(item: LoadedPass, graph: Graph) -> tuple[int, str | None]:
    """How often torch's SubgraphMatcher finds the pattern in a graph, and what of it stands nowhere in the graph."""
    try:
        pattern = published_graph(item.pattern)
        found = SubgraphMatcher(pattern.graph, match_output=False, match_placeholder=False).match(graph)
    except Exception as problem:
        return 0, f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"
    return len(found), _written_nowhere(pattern.graph, graph)


def _object(item: LoadedPass, ours: TracedPattern) -> Iterator[Finding]:
    try:
        names = inspect.signature(item.pattern).parameters if callable(item.pattern) else {}
    except (TypeError, ValueError):
        names = {}
    if len(names) != len(ours.inputs) or any(p.kind is p.VAR_POSITIONAL for p in dict(names).values()):
        kind = type(item.pattern).__name__
        yield Finding("pattern_object", item.file, None, f"the pattern is a {kind} whose signature names no inputs")


def _differences(file: str, line: int, ours: TracedPattern, theirs: GraphModule) -> Iterator[Finding]:
    def at(node: Node) -> int:
        return ours.lines.get(node, line)

    for node in theirs.graph.nodes:
        if node.op not in ("output", "placeholder") and not node.users:
            yield Finding("unused_in_pattern", file, line, f"nothing uses `{node_code(node)}`")
        if node.op == "placeholder" and not node.users:
            yield Finding("unused_in_pattern", file, line, f"the pattern does not use `{node.target}`")
        if node.op == "get_attr":
            yield Finding("constant_in_pattern", file, line, f"`{node.target}` is a tensor made while tracing")
    missing = Counter(_call(node) for node in theirs.graph.nodes)
    for node in ours.graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, Callable):  # type: ignore[arg-type]
            continue
        if node.target in IN_PLACE_OPERATORS:
            yield Finding("in_place_pattern", file, at(node), f"`{node_code(node, ours.name)}`")
        elif missing[_call(node)] > 0:
            missing[_call(node)] -= 1
        elif getattr(node.target, "__module__", None) in ("torch.nn.functional", "torch.functional"):
            found = f"`{node_code(node, ours.name)}` is not recorded as a call of {target_name(node)}"
            yield Finding("run_through", file, at(node), found)


def _call(node: Node) -> tuple[str, Any]:
    return node.op, node.target


def _written_nowhere(pattern: Graph, graph: Graph) -> str | None:
    """The first call of the pattern that stands nowhere in the graph in just that form."""
    for node in pattern.nodes:
        if node.op in ("placeholder", "output"):
            continue
        same = [other for other in graph.nodes if _call(other) == _call(node)]
        if not same:
            return f"the graph has no {target_name(node)}"
        if not any(_alike(node, other) for other in same):
            return f"the pattern's call is `{node_code(node)}`, the graph's `{node_code(same[0])}`"
    return None


def _alike(one: Node, other: Node) -> bool:
    return (
        len(one.args) == len(other.args)
        and list(one.kwargs) == list(other.kwargs)
        and all(map(_same, (*one.args, *one.kwargs.values()), (*other.args, *other.kwargs.values())))
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Node):
        return one.op == "placeholder" or isinstance(other, Node)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)
