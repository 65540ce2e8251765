"""Apply a submission's passes to a graph, in order, each to the result of the one before."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any, Protocol

import torch
from torch.fx import GraphModule, Node

from evaluator.engine.boundary import Placement, place
from evaluator.engine.leaf import Leaf, origin_of
from evaluator.engine.match import MAX_PER_ANCHOR, Budget, Search, anchor
from evaluator.engine.near_miss import nearest_miss
from evaluator.engine.pattern import Match, Pattern
from evaluator.engine.rewrite import Replacement, copy_graph, drop_dead_code, origins_of, rewrite
from evaluator.engine.trace import PatternError, trace_pattern
from evaluator.engine.tracer import functions_as_leaves
from evaluator.engine.view import GraphView
from evaluator.events import NearMiss

__all__ = ["Admit", "Applied", "Found", "Pass", "PatternError", "apply_passes", "match_passes"]


class Pass(Protocol):
    """What is needed of a loaded pass (see load.LoadedPass)."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def pattern(self) -> Any: ...
    @property
    def replacement_args(self) -> Callable[..., Any]: ...
    @property
    def launcher(self) -> Callable[..., Any]: ...
    @property
    def module(self) -> Any: ...


# Asked before a match is replaced: None, or in words why it is to be left alone. Takes the pass's name; what the
# pattern's inputs are bound to, by name (nodes, constants, lists of both); the nodes that would be replaced, in the
# order of the graph; the module that the graph came in.
Admit = Callable[[str, dict[str, Any], list[Node], GraphModule], str | None]


@dataclass(frozen=True)
class Found:
    """Where the passes match in a graph.

    `matched_nodes` are names of the original graph, one list for each match, `lines` says for each match which line
    (from 1) of the pass's file made the pattern's node that lies on a node, where that is known. `near_misses` tell for
    each pass without a match how far it came (nearest first). `notes` say what an author should know about a pass
    (operands were swapped, the search was cut short, a line counts for nothing). `left_alone` says which matches an
    `Admit` refused, and why.
    """

    matches: int
    per_pass: dict[str, int]
    matched_nodes: list[list[str]]
    lines: list[dict[str, int]]
    near_misses: list[NearMiss]
    notes: list[str]
    left_alone: list[str] = field(kw_only=True, default_factory=list)


@dataclass(frozen=True)
class Applied(Found):
    """What the passes made of a graph: also the rewritten module, and the nodes put in that are still there."""

    module: GraphModule
    new_nodes: list[str]


def apply_passes(gm: GraphModule, passes: Sequence[Pass], admit: Admit | None = None) -> Applied:
    """Match and rewrite a copy of `gm`. Raises PatternError where a pass's functions can not be traced.

    With `admit`, matches that it gives a reason against stay as they are.

    A pass that sets `commutative = True` in its file also matches with the operands of `+`, `*` and the like swapped.
    """
    return _worked(gm, passes, admit).result()


def match_passes(gm: GraphModule, passes: Sequence[Pass]) -> Found:
    """What `apply_passes` finds, without the module that it makes: for answers while somebody types."""
    return _worked(gm, passes).found()


def _worked(gm: GraphModule, passes: Sequence[Pass], admit: Admit | None = None) -> "_Work":
    work = _Work(gm, admit)
    with functions_as_leaves():
        for item in passes:
            work.apply(item)
    return work


class _Work:
    def __init__(self, gm: GraphModule, admit: Admit | None) -> None:
        self.source = gm
        self.admit = admit
        self.root = torch.nn.Module()  # holds tensors that replacement_args brings along
        self.view = GraphView(copy_graph(gm.graph))
        drop_dead_code(self.view)
        self.per_pass: dict[str, int] = {}
        self.matched: list[list[str]] = []
        self.lines: list[dict[str, int]] = []
        self.misses: list[NearMiss] = []
        self.put_in: list[Node] = []
        self.notes: list[str] = []
        self.left_alone: list[str] = []

    def apply(self, item: Pass) -> None:
        """Replace all matches of one pass, those first in the graph first; matches do not overlap."""
        pattern = Pattern(trace_pattern(item.pattern, _arity(item.replacement_args), item.file))
        arguments = origin_of(item.replacement_args, item.file)
        leaf = Leaf(item.launcher, item.name, len(pattern.traced.outputs), arguments)
        replacement = Replacement(item.name, item.replacement_args, leaf, item.file)
        commutative = getattr(item.module, "commutative", False) is True
        budget = Budget()
        self.notes += [f"{item.name}: {words}" for words in pattern.unused()]
        self.view.start_pass()
        start = anchor(pattern, self.view)
        count, left = 0, len(self.left_alone)
        for candidate in list(self.view.candidates(pattern.operators[start])):
            search = Search(pattern, self.view, budget, commutative)
            if self.view.alive(candidate) and self._replace_at(search.at(start, candidate), pattern, replacement):
                count += 1
            if budget.spent:
                break
        if budget.spent:
            self.notes.append(
                f"{item.name}: the search was cut short; a pattern in one connected piece is found faster"
            )
        self.per_pass[item.name] = self.per_pass.get(item.name, 0) + count
        if count == 0 and len(self.left_alone) == left:
            self.misses.append(nearest_miss(item.name, pattern, self.view, commutative))

    def _replace_at(self, matches: Iterator[Match], pattern: Pattern, replacement: Replacement) -> bool:
        for match in islice(matches, MAX_PER_ANCHOR):
            placement = place(pattern, match, self.view)
            if isinstance(placement, Placement):
                inside = sorted(match.nodes.values(), key=self.view.order.__getitem__)
                if self._is_left_alone(replacement.pass_name, pattern, match, inside):
                    return False
                self.matched.append(list(dict.fromkeys(name for node in inside for name in origins_of(node))))
                self.lines.append(_lines(pattern, match))
                for node in match.swapped:
                    names = ", ".join(origins_of(node))
                    self.notes.append(f"{replacement.pass_name}: matched with the operands of `{names}` swapped")
                self.put_in += rewrite(self.view, self.root, pattern, match, placement, replacement)
                return True
        return False

    def _is_left_alone(self, name: str, pattern: Pattern, match: Match, inside: list[Node]) -> bool:
        if self.admit is None:
            return False
        bound = {item.name: match.inputs[item.node] for item in pattern.traced.inputs if item.node in match.inputs}
        why = self.admit(name, bound, inside, self.source)
        if why is not None:
            names = ", ".join(dict.fromkeys(origin for node in inside for origin in origins_of(node)))
            self.left_alone.append(f"{name}: {names} is left alone: {why}")
        return why is not None

    def found(self) -> Found:
        misses = sorted(self.misses, key=lambda miss: miss["pattern_size"] - len(miss["matched"]))
        return Found(
            sum(self.per_pass.values()),
            self.per_pass,
            self.matched,
            self.lines,
            misses,
            self.notes,
            left_alone=self.left_alone,
        )

    def result(self) -> Applied:
        drop_dead_code(self.view)
        self.view.graph.lint()
        module = GraphModule(self._attributes(), self.view.graph)
        new_nodes = [node.meta["source_name"] for node in self.put_in if self.view.alive(node)]
        return Applied(**vars(self.found()), module=module, new_nodes=new_nodes)

    def _attributes(self) -> dict[str, Any]:
        """What the graph's get_attr and call_module nodes name."""
        found = {}
        for node in self.view.graph.nodes:
            if node.op in ("get_attr", "call_module"):
                try:
                    found[node.target] = attrgetter(node.target)(self.root)
                except AttributeError:
                    found[node.target] = attrgetter(node.target)(self.source)
        return found


def _lines(pattern: Pattern, match: Match) -> dict[str, int]:
    """Names of matched nodes, and the line of the pass's file that made the pattern's node for each."""
    lines = pattern.traced.lines_in_file()
    return {
        name: lines[wanted] for wanted, found in match.nodes.items() if wanted in lines for name in origins_of(found)
    }


def _arity(replacement_args: Callable[..., Any]) -> int | None:
    """How many inputs `replacement_args` takes, where that is fixed: tells how many a `pattern(*args)` has."""
    try:
        parameters = inspect.signature(replacement_args).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return None if any(parameter.kind in kinds for parameter in parameters) else len(parameters)
