"""FX code text ⇄ FxGraph, without executing anything.

`parse` reads a model.py or the printed code of a rewritten module; `to_source` writes a model.py that reads back as an
equal graph.
"""

from graphs.fx_source.model import Arg, Device, FxGraph, FxNode, Op, Ref, Slice, Span, Symbol, map_refs
from graphs.fx_source.printer import arg_source, expression_source, node_source, to_source
from graphs.fx_source.reader import MAX_STATEMENTS, parse
from graphs.problems import ReadProblem, TooLarge

__all__ = [
    "MAX_STATEMENTS",
    "Arg",
    "Device",
    "FxGraph",
    "FxNode",
    "Op",
    "ReadProblem",
    "Ref",
    "Slice",
    "Span",
    "Symbol",
    "TooLarge",
    "arg_source",
    "expression_source",
    "map_refs",
    "node_source",
    "parse",
    "to_source",
]
