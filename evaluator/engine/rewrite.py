"""Putting a launcher in the place of a match."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch.fx import Graph, Node

from evaluator.engine.arguments import launcher_arguments
from evaluator.engine.boundary import Placement
from evaluator.engine.leaf import Leaf, identifier, launcher_name
from evaluator.engine.pattern import Match, Pattern
from evaluator.engine.view import GraphView, source_name

_VALUE_META = ("val", "example_value", "tensor_meta")  # what a node's result looks like; the launcher's is the same


@dataclass(frozen=True)
class Replacement:
    """What takes the place of a pattern's matches. `file` is where `replacement_args` stands, for messages."""

    pass_name: str
    replacement_args: Callable[..., Any]
    leaf: Leaf
    file: str | None = None


def rewrite(
    view: GraphView, root: torch.nn.Module, pattern: Pattern, match: Match, placement: Placement, new: Replacement
) -> list[Node]:
    """Replace one match in the graph that `view` looks at. Returns the nodes that were put in.

    The launcher becomes one call_function node with `new.leaf` as its target; several outputs are taken out of it by
    `operator.getitem`. Tensors that `replacement_args` holds become attributes of `root`. Raises PatternError where
    `replacement_args` fails; the graph is not to be used then.
    """
    graph = view.graph
    inside = sorted(match.nodes.values(), key=view.order.__getitem__)
    outputs = [match.nodes.get(value) if isinstance(value, Node) else None for value in pattern.traced.outputs]
    origins = tuple(dict.fromkeys(origin for node in inside for origin in origins_of(node)))
    effects = _effects(match, outputs, inside, view)
    with graph.inserting_before(placement.before):
        arguments, created = launcher_arguments(graph, root, pattern.traced, match, new.replacement_args, new.file)
        wanted = identifier(launcher_name(new.leaf.launcher))
        launcher = graph.create_node("call_function", new.leaf, arguments, {}, name=wanted)
        launcher.meta |= effects
        results = [launcher] if len(outputs) == 1 else _items(graph, launcher, outputs)
    placed = [*created, launcher, *(item for item in results if item is not launcher), *placement.moved]
    for before, after in pairwise(placed[len(created) :]):
        before.append(after)
    stands_for = {
        result: output for result, output in reversed(list(zip(results, outputs, strict=True))) if output is not None
    }
    changed = _redirect(outputs, results, set(inside))
    view.forget(inside)
    for node in reversed(inside):
        graph.erase_node(node)
    for node in results:
        if node is not launcher and not node.users:
            placed.remove(node)
            graph.erase_node(node)
    view.placed(placed, changed, stands_for)
    put_in = placed[: len(placed) - len(placement.moved)]
    for node in put_in:
        stands = origins if node is launcher or node in results else ()
        node.meta |= {"source_name": view.name_for(node), "origins": stands, "pass": new.pass_name}
    return put_in


def origins_of(node: Node) -> tuple[str, ...]:
    """Names of the original graph's nodes that a node stands for: itself, or what a launcher took the place of."""
    found: tuple[str, ...] | None = node.meta.get("origins")
    return (source_name(node),) if found is None else found


def copy_graph(source: Graph) -> Graph:
    """A graph of its own; what nodes know about other nodes is carried over."""
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in source.nodes:
        copy = copies[node] = graph.node_copy(node, lambda source: copies[source])
        for key in ("leaf_writes", "leaf_shares"):
            if key in copy.meta:
                copy.meta[key] = tuple(copies[source] for source in copy.meta[key] if source in copies)
    return graph


def drop_dead_code(view: GraphView) -> None:
    """Erase nodes whose results nobody uses, except those that change something."""
    for node in reversed(list(view.graph.nodes)):
        if node.op not in ("placeholder", "output") and not node.users and view.memory.effects[node].pure:
            view.forget([node])
            view.graph.erase_node(node)


def _items(graph: Graph, launcher: Node, outputs: list[Node | None]) -> list[Node]:
    return [
        graph.create_node("call_function", operator.getitem, (launcher, index), {}, name=f"{launcher.name}_{index}")
        for index in range(len(outputs))
    ]


def _effects(match: Match, outputs: list[Node | None], inside: list[Node], view: GraphView) -> dict[str, Any]:
    """What later passes have to know: which inputs the launcher may change, which its results may share memory with."""
    memory = view.memory
    changed = {place for node in inside for place in memory.writes(node)}
    shared = {place for node in outputs if node is not None and (place := memory.place(node)) is not None}
    inputs = match.input_nodes()
    return {
        "leaf_writes": tuple(node for node in inputs if memory.place(node) in changed),
        "leaf_shares": tuple(node for node in inputs if memory.place(node) in shared),
    }


def _redirect(outputs: list[Node | None], results: list[Node], inside: set[Node]) -> set[Node]:
    """Let users outside take the launcher's results; returns those users."""
    changed: set[Node] = set()
    done: set[Node] = set()
    for output, result in zip(outputs, results, strict=True):
        if output is None or output in done:
            continue
        done.add(output)
        users = [user for user in output.users if user not in inside]
        output.replace_all_uses_with(result, delete_user_cb=lambda user: user not in inside)
        changed.update(users)
        for user in users:
            for key in ("leaf_writes", "leaf_shares"):
                if output in user.meta.get(key, ()):
                    user.meta[key] = tuple(result if node is output else node for node in user.meta[key])
        result.meta.update({key: output.meta[key] for key in _VALUE_META if key in output.meta})
    return changed
