"""Reading a file of results that was made elsewhere: JSON Lines, first its origin, then the events of one run.

The file is taken for hostile. Every event must have the shape that evaluator.events gives it, only graphs that the run
names may occur, words are those of evaluator.verdicts, and numbers that follow from others must follow from them. What
can not be checked is whether anything was measured at all: that is why such a run is marked for ever.
"""

import hashlib
import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from evaluator import events as said
from evaluator import events_of_speed as speed
from evaluator.scoring import graph_score, scores
from evaluator.verdicts import FindingClass, Integrity, Mismatch, RejectReason, RuntimeReason, Severity, Status
from submissions.events import Event
from submissions.imported_shapes import shape_problem
from submissions.safe_json import safe_json

FORMAT = 1
MAX_BYTES = 64 << 20
MAX_EVENTS = 100_000
MAX_LOG = 1 << 20  # characters of output; an honest run streams 64 KiB
PROFILES = ("precise", "published")
REASONS = frozenset(map(str, (*RuntimeReason, *RejectReason)))
NEAR = 1e-3  # relative
ROUNDED = 0.006  # µs: samples are told with two decimals or more, medians with all


class BadResults(ValueError):
    """The file holds no results that can be taken; the text says where and why."""


@dataclass(frozen=True)
class Results:
    """What a file says, checked. `started` and `done` are the payloads of its first and last event."""

    digest: str  # SHA-256 of the text
    origin: dict[str, Any]
    events: tuple[Event, ...]
    started: dict[str, Any]
    done: dict[str, Any]
    hardware: str  # the device's name, in the file's own words

    @property
    def graphs(self) -> list[str]:
        """Names of the graphs that were judged."""
        return list(self.started["graphs"])


def read_results(text: str) -> Results:
    """Parse and check. Raises BadResults."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise BadResults(f"The file has {size >> 20} MiB; at most {MAX_BYTES >> 20} are taken.")
    lines = list(_lines(text))
    if not lines or lines[0][1] != "origin":
        raise BadResults("The first line is not the origin that `python -m evaluator run-bundle --out` writes.")
    origin = lines[0][2]
    if not all(isinstance(item, int) or (isinstance(item, str) and len(item) <= 1000) for item in origin.values()):
        raise BadResults("Line 1: the origin holds something else than short texts and numbers.")
    if len(origin) > 20 or origin.get("format", FORMAT) != FORMAT:
        raise BadResults(f"Line 1: the format is {origin.get('format')!r}; this workbench reads {FORMAT}.")
    events = [(kind, payload) for _, kind, payload in lines[1:]]
    for number, kind, payload in lines[1:]:
        if problem := _event_problem(kind, payload):
            raise BadResults(f"Line {number}, {kind}: {problem}.")
    started, done = _frame(events)
    for problem in _contradictions(events, started, done):
        raise BadResults(f"{problem}.")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Results(digest, origin, tuple(events), started, done, _hardware(events, started))


def _lines(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(line number, kind, payload) of each line that is not empty."""
    count = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        count += 1
        if count > MAX_EVENTS:
            raise BadResults(f"The file has more than {MAX_EVENTS:,} events.")
        try:
            value = safe_json(json.loads(line, parse_int=_whole))
        except (ValueError, RecursionError) as problem:
            raise BadResults(f"Line {number} is not JSON: {str(problem)[:200]}.") from None
        kind = value.pop("event", None) if isinstance(value, dict) else None
        if not isinstance(kind, str):
            raise BadResults(f'Line {number} is not an object with an "event".')
        yield number, kind, value


def _whole(digits: str) -> int:
    number = int(digits)
    if abs(number) >= 1 << 63:  # beyond what databases and browsers take
        raise ValueError("a whole number has more than 63 bits")
    return number


class _OfGraph(TypedDict):
    graph: str


#: Payloads of events that evaluator.events describes without the graph, which the judge puts in.
_BARE = {"timed": speed.Timed, "verified": speed.Verified, "roofline": speed.Roofline, "device": speed.Device}
_BARE |= {"compiler_code": speed.CompilerCode, "generalisation": said.Generalisation, "reproduction": said.Reproduction}
_WHOLE = {
    "run_started": said.RunStarted,
    "static_check": said.StaticCheck,
    "loaded": said.Loaded,
    "graph_started": said.GraphStarted,
    "matched": said.Matched,
    "rewritten": said.Rewritten,
    "compiled": said.Compiled,
    "correctness": said.Correctness,
    "finding": said.Finding,
    "log": said.Log,
    "graph_done": said.GraphDone,
    "run_done": said.RunDone,
}
#: Left out of results that were measured before the launch cost was measured rightly.
_MAY_LACK: Mapping[str, Mapping[str, Any]] = {"roofline": {"bound": "", "cost": {}}}


def _event_problem(kind: str, payload: dict[str, Any]) -> str | None:
    if kind == "kernels":
        if "device_time" not in payload:
            return shape_problem(payload, speed.Kernels)
        return _bare_problem(payload, speed.DeviceKernels)
    if kind in _BARE:
        return _bare_problem({**_MAY_LACK.get(kind, {}), **payload}, _BARE[kind])
    if kind in _WHOLE:
        return shape_problem(payload, _WHOLE[kind])
    return "is no event that a run tells"


def _bare_problem(payload: Mapping[str, Any], wanted: Any) -> str | None:
    own = {name: item for name, item in payload.items() if name != "graph"}
    described = dict(payload) if "graph" in wanted.__annotations__ else own
    return shape_problem({"graph": payload.get("graph")}, _OfGraph) or shape_problem(described, wanted)


def _frame(events: Sequence[Event]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The payloads of the first and the last event, which must open and close the run."""
    kinds = [kind for kind, _ in events]
    if kinds[:1] != ["run_started"] or kinds.count("run_started") != 1:
        raise BadResults("After its origin the file must open one run (run_started).")
    if kinds[-1] != "run_done" or kinds.count("run_done") != 1:
        raise BadResults("The file does not end with the end of its run (run_done): it was cut off, or the run was.")
    return events[0][1], events[-1][1]


def _contradictions(events: Sequence[Event], started: Mapping[str, Any], done: Mapping[str, Any]) -> Iterator[str]:
    """What the events say that can not be so, as sentences without a full stop."""
    graphs = started["graphs"]
    if not graphs or len(set(graphs)) != len(graphs):
        yield "The run names no graph, or one of them twice"
    if sorted(done["graphs"]) != sorted(graphs):
        yield "The run ends with other graphs than it began with"
    if (started["device"], started["versions"]) != (done["device"], done["versions"]):
        yield "Device or versions are not the same at the end of the run"
    if started["profile"] not in PROFILES:
        yield f"The profile is none of {', '.join(PROFILES)}"
    known = set(graphs)
    ended = [payload for kind, payload in events if kind == "graph_done"]
    if sorted(payload["graph"] for payload in ended) != sorted(graphs):
        yield "Not every graph of the run ends once (graph_done)"
    for kind, payload in events:
        if "graph" in payload and payload["graph"] not in known:
            yield f"{kind} is about {payload['graph'][:80]!r}, which is no graph of the run"
    for payload in ended:
        short = {name: item for name, item in payload.items() if name not in ("graph", "seconds")}
        if short != done["graphs"].get(payload["graph"]):
            yield f"The run ends with another result of {payload['graph'][:80]} than it told before"
    if sum(len(payload["text"]) for kind, payload in events if kind == "log") > MAX_LOG:
        yield f"The run printed more than {MAX_LOG:,} characters, which no run does that is judged with our limits"
    yield from _wrong_words(done)
    yield from _wrong_times(events)
    yield from _wrong_scores(done)


def _wrong_words(done: Mapping[str, Any]) -> Iterator[str]:
    for name, graph in done["graphs"].items():
        if graph["status"] not in set(Status):
            yield f"{name[:80]}: {graph['status'][:40]!r} is no status"
        if graph["reason"] is not None and graph["reason"] not in REASONS:
            yield f"{name[:80]}: {graph['reason'][:40]!r} is no reason"
        if graph["mismatch"] is not None and graph["mismatch"] not in set(Mismatch):
            yield f"{name[:80]}: {graph['mismatch'][:40]!r} is no mismatch"
    for finding in done["findings"]:
        if finding["class"] not in set(FindingClass) or finding["severity"] not in set(Severity):
            yield "A finding has a class or a severity that does not exist"
    severities = {finding["severity"] for finding in done["findings"]}
    worst = next((one for one in (Severity.VIOLATION, Severity.SUSPICIOUS) if one in severities), Integrity.CLEAN)
    if done["verdict"] != worst.value:
        yield f"The verdict is {done['verdict'][:40]!r}, but the findings say {worst.value!r}"


def _wrong_times(events: Sequence[Event]) -> Iterator[str]:
    for kind, payload in events:
        if kind != "timed":
            continue
        what = f"{payload['graph'][:80]}, {payload['method'][:20]} {payload['entry'][:20]}"
        samples, medians = payload["samples"], payload["medians"]
        if samples.keys() != medians.keys() or not all(samples.values()):
            yield f"{what}: not every participant has samples and a median"
            continue
        for who, own in samples.items():
            if not all(isinstance(one, int | float) for one in (*own, medians[who])):
                yield f"{what}: a time is no finite number"
            elif not _close(statistics.median(own), medians[who], ROUNDED):
                yield f"{what}: the median of {who[:40]} does not follow from its samples"
        for who, ratio in payload["ratios"].items():
            if who not in medians or "eager" not in medians or not medians[who]:
                yield f"{what}: there is a ratio without both its times"
            elif not _close(medians["eager"] / medians[who], ratio["value"]):
                yield f"{what}: the ratio of {who[:40]} does not follow from the medians"


def _wrong_scores(done: Mapping[str, Any]) -> Iterator[str]:
    """ES_t and AS are worked out again from the graphs' results."""
    if done["es_t"] is None and done["aggregate_score"] is None:
        return
    try:
        worked_out = scores([_score(graph) for graph in done["graphs"].values()])
    except (ValueError, TypeError):  # a speed-up that is no positive number
        worked_out = None
    if worked_out is None:
        yield "The run has a score, but a graph that is right has no speed-up"
        return
    found, aggregate = worked_out
    told = done["es_t"] or {}
    if {str(t) for t in found} != told.keys() or not all(_close(value, told[str(t)]) for t, value in found.items()):
        yield "ES_t does not follow from the graphs' results"
    if not _close(aggregate, done["aggregate_score"]):
        yield "The aggregate score does not follow from ES_t"


def _score(graph: Mapping[str, Any]) -> Any:
    speedup = (graph["speedup"] or {}).get("e2e")
    return graph_score(graph["status"], graph["reason"], graph["mismatch"], graph["first_t"], speedup)


def _close(one: float, other: Any, slack: float = 0.0) -> bool:
    return isinstance(other, int | float) and math.isclose(one, other, rel_tol=NEAR, abs_tol=slack)


def _hardware(events: Sequence[Event], started: Mapping[str, Any]) -> str:
    names = {payload["name"] for kind, payload in events if kind == "device" and payload["name"]}
    if len(names) > 1:
        raise BadResults("The run was measured on several devices.")
    return str(next(iter(names), started["device"]))[:200]
