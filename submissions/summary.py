"""What a finished run comes to in a few columns, so that lists need not open results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.verdicts import Status


@dataclass(frozen=True)
class Summary:
    """`first_t` is the worst over the graphs (−99: equal bit by bit), None when some graph is not right at any t."""

    correct: int
    total: int
    first_t: int | None
    verdict: str


def rejection(result: Mapping[str, Any]) -> str | None:
    """Why every graph was rejected (a RejectReason); None when some was evaluated, or there was none."""
    graphs = list(result.get("graphs", {}).values())
    if not graphs or any(graph.get("status") != Status.REJECTED for graph in graphs):
        return None
    return str(graphs[0].get("reason") or Status.REJECTED)


def summarise(result: Mapping[str, Any]) -> Summary:
    """The summary of a `run_done` payload."""
    graphs = list(result.get("graphs", {}).values())
    first = [graph.get("first_t") for graph in graphs]
    known = [t for t in first if t is not None]
    return Summary(
        correct=sum(graph.get("status") == Status.CORRECT for graph in graphs),
        total=len(graphs),
        first_t=max(known) if known and len(known) == len(first) else None,
        verdict=str(result.get("verdict") or ""),
    )
