"""What a finished run is worth to a model that is being trained: a pure function of its result (docs/reward.md).

Higher is better, and the same result gives the same number for ever (`VERSION` changes with the definition). A
submission that breaks the rules, or that waits for a reviewer's word, gets FLOOR, which is less than the worst honest
one can get: cheating never pays.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evaluator.scoring import CORRECT_AT
from evaluator.verdicts import Integrity, RejectReason, Status

VERSION = 1
FLOOR = -2.0
_MOST_SCORE = 2.0  # a hundred times eager: beyond that nothing is to be learnt

# Steps of the shaped reward, for one graph.
_NOT_COMPILED, _NO_MATCH, _FAILED, _MISMATCH, _WRONG, _CORRECT = 0.05, 0.10, 0.20, 0.30, 0.40, 0.50
_LOOSEST_T = 4


class Kind(StrEnum):
    """Which reward is asked for."""

    SCORE = "score"  # log10 of the aggregate score; exists only where speed was measured
    CORRECTNESS = "correctness"  # share of graphs that are correct at t = −5
    SHAPED = "shaped"  # mean over the graphs of how far each came, and how fast it is


@dataclass(frozen=True)
class Reward:
    """`value` is None where nothing can be said: speed was not measured, or no graph of the task runs here. `graphs`
    are the parts of the shaped reward, by graph."""

    kind: Kind
    value: float | None
    floor: bool = False
    graphs: Mapping[str, float] | None = None


def reward(result: Mapping[str, Any], verdict: str, kind: Kind) -> Reward:
    """The reward of a `run_done` payload. `verdict` is the word on integrity that stands: a reviewer's, or the
    judge's."""
    if verdict != Integrity.CLEAN:
        return Reward(kind, FLOOR, floor=True)
    usable = {name: graph for name, graph in result["graphs"].items() if graph["status"] != Status.EAGER_FAIL}
    if not usable:
        return Reward(kind, None)
    match kind:
        case Kind.SCORE:
            return Reward(kind, _log_score(result["aggregate_score"]))
        case Kind.CORRECTNESS:
            return Reward(kind, _mean([float(graph["status"] == Status.CORRECT) for graph in usable.values()]))
        case Kind.SHAPED:
            parts = {name: shaped(graph) for name, graph in usable.items()}
            return Reward(kind, _mean(list(parts.values())), graphs=parts)


def shaped(graph: Mapping[str, Any]) -> float:
    """How far one graph came, from 0 (nothing could be read) to 1 (correct and at least twice as fast as eager)."""
    match Status(graph["status"]):
        case Status.REJECTED:
            return FLOOR if graph["reason"] == RejectReason.VIOLATION else 0.0
        case Status.COMPILE_FAIL:
            return _NOT_COMPILED
        case Status.NO_MATCH:
            return _NO_MATCH
        case Status.RUNTIME_FAIL:
            return _FAILED
        case Status.ACCURACY if graph["mismatch"]:
            return _MISMATCH
        case Status.ACCURACY:
            return _WRONG + (_CORRECT - _WRONG) * _nearness(graph["first_t"])
        case Status.CORRECT:
            return _CORRECT + (1 - _CORRECT) * _gain(graph)
        case Status.EAGER_FAIL:
            raise ValueError("a graph that does not run by itself says nothing about a submission")


def _nearness(first_t: int | None) -> float:
    """From 1, just short of correct, to 0: right at no t that counts."""
    if first_t is None:
        return 0.0
    beyond = min(_LOOSEST_T, max(CORRECT_AT, first_t)) - CORRECT_AT
    return 1 - beyond / (_LOOSEST_T - CORRECT_AT)


def _gain(graph: Mapping[str, Any]) -> float:
    """From 0 to 1. By speed where it was measured: half as fast as eager 0, as fast ½, twice as fast 1, even steps in
    the logarithm. Elsewhere by the share of launches that are saved, which the CPU counts exactly."""
    speedup = (graph["speedup"] or {}).get("e2e")
    if speedup is not None:
        return _clamped((math.log2(speedup) + 1) / 2)
    launches = graph["launches"] or {}
    eager, own = launches.get("eager"), launches.get("candidate")
    return _clamped(1 - own / eager) if eager and own is not None else 0.0


def _log_score(score: float | None) -> float | None:
    return None if score is None else min(_MOST_SCORE, math.log10(score))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _clamped(value: float) -> float:
    return min(1.0, max(0.0, value))
