"""Files of results for the task of conftest.py, as `run-bundle` would write them. Figures are made up and round."""

import hashlib
import json
from typing import Any

VERSIONS = {"python": "3.12.3", "torch": "2.11.0", "triton": "3.6.0", "harness": "0.1.0"}


def result(**over: Any) -> dict[str, Any]:
    """A correct graph that is twice as fast as eager by both methods."""
    return {
        "matches": 1,
        "status": "correct",
        "reason": None,
        "mismatch": None,
        "first_t": -5,
        "launches": {"eager": 3, "candidate": 1},
        "speedup": {"e2e": 2.0, "graph": 2.0},
        "message": None,
        **over,
    }


def timed(graph: str, method: str) -> dict[str, Any]:
    ratio = {"value": 2.0, "low": 1.9, "high": 2.1, "rounds": 3, "word": "faster"}
    return {
        "event": "timed",
        "graph": graph,
        "entry": "direct",
        "method": method,
        "profile": "precise",
        "samples": {"eager": [9.0, 10.0, 11.0], "candidate": [4.0, 5.0, 9.0]},
        "medians": {"eager": 10.0, "candidate": 5.0},
        "ratios": {"candidate": ratio},
        "conclusive": True,
        "missing": {},
    }


# By hand: both graphs are right from t = −5 on with a speed-up of 2, so that ES_t is 2 there and b = 0.1 below.
ES_T = {str(t): 2.0 if t >= -5 else 0.1 for t in range(-10, 5)}
# Weights below −5 are 5 × 0.001 of 0.001 × 6 + 3 + 0.8 + 0.64 + 0.512 + 0.4096 + 0.32768 + 0.262144 = 5.957424.
AGGREGATE = 2.0 ** ((5.957424 - 0.005) / 5.957424) * 0.1 ** (0.005 / 5.957424)


def events(graphs: tuple[str, ...] = ("f32", "f16")) -> list[dict[str, Any]]:
    """The origin is left out."""
    frame = {"device": "cuda", "profile": "precise", "versions": VERSIONS}
    said: list[dict[str, Any]] = [
        {"event": "run_started", **frame, "graphs": list(graphs), "limits": {}, "isolation": "namespaces"},
        {"event": "static_check", "findings": 0, "verdict": "clean"},
        {"event": "loaded", "passes": ["A"], "seconds": 0.5},
    ]
    for index, graph in enumerate(graphs):
        said += [
            {"event": "graph_started", "graph": graph, "index": index, "total": len(graphs)},
            timed(graph, "e2e"),
            timed(graph, "graph"),
            {
                "event": "device",
                "graph": graph,
                "name": "NVIDIA H200",
                "flags": {},
                "rates": None,
                "before": None,
                "after": None,
            },
            {"event": "graph_done", "graph": graph, **result(), "seconds": 1.0},
        ]
    ended = {"verdict": "clean", "graphs": {graph: result() for graph in graphs}, "findings": [], "seconds": 2.0}
    said.append({"event": "run_done", **ended, "es_t": dict(ES_T), "aggregate_score": AGGREGATE, **frame})
    return said


def results_file(bundle: bytes, lines: list[dict[str, Any]] | None = None, **origin: Any) -> str:
    """The text of a file that belongs to a bundle's bytes."""
    first = {"event": "origin", "format": 1, "bundle": hashlib.sha256(bundle).hexdigest(), "how": "run-bundle"}
    return "".join(f"{json.dumps(line)}\n" for line in ({**first, **origin}, *(events() if lines is None else lines)))
