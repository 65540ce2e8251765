"""Why a submission failed, by rule, from its result and the events of one graph. Pure.

The graph that tells is the first one of the gravest failure: a violation before files that can not be read, these
before what does not compile or run, these before no match, accuracy and speed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.verdicts import Integrity, Mismatch, RejectReason, RuntimeReason, Severity, Status
from submissions.reviewing.signatures import normalised, signature

Json = Mapping[str, Any]
Events = Sequence[tuple[str, Json]]  # kind, payload: of one graph

_GRAVEST = (
    Status.REJECTED,
    Status.COMPILE_FAIL,
    Status.RUNTIME_FAIL,
    Status.NO_MATCH,
    Status.ACCURACY,
    Status.EAGER_FAIL,
)
_RESOURCES = (RuntimeReason.TIMEOUT, RuntimeReason.OOM, RuntimeReason.OUTPUT_LIMIT)
_HALF_DTYPES = ("float16", "bfloat16")
_SLOWER_KEPT = 1.05  # kernels that the pass left alone take so much longer than eager's: more than clocks do


@dataclass(frozen=True)
class Cause:
    """`text` is the same for all submissions of one signature."""

    group: str
    kind: str
    text: str
    signature: str
    graph: str = ""
    failed: int = 0
    total: int = 0


def failing_graph(result: Json) -> str | None:
    """The graph whose events `cause_of` needs; None where none failed by status."""
    graphs = _graphs(result)
    for status in _GRAVEST:
        for name, graph in graphs.items():
            if graph.get("status") == status:
                return name
    return next((name for name, graph in graphs.items() if _is_slower(graph)), None)


def cause_of(result: Json, verdict: str, operators: Sequence[str], events: Events, *, timed: bool) -> Cause | None:
    """None for a run with nothing to review. `operators`: of the task; `verdict`: the one that stands."""
    graphs = _graphs(result)
    name = failing_graph(result)
    graph = graphs.get(name or "", {})
    failed = sum(one.get("status") != Status.CORRECT for one in graphs.values())
    findings = result.get("findings") or []
    grave = _gravest_finding(findings) if verdict in (Integrity.VIOLATION, Integrity.SUSPICIOUS) else None
    found: Cause | None
    if grave is not None:
        found = finding_cause(grave)
    elif name is None or (graph.get("status") == Status.CORRECT and not timed):
        return None
    else:
        found = _of_graph(graph, "·".join(operators), events)
    if found is None:
        return None
    return Cause(found.group, found.kind, found.text, found.signature, name or "", failed, len(graphs))


def cause_of_import(problem: str, findings: Sequence[Json]) -> Cause | None:
    """Of an imported submission that was not evaluated: it can not be, or the static check found something."""
    if problem:
        return _plain("format", "", problem)
    grave = _gravest_finding(findings)
    return None if grave is None else finding_cause(grave)


def finding_cause(finding: Json) -> Cause:
    """The class of a finding and what was seen, whoever's file it is in."""
    severity, kind = str(finding.get("severity")), str(finding.get("class"))
    seen = normalised(str(finding.get("evidence") or ""))
    return _made("integrity", kind[:40], f"{severity}: {seen}", severity, seen)


def lost_cause(message: str) -> Cause:
    """The run was given up."""
    return _plain("harness", "infrastructure_error", message)


def _of_graph(graph: Json, operators: str, events: Events) -> Cause | None:
    status, reason = str(graph.get("status")), str(graph.get("reason") or "")
    message = str(graph.get("message") or "")
    if status == Status.REJECTED:
        if reason == RejectReason.VIOLATION:  # overturned since, or without a finding that says why
            return _made("integrity", "", "rejected as a violation", reason)
        return _plain("format", "", message)
    if status == Status.COMPILE_FAIL:
        return _plain("compile", "", message)
    if status == Status.RUNTIME_FAIL:
        return _plain("resource" if reason in _RESOURCES else "runtime", reason, message)
    if status == Status.EAGER_FAIL:
        return _plain("harness", Status.EAGER_FAIL.value, message)
    if status == Status.NO_MATCH:
        return _no_match(operators, events, message)
    if status == Status.ACCURACY:
        return _accuracy(graph, operators, events)
    return _slower(operators, events)


def _no_match(operators: str, events: Events, message: str) -> Cause:
    misses = [miss for kind, payload in events if kind == "matched" for miss in payload.get("near_misses") or ()]
    if not misses:
        return _made("no_match", "absent", normalised(message) or "no pass resembles the graph", operators)
    miss = misses[0]
    kind = str(miss.get("kind") or "absent")
    first = first_difference(miss)
    return _made("no_match", kind[:40], f"{first} in {operators or 'the graph'}", operators, first)


def first_difference(miss: Json) -> str:
    """ "mean where the pattern has sum", "layer_norm: eps", "a value of softmax leaks": of the first node that
    differs, without the names that graph and author gave to values."""
    graph, pattern = _call(miss.get("graph_code")), _call(miss.get("pattern_code"))
    differences = miss.get("differences") or []
    if miss.get("leaks"):
        return f"a value of {graph or pattern or 'the match'} leaks"
    if differences and graph == pattern:
        names = ", ".join(str(one.get("argument"))[:40] for one in differences[:3])
        return f"{graph or 'a call'}: {names}"
    if graph and pattern:
        return f"{graph} where the pattern has {pattern}"
    return f"nothing like {pattern}" if pattern else "nothing like the pattern"


def _call(code: Any) -> str:
    """ "sum" of "tmp_1 = in_0.sum(1)", "layer_norm" of "x = torch.nn.functional.layer_norm(…)"; "" for nothing."""
    text = str(code or "")
    right = text.partition(" = ")[2] or text
    called = right.partition("(")[0].strip()
    if "(" in right:
        return called.rpartition(".")[2][:60]
    return next((sign for sign in (" @ ", " * ", " + ", " - ", " / ", "[") if sign in right), called)[:60].strip()


def _accuracy(graph: Json, operators: str, events: Events) -> Cause:
    outputs = [
        output
        for kind, payload in events
        if kind == "correctness"
        for output in payload.get("outputs") or ()
        if output.get("mismatch") or output.get("first_t") is None or output["first_t"] > -5
    ]
    output = outputs[0] if outputs else {"mismatch": graph.get("mismatch"), "first_t": graph.get("first_t")}
    kind, how = accuracy_kind(output)
    return _made("accuracy", kind, f"{how} in {operators or 'the graph'}", operators, how)


def accuracy_kind(output: Json) -> tuple[str, str]:
    """The kind, and a few words, of an output that is not correct (evaluator.events.OutputReport)."""
    mismatch, first_t = output.get("mismatch"), output.get("first_t")
    if mismatch == Mismatch.NAN:
        return "overflow", "NaN or Inf"
    if mismatch:
        return "systematic", f"another {mismatch}"
    if first_t is not None and first_t <= 0:
        if output.get("dtype") in _HALF_DTYPES and first_t <= -4:
            return "rounding", f"{output['dtype']} rounded elsewhere"
        return "reduction_order", f"a little off, right at t = {first_t}"
    elements, differing = output.get("elements") or 0, output.get("differing") or 0
    if elements and differing < elements / 2:
        return "indexing", "wrong in places"
    return "systematic", "wrong nearly everywhere"


def _slower(operators: str, events: Events) -> Cause:
    reports = {str(payload.get("who")): payload for kind, payload in events if kind == "kernels" and "diff" in payload}
    eager, candidate = reports.get("eager"), reports.get("candidate")
    if eager is not None and candidate is not None:
        kept = set((candidate.get("diff") or {}).get("kept") or ())
        before, after = _time_of(eager, kept), _time_of(candidate, kept)
        if before > 0 and after > before * _SLOWER_KEPT:
            return _made("fusion", "", f"other kernels got slower in {operators}", operators)
    return _made("boundary", "", f"right but slower in {operators}", operators)


def _time_of(report: Json, names: set[Any]) -> float:
    """µs of the kernels of these names in one call."""
    return sum(
        float(one.get("duration") or 0) * int(one.get("count") or 0)
        for one in report.get("list") or ()
        if one.get("name") in names
    )


def _is_slower(graph: Json) -> bool:
    speed = (graph.get("speedup") or {}).get("e2e")
    return graph.get("status") == Status.CORRECT and isinstance(speed, int | float) and speed < 1


def _graphs(result: Json) -> dict[str, Json]:
    graphs = result.get("graphs") or {}
    return {str(name): graph for name, graph in graphs.items() if isinstance(graph, Mapping)}


def _gravest_finding(findings: Sequence[Json]) -> Json | None:
    for severity in (Severity.VIOLATION, Severity.SUSPICIOUS):
        for finding in findings:
            if finding.get("severity") == severity:
                return finding
    return None


def _plain(group: str, kind: str, message: str) -> Cause:
    text = normalised(message) or "no message"
    return _made(group, kind[:40], text, text)


def _made(group: str, kind: str, text: str, *parts: str) -> Cause:
    return Cause(group, kind, text[:300], signature(group, kind, *parts))
