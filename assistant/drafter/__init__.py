"""A pass written from a graph and some of its nodes, without a model: pattern, arguments, kernel, launcher.

Pure Python on graphs.fx_source: nothing is run and torch is never imported; what comes out is text.
"""

from assistant.drafter.draft import Draft, GraphFacts, draft
from assistant.drafter.refusals import CannotBePattern

__all__ = ["CannotBePattern", "Draft", "GraphFacts", "draft"]
