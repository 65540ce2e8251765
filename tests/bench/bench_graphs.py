"""Measures reading, printing and laying out of graphs: `python tests/bench/bench_graphs.py`. One core, one process.

The targets: 3 MB and 5,800 nodes read in under 2 s; 1,000 nodes laid out well under a second; a file beyond the limit
refused in memory that does not depend on its number of statements.
"""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "graphs")]

from whole_graph import long_file, whole_graph  # noqa: E402

from graphs.fx_source import TooLarge, parse, to_source  # noqa: E402
from graphs.graph_json import graph_json  # noqa: E402
from graphs.layout import layout  # noqa: E402

T = TypeVar("T")


def timed(what: str, call: Callable[[], T]) -> T:
    """The best of three."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
    print(f"  {what:<12} {min(seconds) * 1000:9.1f} ms")
    return result


def measure(name: str, source: str) -> None:
    print(f"{name}: {len(source) / 1e6:.2f} MB")
    graph = timed("parse", lambda: parse(source))
    timed("print", lambda: to_source(graph))
    drawn = timed("layout", lambda: layout(graph))
    timed("graph_json", lambda: graph_json(graph, drawn, None))
    stubs = sum(edge.stub for edge in drawn.edges)
    print(f"  {len(graph.nodes):,} nodes, {len(drawn.nodes):,} drawn, {len(drawn.edges):,} edges, {stubs:,} as stubs")


def refuse(statements: int) -> None:
    source = long_file(statements)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    try:
        parse(source)
    except TooLarge as problem:
        seconds = time.perf_counter() - start
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"{statements:,} statements, {len(source) / 1e6:.1f} MB: refused in {seconds:.2f} s, +{grown:.0f} MB")
        print(f"  {problem.counts}")


if __name__ == "__main__":
    refuse(300_000)  # first: the high-water mark of memory only rises
    measure("1,000 nodes", whole_graph(36))
    measure("5,800 nodes, few numbers", whole_graph(205))
    measure("5,800 nodes, 3 MB", whole_graph(205, numbers=330_000))
