"""The largest source that was seen in a data set is read in bounded memory. (bench/bench_graphs.py has the seconds.)"""

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_READ = """
import resource, sys
from whole_graph import whole_graph
from graphs.fx_source import parse
source = whole_graph(205, numbers=330_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
nodes = len(parse(source).nodes)
print(len(source), nodes, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_three_megabytes_and_5_800_nodes() -> None:
    path = f"import sys; sys.path[:0] = {[str(_ROOT), str(_ROOT / 'tests' / 'graphs')]!r}"
    said = subprocess.run([sys.executable, "-c", path + _READ], capture_output=True, text=True, check=True).stdout
    characters, nodes, megabytes = map(int, said.split())
    assert characters > 3_000_000
    # 205 layers of 20 operators and 8 weights; 165 tables of 2,000 numbers; input, two operators for the mask, output
    assert nodes == 205 * 28 + 165 + 4
    assert megabytes < 150  # Python's own syntax tree of such a text takes several times as much
