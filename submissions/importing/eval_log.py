"""A log of the published harness as plain values. Whatever it says is reported: a submission can print such lines.

Lines carry a prompt, `graph-net-test-compiler-log [Speedup][e2e]: 1.234`; a graph begins with `[Processing] <path>`.
The prompt of the first such line holds for the file, and everything else between the lines is left out.
"""

import json
import math
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluator.scoring import EXACT
from submissions.safe_json import safe_text

MAX_LOG_BYTES = 64 << 20
MAX_GRAPHS = 20_000
_LONGEST = 4_000  # characters of a line that is looked at; a performance line has some hundred
_MOST_KEYS = 40

_FIRST = re.compile(r"^(\S{1,80})[ \t]+\[Processing\][ \t]+(\S.*)$")
_LINE = re.compile(r"^\[(\w+)\](?:\[([^\]]{1,80})\])?:?[ \t]*(.*)$")
_CLOSE = re.compile(r"^all_close_atol_([0-9.eE+-]+)_rtol_[0-9.eE+-]+$")


@dataclass
class ReportedGraph:
    """What a log says of one graph. `first_t`: smallest t at which every output was said to be right, −99 for equal in
    every bit, None where it is at none, or nothing was said. `doubtful`: something was said twice and differently, as
    lines that a submission prints itself would do.
    """

    graph: str
    status: str = ""
    config: dict[str, str] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)  # "eager", "compiled" → words of the line
    first_t: int | None = None
    max_diff: str = ""
    speedup: dict[str, float] = field(default_factory=dict)  # "e2e", "gpu"
    e2e_ms: dict[str, float] = field(default_factory=dict)  # "eager", "compiled" → median, or else mean, of a call
    doubtful: bool = False


def looks_like_log(content: bytes) -> bool:
    """Whether it holds the line that begins a graph."""
    return b"[Processing]" in content


def read_eval_log(content: bytes) -> list[ReportedGraph]:
    """Every graph of the log in its order; at most MAX_GRAPHS of them."""
    prompt: str | None = None
    found: list[ReportedGraph] = []
    said: dict[tuple[str, str], str] = {}
    for line in content.decode("utf-8", "replace").split("\n"):
        line = safe_text(line[:_LONGEST].rstrip("\r"))
        begin = _FIRST.match(line)
        if begin is not None and prompt in (None, begin[1]):
            if len(found) == MAX_GRAPHS:
                break
            prompt = begin[1]
            found.append(ReportedGraph(begin[2].strip()[:300]))
            said = {}
        elif prompt is not None and line.startswith(prompt) and found:
            parts = _LINE.match(line[len(prompt) :].lstrip())
            if parts is not None:
                _take(found[-1], said, parts[1], parts[2] or "", parts[3].strip())
    return found


def as_json(graph: ReportedGraph) -> dict[str, Any]:
    """As it is stored."""
    return asdict(graph)


def _take(graph: ReportedGraph, said: dict[tuple[str, str], str], kind: str, part: str, value: str) -> None:
    if kind in ("Config", "Result") and ": " in value:
        part, _, value = value.partition(": ")
    key = (kind, part[:80])
    if key in said and said[key] != value:
        graph.doubtful = True
    said[key] = value
    match kind:
        case "Config" if len(graph.config) < _MOST_KEYS:
            graph.config[part[:80]] = value[:200]
        case "Datatype" if part in ("eager", "compiled"):
            graph.dtypes[part] = value[:200]
        case "Result" if part == "status":
            graph.status = value[:40]
        case "Speedup" if part in ("e2e", "gpu") and (number := _number(value)) is not None:
            graph.speedup[part] = number
        case "Performance" if part in ("eager", "compiled") and (number := _e2e(value)) is not None:
            graph.e2e_ms[part] = number
        case "Correctness" if part == "max_diff":
            graph.max_diff = value[:200]
        case "Correctness":
            _take_correctness(graph, part, value)


def _take_correctness(graph: ReportedGraph, part: str, value: str) -> None:
    outputs = value.split()
    if not outputs or any(one not in ("1", "True") for one in outputs):
        return
    t = EXACT if part == "equal" else _tolerance(part)
    if t is not None and (graph.first_t is None or t < graph.first_t):
        graph.first_t = t


def _tolerance(part: str) -> int | None:
    """t of `all_close_atol_1.00E-05_rtol_…`: atol is 10^t. None for one that is no such power."""
    close = _CLOSE.match(part)
    atol = None if close is None else _number(close[1])
    if atol is None:
        return None
    t = math.log10(atol)
    return round(t) if abs(t - round(t)) < 0.01 and -20 <= t <= 5 else None


def _number(text: str) -> float | None:
    try:
        value = float(text[:40])
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 < value < 1e12 else None


def _e2e(text: str) -> float | None:
    """Of a performance line, `{"e2e": {"median": …, "mean": …}, "gpu": …}`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    times = value.get("e2e") if isinstance(value, dict) else None
    if not isinstance(times, dict):
        return None
    return next((number for name in ("median", "mean") if (number := _number(str(times.get(name)))) is not None), None)
