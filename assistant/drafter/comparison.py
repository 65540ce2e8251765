"""The drafter's score of a task beside Inductor's, both called alike: entry `direct`, method `e2e`, in one process."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluator.scoring import EXACT, board_score, graph_score, scores
from evaluator.verdicts import Status

COMPILER = "inductor"


@dataclass(frozen=True)
class Row:
    """A task: `score` is the drafter's AS, `compiler` Inductor's, None where it could not be measured. Inductor is
    taken to be right at every t wherever it compiles: that flatters it, if anything."""

    task: str
    graphs: int
    passes: int
    correct: int
    verdict: str
    score: float | None
    compiler: float | None
    judged: int  # sets of files
    per_graph: dict[str, dict[str, Any]]
    with_kernels: int = 0  # of the passes; the others only give views


def compiler_ratios(events: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """By graph: eager's median over Inductor's, `direct` by `e2e`; None where Inductor does not compile the graph."""
    found: dict[str, float | None] = {}
    for said in events:
        if said.get("event") == "timed" and (said["entry"], said["method"]) == ("direct", "e2e"):
            if COMPILER in said["ratios"]:
                found[said["graph"]] = float(said["ratios"][COMPILER]["value"])
            elif COMPILER in said["missing"]:
                found[said["graph"]] = None
    return found


def compiler_score(
    graphs: Sequence[str], result: Mapping[str, Any], ratios: Mapping[str, float | None]
) -> float | None:
    """Inductor's AS of a task; None where a graph of it was not measured."""
    views = []
    for name in graphs:
        if result["graphs"][name]["status"] == Status.EAGER_FAIL:
            views.append(graph_score(Status.EAGER_FAIL))
        elif name not in ratios:
            return None
        elif ratios[name] is None:
            views.append(graph_score(Status.COMPILE_FAIL))
        else:
            views.append(graph_score(Status.CORRECT, first_t=EXACT, speedup=ratios[name]))
    found = scores(views)
    return None if found is None else found[1]


def nothing_drafted(task: str, graphs: Sequence[str], ratios: Mapping[str, float | None]) -> Row:
    """A task that the drafter hands nothing in for: no graph of it matches."""
    missed = {name: {"status": Status.NO_MATCH, "speedup": None, "compiler": ratios.get(name)} for name in graphs}
    found = scores([graph_score(Status.NO_MATCH) for _ in graphs])
    theirs = compiler_score(graphs, {"graphs": missed}, ratios)
    return Row(task, len(graphs), 0, 0, "", None if found is None else found[1], theirs, 0, missed)


def row(
    task: str,
    graphs: Sequence[str],
    files: Mapping[str, str],
    result: Mapping[str, Any],
    ratios: Mapping[str, float | None],
    judged: int,
) -> Row:
    """A task with what the best set of files came to."""
    per_graph = {
        name: {
            "status": result["graphs"][name]["status"],
            "first_t": result["graphs"][name]["first_t"],
            "speedup": result["graphs"][name]["speedup"],
            "launches": result["graphs"][name]["launches"],
            "compiler": ratios.get(name),
            "message": result["graphs"][name]["message"],
        }
        for name in graphs
    }
    correct = sum(one["status"] == Status.CORRECT for one in per_graph.values())
    theirs = compiler_score(graphs, result, ratios)
    score = result["aggregate_score"]
    kernels = sum("@triton.jit" in text for text in files.values())
    return Row(task, len(graphs), len(files) - 1, correct, result["verdict"], score, theirs, judged, per_graph, kernels)


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Board scores over the tasks of which both were measured, and how often the drafter is ahead."""
    both = [(one.score, one.compiler) for one in rows if one.score is not None and one.compiler is not None]
    return {
        "tasks": len(rows),
        "tasks_with_passes": sum(one.passes > 0 for one in rows),
        "tasks_with_kernels": sum(one.with_kernels > 0 for one in rows),
        "graphs": sum(one.graphs for one in rows),
        "graphs_correct": sum(one.correct for one in rows),
        "tasks_compared": len(both),
        "drafter_as": board_score([score for score, _ in both]),
        "inductor_as": board_score([theirs for _, theirs in both]),
        "drafter_ahead": sum(score > theirs for score, theirs in both),
        "not_clean": [one.task for one in rows if one.verdict not in ("", "clean")],
    }


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [asdict(one) for one in rows]
