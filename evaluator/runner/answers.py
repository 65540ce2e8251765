"""What a runner answers, checked: it may be anything that the submission made of the process.

Every function raises ProtocolError for a value that the runner's own code would never send. What it says about
matches and launches is shown to the author; what decides over a score is measured by the judge.
"""

from dataclasses import dataclass
from typing import Any, get_type_hints

from evaluator.events import ArgumentDiff, Edit, Finding, Fix, Leak, NearMiss, Step
from evaluator.events_of_speed import KernelCount
from evaluator.runner.protocol import ProtocolError
from evaluator.verdicts import FindingClass, Severity

_MAX_ITEMS = 100_000
_MAX_COUNT = 1 << 53
_FAILURES = frozenset({"bad_submission", "pattern", "exit", "oom", "compile", "exception", "outputs"})
_MAX_MESSAGE = 20_000
_MAX_EVIDENCE = 1000
_MAX_SENTENCES = 3
_MAX_FIXES = 10


@dataclass(frozen=True)
class Failed:
    kind: str
    message: str


@dataclass(frozen=True)
class Applied:
    """What the passes did to one graph. Node names are those of the graph, `code` is that of the rewritten module."""

    matches: int
    per_pass: dict[str, int]
    nodes: list[list[str]]
    lines: list[dict[str, int]]  # for each match: node → line of the pass's file
    near_misses: list[NearMiss]
    notes: list[str]  # what the author should know about the matches
    new_nodes: list[str]
    code: str
    successors: dict[str, str]  # node of the rewritten module → node of the graph with the same shape and dtype
    steps: list[Step]  # the graph after each pass that changed it, but for the last


def failed(value: Any) -> Failed:
    kind, message = _text(_object(value)["kind"]), _text(value["message"])
    if kind not in _FAILURES:
        raise ProtocolError("a failure of an unknown kind")
    return Failed(kind, message[:_MAX_MESSAGE])


def applied(value: dict[str, Any]) -> Applied:
    matches = _count(value["matches"])
    near_misses = [near_miss(item) for item in _list(value["near_misses"])]
    return Applied(
        matches,
        _counts(value["per_pass"]),
        [texts(item) for item in _list(value["nodes"])],
        [_counts(item) for item in _list(value["lines"])],
        near_misses,
        texts(value["notes"]),
        texts(value["new_nodes"]),
        _text(value["code"]),
        {_text(new): _text(old) for new, old in _object(value["successors"]).items()},
        [_step(item) for item in _list(value["steps"])],
    )


def finding(value: Any) -> Finding:
    """What a guard in the runner has seen."""
    file, line = _object(value)["file"], value["line"]
    found: Finding = {
        "severity": Severity(value["severity"]).value,
        "file": None if file is None else _text(file)[:_MAX_EVIDENCE],
        "line": None if line is None else _count(line),
        "evidence": _text(value["evidence"])[:_MAX_EVIDENCE],
        "check": _text(value["check"])[:_MAX_EVIDENCE],
    }
    return {**found, "class": FindingClass(value["class"]).value}  # type: ignore[typeddict-item, typeddict-unknown-key]


def kernel_counts(value: Any) -> list[KernelCount]:
    return [{"name": _text(_object(item)["name"]), "count": _count(item["count"])} for item in _list(value)]


def near_miss(value: Any) -> NearMiss:
    """A near miss with exactly the fields it should have."""
    value = _object(value)
    checked: dict[str, Any] = {}
    for name in get_type_hints(NearMiss):
        if name == "fixes":
            if name in value:
                checked[name] = [_fix(_object(item)) for item in _list(value[name])[:_MAX_FIXES]]
            continue
        field = value[name]
        match name:
            case "pattern_size":
                checked[name] = _count(field)
            case "differences":
                checked[name] = [
                    {key: _text(_object(item)[key]) for key in ArgumentDiff.__annotations__} for item in _list(field)
                ]
            case "leaks":
                checked[name] = [_leak(_object(item)) for item in _list(field)]
            case "matched":
                checked[name] = [texts(item) for item in _list(field)]
            case _:
                checked[name] = None if field is None else _text(field)
    return checked  # type: ignore[return-value]


def texts(value: Any) -> list[str]:
    return [_text(item) for item in _list(value)]


def sentences(value: Any) -> list[str]:
    """A few short texts that stand in a result's message."""
    return [text[:_MAX_EVIDENCE] for text in texts(value)[:_MAX_SENTENCES]]


def _step(value: Any) -> Step:
    return {
        "pass_name": _text(_object(value)["pass_name"]),
        "code": _text(value["code"]),
        "new_nodes": texts(value["new_nodes"]),
    }


def _leak(value: dict[str, Any]) -> Leak:
    return {"node": _text(value["node"]), "pattern_node": _text(value["pattern_node"]), "users": texts(value["users"])}


def _fix(value: dict[str, Any]) -> Fix:
    edits = [_edit(_object(item)) for item in _list(value["edits"])]
    return {"kind": _text(value["kind"]), "title": _text(value["title"]), "edits": edits}


def _edit(value: dict[str, Any]) -> Edit:
    places = {name: _count(value[name]) for name in ("line", "column", "end_line", "end_column")}
    return {**places, "text": _text(value["text"])}  # type: ignore[typeddict-item]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ProtocolError("something else where a text belongs")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MAX_COUNT:
        raise ProtocolError("something else where a count belongs")
    return value


def _counts(value: Any) -> dict[str, int]:
    return {_text(name): _count(number) for name, number in _object(value).items()}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MAX_ITEMS:
        raise ProtocolError("something else where a list belongs")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > _MAX_ITEMS:
        raise ProtocolError("something else where an object belongs")
    return value
