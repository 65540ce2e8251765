"""Scores of a file of worked examples: the logic of `python -m evaluator score FILE`. Pure Python.

The file is a JSON array. An entry has `p`, `b`, `interpretation` and `subgraphs`; a subgraph has `status`,
`speedup`, and per output `dtypes` and `passes_from_t` (first t, −99: equal, null: never).
"""

import json
import math
from pathlib import Path
from typing import Any

from evaluator import scoring
from evaluator.scoring import Failure, GraphScore
from evaluator.verdicts import Status

# Words of published result files, beside those of verdicts.py.
_FAILURES = {
    "pass_miss": Failure.RUNTIME,
    "type_mismatch": Failure.MISMATCH,
    "dtype_mismatch": Failure.MISMATCH,
    "shape_mismatch": Failure.MISMATCH,
    "count_mismatch": Failure.MISMATCH,
    "nan": Failure.MISMATCH,
    "inf": Failure.MISMATCH,
    "timeout": Failure.RUNTIME,
    "oom": Failure.RUNTIME,
    "violation": Failure.VIOLATION,
    "integrity_violation": Failure.VIOLATION,
}


class ScoreFileError(ValueError):
    """The file can not be scored; the message says which entry and why."""


def score_file(path: Path) -> list[dict[str, Any]]:
    """`[{"es_t": {"-10": …}, "aggregate_score": …}, …]` in the file's order. Raises ScoreFileError.

    Its message counts records and subgraphs from 1."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ScoreFileError(f"{path} can not be read: {problem.strerror}") from problem
    except RecursionError as problem:
        raise ScoreFileError(f"{path} is nested too deeply to hold scores") from problem
    except ValueError as problem:
        raise ScoreFileError(f"{path} is not JSON: {problem}") from problem
    if not isinstance(entries, list):
        raise ScoreFileError(f"{path} must hold a JSON array of tasks")
    return [_score_entry(entry, f"record {number}") for number, entry in enumerate(entries, 1)]


def _score_entry(entry: Any, where: str) -> dict[str, Any]:
    subgraphs = _member(_object(entry, where), "subgraphs", where)
    interpretation = entry.get("interpretation", "default")
    if not isinstance(interpretation, str) or interpretation not in scoring.TOLERANCES:
        raise ScoreFileError(f"{where}: unknown interpretation {interpretation!r}: {', '.join(scoring.TOLERANCES)}")
    if not isinstance(subgraphs, list):
        raise ScoreFileError(f"{where}: subgraphs {_shown(subgraphs)} is not an array")
    graphs = [_graph(graph, f"{where}, subgraph {number}") for number, graph in enumerate(subgraphs, 1)]
    p, b = (_number(entry.get(key, default), key, where) for key, default in (("p", 0), ("b", 0.1)))
    try:
        es = scoring.es_t(graphs, "default" if interpretation == "default" else "mismatch_extended", p, b)
    except ValueError as problem:
        raise ScoreFileError(f"{where}: {problem}") from problem
    return {
        "es_t": {str(t): value for t, value in es.items()},
        "aggregate_score": scoring.aggregate_score(es),
    }


def _graph(graph: Any, where: str) -> GraphScore:
    status, given = _member(_object(graph, where), "status", where), graph.get("speedup")
    speedup = None if given is None else _number(given, "speedup", where)
    if not isinstance(status, str) or (status not in _FAILURES and status not in set(Status)):
        raise ScoreFileError(f"{where}: unknown status {status!r}")
    if status in _FAILURES:
        return GraphScore(None, _FAILURES[status], speedup)
    first_t = _first_t(graph, where) if status in (Status.CORRECT, Status.ACCURACY) else None
    try:
        score = scoring.graph_score(status, graph.get("reason"), graph.get("mismatch"), first_t, speedup)
    except ValueError as problem:
        raise ScoreFileError(f"{where}: {problem}") from problem
    if score.correct_at(1) and (speedup is None or not (math.isfinite(speedup) and speedup > 0)):
        raise ScoreFileError(
            f"{where}: speedup {_shown(given)} is not a positive number, which every graph that is correct has"
        )
    return score


def _first_t(graph: Any, where: str) -> int | None:
    dtypes, first = (_member(graph, key, where) for key in ("dtypes", "passes_from_t"))
    if not isinstance(dtypes, list) or not all(isinstance(dtype, str) for dtype in dtypes):
        raise ScoreFileError(f"{where}: dtypes {_shown(dtypes)} is not an array of names")
    if not isinstance(first, list) or not all(t is None or type(t) is int for t in first):
        raise ScoreFileError(f"{where}: passes_from_t {_shown(first)} is not an array of integers and null")
    if len(dtypes) != len(first):
        raise ScoreFileError(f"{where}: {len(dtypes)} dtypes but {len(first)} values in passes_from_t")
    return scoring.worst_first_t(scoring.output_first_t(dtype, t) for dtype, t in zip(dtypes, first, strict=True))


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ScoreFileError(f"{where}: {_shown(value)} is not a JSON object")
    return value


def _member(value: dict[str, Any], key: str, where: str) -> Any:
    if key not in value:
        raise ScoreFileError(f"{where}: {key!r} is missing")
    return value[key]


def _number(value: Any, key: str, where: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ScoreFileError(f"{where}: {key} {_shown(value)} is not a number")
    try:
        return float(value)
    except OverflowError as problem:
        raise ScoreFileError(f"{where}: {key} is too large a number") from problem


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
