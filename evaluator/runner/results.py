"""Building the events that open and close a run, and the results of graphs that no judge could finish."""

import math
from collections.abc import Mapping
from typing import Any

from evaluator.events import Finding, GraphResult, RunDone, RunStarted
from evaluator.job import Job
from evaluator.runner import isolation
from evaluator.runner.versions import versions
from evaluator.scoring import GraphScore, graph_score, scores
from evaluator.verdicts import Integrity, Mismatch, RejectReason, RuntimeReason, Severity, Status

_RESULT_FIELDS = tuple(GraphResult.__annotations__)


def run_started(job: Job) -> RunStarted:
    return {
        "device": job.device,
        "profile": job.profile,
        "versions": versions(),
        "graphs": [sample.name for sample in job.graphs],
        "limits": {name: float(value) for name, value in vars(job.limits).items()},
        "isolation": isolation.level(),
    }


def run_done(job: Job, graphs: dict[str, GraphResult], findings: list[Finding], seconds: float) -> RunDone:
    """The end of a run. A score needs speed measured on a GPU: ES_t and AS are null without it."""
    found = None if job.device == "cpu" else scores([_score(graphs[sample.name]) for sample in job.graphs])
    return {
        "verdict": verdict(findings),
        "graphs": {sample.name: graphs[sample.name] for sample in job.graphs},
        "findings": findings,
        "es_t": None if found is None else {str(t): value for t, value in found[0].items()},
        "aggregate_score": None if found is None else found[1],
        "profile": job.profile,
        "device": job.device,
        "versions": versions(),
        "isolation": isolation.parts(),
        "seconds": seconds,
    }


def _score(graph: GraphResult) -> GraphScore:
    speedup = (graph["speedup"] or {}).get("e2e")
    return graph_score(graph["status"], graph["reason"], graph["mismatch"], graph["first_t"], speedup)


def summary(run: Mapping[str, Any]) -> dict[str, Any]:
    """The last line of `python -m evaluator run --json`, from the payload of `run_done`."""
    return {key: value for key, value in run.items() if key != "seconds"}


def verdict(findings: list[Finding]) -> Integrity:
    severities = {finding["severity"] for finding in findings}
    if Severity.VIOLATION in severities:
        return Integrity.VIOLATION
    return Integrity.SUSPICIOUS if Severity.SUSPICIOUS in severities else Integrity.CLEAN


def result(
    status: Status,
    message: str | None,
    *,
    reason: RuntimeReason | RejectReason | None = None,
    matches: int = 0,
    mismatch: Mismatch | None = None,
    first_t: int | None = None,
    launches: dict[str, int | None] | None = None,
    speedup: dict[str, float] | None = None,
) -> GraphResult:
    return {
        "matches": matches,
        "status": status,
        "reason": reason,
        "mismatch": mismatch,
        "first_t": first_t,
        "launches": launches,
        "speedup": speedup,
        "message": message,
    }


def done(graph: str, found: GraphResult, seconds: float) -> dict[str, Any]:
    """Payload of `graph_done`."""
    return {"graph": graph, **found, "seconds": seconds}


def graph_result(payload: Mapping[str, Any]) -> GraphResult:
    """The result inside the payload of a `graph_done`."""
    return {name: payload[name] for name in _RESULT_FIELDS}  # type: ignore[return-value]


def first_violation(findings: list[Finding]) -> Finding | None:
    return next((finding for finding in findings if finding["severity"] == Severity.VIOLATION), None)


def violation(worst: Finding) -> GraphResult:
    """The result of every graph of a submission that breaks the rules."""
    place = f"{worst['file']}:{worst['line']}" if worst["line"] else worst["file"] or "the submission"
    message = f"Not evaluated: {place}: {worst['evidence']} ({worst['class']})."  # type: ignore[typeddict-item]
    return result(Status.REJECTED, message, reason=RejectReason.VIOLATION)


def eager_failed(graph: str, message: str) -> dict[str, Any]:
    return done(graph, result(Status.EAGER_FAIL, message), 0.0)


def unreadable(graph: str, message: str) -> dict[str, Any]:
    return done(graph, result(Status.REJECTED, message, reason=RejectReason.BAD_SUBMISSION), 0.0)


def out_of_time(graph: str, message: str) -> dict[str, Any]:
    return done(graph, result(Status.RUNTIME_FAIL, message, reason=RuntimeReason.TIMEOUT), 0.0)


def printable(value: Any) -> Any:
    """`value` as JSON that every parser and database takes: no NUL, no lone surrogate, no NaN or infinity.

    Texts come from submissions and data sets. Non-finite numbers become the strings "nan", "inf" and "-inf".
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\N{SYMBOL FOR NULL}")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {printable(str(key)): printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [printable(item) for item in value]
    return value
