"""Numbers of a model that Dynamo made inputs of the graph.

With `dynamic=True`, or when it changed between two calls, Dynamo treats a float (an `eps`, a `temperature`) as a tensor
input and takes the number out with `.item()`. In a data set's graphs, and so in patterns, it is a constant.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.fx import GraphModule, Node

from evaluator.engine.passes import Admit, Applied, Pass, apply_passes
from evaluator.engine.rewrite import copy_graph
from evaluator.engine.view import source_name


def apply_with_floats(
    module: GraphModule, passes: Sequence[Pass], admit: Admit | None = None
) -> tuple[Applied, tuple[Node, ...]]:
    """Apply passes to the graph in which such numbers are constants; also which of them have to stay what they are.

    That is as few as the matches need: Dynamo compiles anew for each value of a constant, and gives up after some.
    Before the result is run in the place of `module`, call `settle` with them. Raises PatternError.
    """
    floats = list(_floats(module))
    written = apply_passes(_with_constants(module, floats), passes, admit)
    if not floats or not written.matches:
        return written, ()
    matched = {name for names in written.matched_nodes for name in names}
    for few in ([], [node for node in floats if any(source_name(user) in matched for user in node.users)]):
        applied = apply_passes(_with_constants(module, few), passes, admit)
        if applied.matched_nodes == written.matched_nodes:
            return replace(applied, near_misses=written.near_misses), tuple(few)
    return written, tuple(floats)


def settle(floats: Collection[Node]) -> None:
    """Have Dynamo compile anew when one of these numbers changes."""
    for node in floats:
        float(node.meta["example_value"])  # installs the guard


def _with_constants(module: GraphModule, floats: Collection[Node]) -> GraphModule:
    if not floats:
        return module
    graph = copy_graph(module.graph)
    names = {node.name for node in floats}
    for node in [node for node in graph.nodes if node.name in names]:
        node.replace_all_uses_with(_value(node))  # type: ignore[arg-type]
        graph.erase_node(node)
    return GraphModule(module, graph)


def _floats(module: GraphModule) -> Iterator[Node]:
    for node in module.graph.nodes:
        taken_out = node.op == "call_method" and node.target == "item" and node.args[0].op == "placeholder"
        if taken_out and _value(node) is not None:
            yield node


def _value(node: Node) -> float | None:
    """The number in the call that is being compiled for."""
    value: Any = node.meta.get("example_value")
    hint = value.node.hint if isinstance(value, torch.SymFloat) else None
    return None if hint is None else float(hint)
