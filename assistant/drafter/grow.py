"""Selections made larger, and made from lines of the code."""

from collections.abc import Collection

from graphs.fx_source import FxGraph

_NO_OPERATORS = ("placeholder", "output", "get_attr")


def with_producers(graph: FxGraph, names: Collection[str]) -> frozenset[str]:
    """The nodes and the operators whose values they use."""
    found = {ref for name in names for ref in graph.node(name).refs()}
    return frozenset(names) | {name for name in found if graph.node(name).op not in _NO_OPERATORS}


def with_consumers(graph: FxGraph, names: Collection[str]) -> frozenset[str]:
    """The nodes and the operators that use their values."""
    found = {user for name in names for user in graph.users(name)}
    return frozenset(names) | {name for name in found if graph.node(name).op not in _NO_OPERATORS}


def nodes_of_lines(graph: FxGraph, first: int, last: int) -> frozenset[str]:
    """The operators that are written, at least in part, on lines `first` to `last` (from 1, both included)."""
    return frozenset(
        node.name
        for node in graph.nodes
        if node.op not in _NO_OPERATORS and node.span is not None
        and node.span.line <= last and node.span.end_line >= first
    )  # fmt: skip
