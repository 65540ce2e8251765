"""Passes for whole graphs: cut into ranges that one launcher can replace, and drafted one by one."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.drafter.draft import MAX_NODES, Draft, GraphFacts, draft
from assistant.drafter.refusals import CannotBePattern
from graphs.fx_source import FxGraph

ORDER_FILE = "sorted_output_pass_rule_names.json"
_NO_OPERATORS = ("placeholder", "output", "get_attr")


@dataclass(frozen=True)
class Range:
    """A drafted range of a graph."""

    graph: int  # which of the task's graphs it was found in
    nodes: tuple[str, ...]
    draft: Draft


def draft_task(graphs: Sequence[tuple[FxGraph, GraphFacts]]) -> tuple[dict[str, str], list[Range]]:
    """A pass_dir (file name → text) for all graphs of a task, and what was drafted. No file but an empty order file
    where nothing could be."""
    ranges: list[Range] = []
    for index, (graph, facts) in enumerate(graphs):
        others = [other for place, other in enumerate(graphs) if place != index]
        nodes = [node.name for node in graph.nodes if node.op not in _NO_OPERATORS]
        for first in range(0, len(nodes), MAX_NODES):
            found = _ranges(graph, facts, others, nodes[first : first + MAX_NODES])
            ranges += [Range(index, tuple(part), made) for part, made in found]
    return pass_files([item.draft for item in ranges]), ranges


def pass_files(drafts: Iterable[Draft]) -> dict[str, str]:
    """A pass_dir of these drafts, in their order; the same text is written once."""
    files: dict[str, str] = {}
    known: set[str] = set()
    for one in drafts:
        if one.text not in known:
            known.add(one.text)
            files[_free(one.name, files)] = one.text
    files[ORDER_FILE] = json.dumps([name.removesuffix(".py") for name in files]) + "\n"
    return files


def _ranges(
    graph: FxGraph, facts: GraphFacts, others: Sequence[tuple[FxGraph, GraphFacts]], nodes: Sequence[str]
) -> list[tuple[list[str], Draft]]:
    """The range as one draft, or cut at what is in the way."""
    if not nodes:
        return []
    try:
        made = draft(graph, nodes, facts, others)
    except CannotBePattern as problem:
        # Cut at the node that is to blame; what neither half can hold stays as it is.
        at = next((nodes.index(name) for name in reversed(problem.nodes) if name in nodes), len(nodes) // 2)
        return [] if len(nodes) == 1 else _cut(graph, facts, others, nodes, max(at, 1), 0)
    if made.kind == "kernel":
        return [(list(nodes), made)]
    if made.kind == "views" or len(nodes) == 1:
        return []
    if made.in_the_way in nodes:
        return _cut(graph, facts, others, nodes, list(nodes).index(made.in_the_way), 1)
    return _cut(graph, facts, others, nodes, len(nodes) // 2, 0)


def _cut(
    graph: FxGraph,
    facts: GraphFacts,
    others: Sequence[tuple[FxGraph, GraphFacts]],
    nodes: Sequence[str],
    at: int,
    skipped: int,
) -> list[tuple[list[str], Draft]]:
    left, right = nodes[:at], nodes[at + skipped :]
    return [*_ranges(graph, facts, others, left), *_ranges(graph, facts, others, right)]


def _free(name: str, files: dict[str, str]) -> str:
    stem, count, free = name.removesuffix(".py"), 1, name
    while free in files:
        count += 1
        free = f"{stem}{count}.py"
    return free
