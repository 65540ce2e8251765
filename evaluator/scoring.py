"""ES_t, the aggregate score, and a leaderboard's other columns. Pure Python: no torch, no Django.

Definitions of GraphNet (arXiv 2510.24035) and PassNet (arXiv 2605.29357). `t` is the integer tolerance, −10 … 4 or 5.
A speed-up is median time of eager / median time of the candidate, so more is better.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from evaluator.verdicts import RejectReason, Status

EXACT = -99  # first t of an output that equals the reference in every bit that counts
CORRECT_AT = -5  # PyTorch's own testing defaults: "correct" without further words means at this t
FLOAT_DTYPES = frozenset({"float16", "bfloat16", "float32", "float64"})  # every other dtype must be equal

Interpretation = Literal["default", "mismatch_extended"]


class Failure(StrEnum):
    """Kinds of failure that ES_t tells apart. Each is tolerated from its own t on, or never."""

    ACCURACY = "accuracy"
    MISMATCH = "mismatch"  # type, shape or number of outputs, NaN or Inf
    RUNTIME = "runtime"  # raised, crashed, out of time or memory; also: no match
    COMPILE = "compile"  # also: unreadable submission
    REFERENCE = "reference"  # eager itself fails
    VIOLATION = "violation"


@dataclass(frozen=True)
class Tolerance:
    """From which t each kind of failure counts as 1 instead of b (None: never), and the last t of the curve."""

    last_t: int
    tolerated_from: Mapping[Failure, int | None]


TOLERANCES: Mapping[Interpretation, Tolerance] = {
    "default": Tolerance(
        last_t=4,
        tolerated_from={
            Failure.ACCURACY: 1,
            Failure.MISMATCH: 3,
            Failure.RUNTIME: 3,
            Failure.COMPILE: 3,
            Failure.VIOLATION: None,
            Failure.REFERENCE: 3,
        },
    ),
    "mismatch_extended": Tolerance(
        last_t=5,
        tolerated_from={
            Failure.ACCURACY: 1,
            Failure.MISMATCH: 2,
            Failure.RUNTIME: 3,
            Failure.COMPILE: 4,
            Failure.VIOLATION: None,
            Failure.REFERENCE: None,
        },
    ),
}
FIRST_T = -10

# Weights of the aggregate score before they are made to sum to one: t = −10 … 4.
_RAW_WEIGHTS = [0.001] * 5 + [1.0] * 3 + [0.8**k for k in range(1, 7)] + [0.001]
WEIGHTS: Mapping[int, float] = {t: w / sum(_RAW_WEIGHTS) for t, w in zip(range(FIRST_T, 5), _RAW_WEIGHTS, strict=True)}


@dataclass(frozen=True)
class GraphScore:
    """What scoring knows of one graph.

    `first_t`: smallest t at which every output is correct, EXACT if all are equal, None if there is none.
    `failure`: the kind that counts where the graph is not correct. `speedup`: None where it was not measured.
    """

    first_t: int | None
    failure: Failure
    speedup: float | None

    def correct_at(self, t: int) -> bool:
        return self.first_t is not None and self.first_t <= t


def output_first_t(dtype: str, first_t: int | None) -> int | None:
    """First t of one output as it counts: integers, booleans and other exact dtypes are either equal or never right."""
    if dtype in FLOAT_DTYPES or first_t == EXACT:
        return first_t
    return None


def worst_first_t(values: Iterable[int | None]) -> int | None:
    """First t of a graph: the largest over its outputs and input sets; None as soon as one of them never is correct."""
    worst = EXACT
    for value in values:
        if value is None:
            return None
        worst = max(worst, value)
    return worst


def failure_of(status: str, reason: str | None = None, mismatch: str | None = None) -> Failure:
    """The kind of failure that a verdict's words stand for. Raises ValueError on a word that is not in verdicts.py."""
    match Status(status):
        case Status.CORRECT:
            return Failure.ACCURACY  # below its first t it is a matter of accuracy like any other
        case Status.ACCURACY:
            return Failure.MISMATCH if mismatch else Failure.ACCURACY
        case Status.NO_MATCH | Status.RUNTIME_FAIL:
            return Failure.RUNTIME
        case Status.COMPILE_FAIL:
            return Failure.COMPILE
        case Status.EAGER_FAIL:
            return Failure.REFERENCE
        case Status.REJECTED:
            return Failure.VIOLATION if RejectReason(reason or "") is RejectReason.VIOLATION else Failure.COMPILE


def graph_score(
    status: str,
    reason: str | None = None,
    mismatch: str | None = None,
    first_t: int | None = None,
    speedup: float | None = None,
) -> GraphScore:
    """The score's view of one graph's verdict; `first_t` counts only where the candidate ran and fits the reference."""
    comparable = status in (Status.CORRECT, Status.ACCURACY) and not mismatch
    return GraphScore(first_t if comparable else None, failure_of(status, reason, mismatch), speedup)


def rectified_speedup(speedup: float, p: float = 0.0) -> float:
    """A slow-down is raised to the power p + 1, a speed-up stands as it is."""
    return speedup if speedup >= 1 else speedup ** (p + 1)


def graph_value(graph: GraphScore, t: int, tolerance: Tolerance, p: float, b: float) -> float:
    """What one graph puts into ES_t. From t = 1 on the verdict and the speed-up are those of t = 1."""
    if graph.correct_at(min(t, 1)):
        if graph.speedup is None:
            raise ValueError("a graph that is correct has no measured speed-up, so there is no ES_t")
        if not (math.isfinite(graph.speedup) and graph.speedup > 0):
            raise ValueError(f"a speed-up must be a positive number, not {graph.speedup!r}")
        return rectified_speedup(graph.speedup, p)
    tolerated_from = tolerance.tolerated_from[graph.failure]
    return 1.0 if t >= 1 and tolerated_from is not None and t >= tolerated_from else b


def geometric_mean(values: Sequence[float]) -> float:
    """Geometric mean of positive numbers. Raises ValueError where there are none."""
    if not values:
        raise ValueError("a geometric mean needs at least one value")
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def es_t(
    graphs: Sequence[GraphScore], interpretation: Interpretation = "default", p: float = 0.0, b: float = 0.1
) -> dict[int, float]:
    """ES_t of a task for every t of the interpretation's range.

    Raises ValueError without graphs, with b outside (0, 1], p below 0, or where a correct graph has no speed-up.
    """
    if not 0 < b <= 1:
        raise ValueError(f"the failure base b must lie in (0, 1], not {b!r}")
    if p < 0:
        raise ValueError(f"the slow-down penalty p must not be negative, not {p!r}")
    tolerance = TOLERANCES[interpretation]
    return {
        t: geometric_mean([graph_value(graph, t, tolerance, p, b) for graph in graphs])
        for t in range(FIRST_T, tolerance.last_t + 1)
    }


def aggregate_score(es: Mapping[int, float]) -> float:
    """AS: weighted geometric mean of ES_t over t = −10 … 4 (a t = 5 has no weight)."""
    return math.exp(math.fsum(weight * math.log(es[t]) for t, weight in WEIGHTS.items()))


def scores(
    graphs: Sequence[GraphScore], interpretation: Interpretation = "default", p: float = 0.0, b: float = 0.1
) -> tuple[dict[int, float], float] | None:
    """ES_t and AS of a task, or None where they do not exist: no graph, or a usable graph without a measured speed."""
    if not graphs or any(graph.correct_at(1) and graph.speedup is None for graph in graphs):
        return None
    es = es_t(graphs, interpretation, p, b)
    return es, aggregate_score(es)


def g_mean(graphs: Sequence[GraphScore]) -> float | None:
    """Geometric mean speed-up over graphs correct at t = −5; None without one, or where one was not measured."""
    speedups = [graph.speedup for graph in graphs if graph.correct_at(CORRECT_AT)]
    measured = [value for value in speedups if value is not None]
    return geometric_mean(measured) if measured and len(measured) == len(speedups) else None


def fast_p(graphs: Sequence[GraphScore], p: float = 1.0) -> float | None:
    """Share of all graphs that are correct at t = −5 with a speed-up of at least p; None without graphs."""
    if not graphs:
        return None
    fast = sum(g.correct_at(CORRECT_AT) and g.speedup is not None and g.speedup >= p for g in graphs)
    return fast / len(graphs)


def correctness(graphs: Sequence[GraphScore]) -> float | None:
    """Share of graphs that are correct at t = −5; None without graphs."""
    if not graphs:
        return None
    return sum(graph.correct_at(CORRECT_AT) for graph in graphs) / len(graphs)


def board_score(task_scores: Sequence[float | None], b: float = 0.1) -> float | None:
    """A board's AS: geometric mean over the tasks' AS, where a task without a score counts b; None without tasks."""
    if not task_scores:
        return None
    return geometric_mean([b if score is None else score for score in task_scores])
