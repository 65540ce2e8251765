"""Ranges that fuse, on counts and graphs that a person goes through by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dataset.prefixes import ranges_without_growth, runs_of, windowed_ranges
from graphs.samples import Sample, TensorMeta, read_sample, write_sample

ROOT = Path(__file__).parents[2]


def test_ranges_over_which_the_kernels_do_not_grow():
    # K = 1 for the first operator; the second brings a second kernel, into which two more go; then a third with one
    assert ranges_without_growth([1, 2, 2, 2, 3, 3]) == [(1, 4), (4, 6)]
    assert ranges_without_growth([1, 2, 3]) == []
    assert ranges_without_growth([2, 2, 1, 1, 2]) == [(0, 4)]  # an operator that removes a kernel does not end a range
    assert ranges_without_growth([0, 0, 1, 1]) == [(2, 4)]  # views alone launch nothing
    assert ranges_without_growth([]) == []


def test_windows_do_not_cut_a_range_that_fits_into_one():
    adds = [1, 0, 0, 1, 0, 1, 0, 0, 0, 0]  # kernels that each operator adds; ranges 0–3, 3–5, 5–10
    asked = []

    def kernels(start, end):
        asked.append((start, end))
        return sum(adds[start:end])

    assert windowed_ranges(10, kernels, 0) == [(0, 3), (3, 5), (5, 10)]
    assert asked == [(0, end) for end in range(1, 11)]
    # a window of 4 ends inside 3–5: the next one starts at 3, and that after it at 5, which it fills
    assert windowed_ranges(10, kernels, 4) == [(0, 3), (3, 5), (5, 9)]


def test_an_operator_that_can_not_stand_alone_ends_a_range():
    def kernels(start, end):
        return None if start <= 2 < end else 1

    assert windowed_ranges(6, kernels, 0) == [(0, 2), (3, 6)]


def test_runs():
    assert runs_of([True, True, False, True]) == [(0, 2), (3, 4)]
    assert runs_of([False]) == [] and runs_of([]) == []


# Operators, and kernels of the prefix:
# 0 linear 1 (a library's)   1 relu 2   2 size 2   3 linear 3   4 sigmoid 4   5 mul 4   6 add of another shape 5
SOURCE = """import torch

class GraphModule(torch.nn.Module):
    def forward(self, x, w, v):
        a = torch._C._nn.linear(x, w)
        b = torch.relu(a)
        n = b.size(0)
        c = torch._C._nn.linear(b, w)
        d = torch.sigmoid(c)
        e = d * n
        f = v + 1
        return (e, f)
"""
PARENT = Sample(
    "net",
    SOURCE,
    (
        TensorMeta("x", (3, 4), "float32", mean=0.5, std=1.0),
        TensorMeta("w", (4, 4), "float32", mean=0.0, std=1.0),
        TensorMeta("v", (5,), "float32", mean=0.0, std=1.0),
    ),
    content_hash="h",
)


# The same graph with another operator at 4, and no time: what was counted and written down is known, up to there
LATE = '''
import json
from pathlib import Path
from dataset import kernel_counts
from dataset.decompose_run import KERNELS
from dataset.fusible import fusible_ranges
from dataset.subgraphs import Values, operators
from evaluator.engine.build import build
from evaluator.engine.inputs import graph_inputs, replay
from graphs.fx_source import parse
from dataclasses import replace
from tests.dataset.test_fusible import PARENT
kernel_counts.catch_up(Path(root) / KERNELS)
graph = parse(PARENT.source.replace("torch.sigmoid", "torch.tanh"))
module = build(graph)
values = Values(module)
values.run(*replay(graph_inputs(graph, PARENT.inputs, None)[0], 0))
found = fusible_ranges(operators(module), values, seconds=0)
print(json.dumps([found.looked_at, found.ranges]))
graph = parse("""
import torch

class GraphModule(torch.nn.Module):
    def forward(self, x):
        n = x.size(0)
        y = torch._C._nn.linear(x, x)
        return (y,)
""")
module = build(graph)
values = Values(module)
values.run(*replay(graph_inputs(graph, (replace(PARENT.inputs[1], name="x"),), None)[0], 0))
print(json.dumps(fusible_ranges(operators(module), values).ranges))
'''


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """All commands on the graph, in one process: its start takes longest."""
    root = str(tmp_path_factory.mktemp("fusible"))
    write_sample(PARENT, Path(root) / "own" / "net")
    commands = (
        ["decompose", root, "--kind", "fusible", "--json"],
        ["decompose", root, "--kind", "fusible", "--json", "--resume"],
        ["check-kernels", root, "--samples", "3", "--seed", "5", "--json"],
    )
    code = (
        f"root = {root!r}\nfrom dataset.cli import main\nfor command in {commands}: assert main(command) == 0\n{LATE}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    result, again, *compared, late, sizes = [json.loads(line) for line in done.stdout.splitlines()]
    assert again == result  # its seconds, too: it was not done again
    return Path(root), result, compared, late, sizes


def test_each_criterion_finds_its_ranges_and_says_so(found):
    root, result, *_ = found
    samples = {path.rpartition("/")[2]: read_sample(root / path) for path in result["subgraphs"]}
    # relu and size: one operator that computes, no range. sigmoid and mul go into one kernel; all three are pointwise,
    # and two kernels because of their shapes
    assert list(samples) == ["net_start4_end6_0", "net_start4_end7_1"]
    prefix, several = samples.values()
    assert prefix.graph_net["fusible_by"] == ["kernels do not grow"]
    assert prefix.graph_net["kernels"] == {"inductor": 1, "generated": 1}
    assert several.graph_net["fusible_by"] == ["several kernels"]
    assert several.graph_net["kernels"] == {"inductor": 2, "generated": 2}
    assert several.graph_net["subgraph_kind"] == "fusible" and several.graph_net["origin_range"] == [4, 7]
    assert several.subgraph_sources == {"net": [[4, 7]]}
    assert [meta.original_name for meta in several.inputs] == ["c", "v"]
    assert "tmp_0 * 3" in several.source  # the size has become a number


def test_counted_kernels_are_the_generated_ones(found):
    *compared, summary = found[2]
    assert len(compared) == summary["compared"] == 3 and summary["agreed"] == 3
    assert all(one["counted"] == one["real"] and 0 <= one["start"] < one["end"] <= 7 for one in compared)


def test_when_the_time_is_up_a_range_that_may_go_on_is_none(found):
    assert found[3] == [4, []]


def test_sizes_alone_are_no_range(found):
    assert found[4] == []
