"""FxGraph → coordinates, once, stored. Inputs become badges, edges over more than 8 ranks pairs of stubs."""

from graphs.fx_source import FxGraph
from graphs.layout.fresh import fresh_layout
from graphs.layout.model import Box, EdgeLine, Layout, Point
from graphs.layout.stable import stable_layout
from graphs.layout.thumbnail import thumbnail

__all__ = ["Box", "EdgeLine", "Layout", "Point", "layout", "thumbnail"]


def layout(graph: FxGraph, previous: Layout | None = None) -> Layout:
    """Where the graph is drawn; the same graph gives the same drawing.

    With `previous` (the drawing before a rewrite) every node that is still there keeps its place and the new ones are
    put between their neighbours; where that can not be done the graph is drawn anew.
    """
    kept = stable_layout(graph, previous) if previous is not None else None
    return kept if kept is not None else fresh_layout(graph)
