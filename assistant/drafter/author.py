"""The drafter as an author of whole tasks: it drafts, has the drafts judged, tries to do without single passes or with
smaller ones, and keeps the best. Who judges is the caller's business; nothing is random and nothing asks a model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from assistant.drafter.draft import Draft, GraphFacts, draft
from assistant.drafter.refusals import CannotBePattern
from assistant.drafter.results import MAY_COPY
from assistant.drafter.tasks import Range, draft_task, pass_files
from assistant.drafter.worth import saving, worthwhile
from evaluator.verdicts import Integrity, Status
from graphs.fx_source import FxGraph
from graphs.operators import operator_name

Graphs = Sequence[tuple[FxGraph, GraphFacts]]
#: The payload of `run_done`, or None when nobody could judge.
Result = Mapping[str, Any] | None
Evaluate = Callable[[Mapping[str, str]], Result]

_LEAST_TO_HALVE = 2  # operators of a range
_NO_OPERATORS = ("placeholder", "output", "get_attr")


@dataclass(frozen=True)
class Step:
    """One set of files that was judged: what was tried, what came out, whether it is the best up to then."""

    what: str
    files: Mapping[str, str]
    result: Result
    is_best: bool


def author_task(graphs: Graphs, evaluate: Evaluate, most: int = 8, timed: bool = False) -> Iterator[Step]:
    """Judges at most `most` sets of files, each told as soon as it is judged; the last step that `is_best` is what the
    drafter hands in. Nothing comes where nothing can be drafted. `timed`: speed counts, so that ranges come first which
    are worth a launch."""
    ranges = first_ranges(graphs)
    if not ranges:
        return
    tried: set[tuple[str, ...]] = set()
    best: Result = None
    first = iter([*([("ranges worth a launch", _quick(graphs, ranges))] if timed else []), ("all ranges", ranges)])
    waiting: Iterator[tuple[str, list[Range]]] = first
    while len(tried) < most:
        what, chosen = next(waiting, ("", []))
        if not chosen:
            return
        files = pass_files(item.draft for item in chosen)
        key = tuple(sorted(files.values()))
        if key in tried:
            continue
        tried.add(key)
        result = evaluate(files)
        better = rank(result) > rank(best)
        yield Step(what, files, result, better)
        if better:
            best, waiting = result, chain(first, _neighbours(graphs, chosen))


def rank(result: Result) -> tuple[int, float, int, int]:
    """What is better is greater: judged without a violation, the score, correct graphs, fewer kernels launched."""
    if result is None:
        return (0, 0.0, 0, 0)
    if result["verdict"] == Integrity.VIOLATION:
        return (1, 0.0, 0, 0)
    graphs = list(result["graphs"].values())
    correct = sum(graph["status"] == Status.CORRECT for graph in graphs)
    launched = sum((graph["launches"] or {}).get("candidate") or 0 for graph in graphs)
    return (2, result["aggregate_score"] or 0.0, correct, -launched)


def first_ranges(graphs: Graphs) -> list[Range]:
    """Every range with a kernel; and for a graph that has none, operators that only give another view of their input:
    a launcher that does the same is right and as fast, where no match counts as a failure."""
    ranges = draft_task(graphs)[1]
    covered = {item.graph for item in ranges}
    for index in range(len(graphs)):
        if index not in covered and (found := _views(graphs, index)) is not None:
            ranges.append(found)
    return ranges


def _quick(graphs: Graphs, ranges: Sequence[Range]) -> list[Range]:
    """The ranges that are worth a launch; for a graph that has none, a view of its own, else the one that loses least:
    a graph that nothing matches counts as a failure."""
    kept = worthwhile(graphs, ranges)
    covered = {item.graph for item in kept}
    for index in sorted({item.graph for item in ranges} - covered):
        own = [item for item in ranges if item.graph == index]
        kept.append(_views(graphs, index) or max(own, key=lambda item: saving(graphs[index], item)))
    return kept


def _views(graphs: Graphs, index: int) -> Range | None:
    """An operator that only gives a view; one that copies where its input lies otherwise comes last."""
    nodes = [node for node in graphs[index][0].nodes if node.op not in _NO_OPERATORS]
    for node in sorted(nodes, key=lambda node: operator_name(node) in MAY_COPY):
        made = _drafted(graphs, index, [node.name])
        if made is not None and made.kind == "views":
            return Range(index, (node.name,), made)
    return None


def _neighbours(graphs: Graphs, ranges: Sequence[Range]) -> Iterator[tuple[str, list[Range]]]:
    """Without one of the passes; then with one of them cut in two."""
    texts = list(dict.fromkeys(item.draft.text for item in ranges))
    if len(texts) > 1:
        for text in texts:
            name = next(item.draft.name for item in ranges if item.draft.text == text)
            yield f"without {name}", [item for item in ranges if item.draft.text != text]
    for text in texts:
        halves = [half for item in ranges if item.draft.text == text for half in _halves(graphs, item)]
        if halves:
            name = next(item.draft.name for item in ranges if item.draft.text == text)
            yield f"{name} in two", [*(item for item in ranges if item.draft.text != text), *halves]


def _halves(graphs: Graphs, item: Range) -> list[Range]:
    """The range as two, where both halves can be drafted with a kernel."""
    if len(item.nodes) < _LEAST_TO_HALVE or item.draft.kind != "kernel":
        return []
    middle = len(item.nodes) // 2
    found = []
    for part in (item.nodes[:middle], item.nodes[middle:]):
        made = _drafted(graphs, item.graph, part)
        if made is None or made.kind != "kernel":
            return []
        found.append(Range(item.graph, part, made))
    return found


def _drafted(graphs: Graphs, index: int, nodes: Sequence[str]) -> Draft | None:
    graph, facts = graphs[index]
    others = [other for place, other in enumerate(graphs) if place != index]
    try:
        return draft(graph, nodes, facts, others)
    except CannotBePattern:
        return None
