"""Models on several devices: a graph for each rank, captured from ranks that really talked; cut up one by one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.engine.build import UnsupportedTarget, build
from evaluator.runner.decided import Decided
from evaluator.runner.reference import reference
from graphs.fx_source import parse
from graphs.samples import read_sample

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# linear, relu, linear without bias, all_reduce, wait_tensor, copy_, add
OPERATORS = 7


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """The entries of two models, and what decomposing gave, in one process: its start takes longest."""
    out = str(tmp_path_factory.mktemp("ranks"))
    commands = (
        ["capture", "halves:mlp", "halves:one_fails", "--devices", "2", "--out", out, "--json"],
        ["decompose", out, "--kind", "single", "--json"],
    )
    code = f"from dataset.cli import main\nfor command in {commands}: assert main(command) == 0"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(HERE)))}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return Path(out), [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_each_rank_gives_its_graph_and_says_so(ranks):
    out, (entry, failed, *_) = ranks
    assert entry["graphs"] == ["halves/mlp/mlp_rank0", "halves/mlp/mlp_rank1"]
    first, second = (read_sample(out / path) for path in entry["graphs"])
    assert [one.graph_net["num_devices_required"] for one in (first, second)] == [2, 2]
    assert [one.graph_net["rank"] for one in (first, second)] == [0, 1]
    assert "torch.ops._c10d_functional.all_reduce" in first.source and first.source == second.source
    weights = [next(meta for meta in one.inputs if meta.shape == (4, 4)) for one in (first, second)]
    assert [meta.mean for meta in weights] == [1.0, 2.0]  # each rank's own
    assert failed["status"] == "failed" and "rank 1: ValueError: no second half" in failed["why"]


def test_ranges_need_one_device_unless_they_talk(ranks):
    out, (*_, first, second) = ranks
    assert first["status"] == second["status"] == "done"
    samples = [read_sample(out / path) for path in first["subgraphs"]]
    assert len(samples) == OPERATORS
    for one in samples:
        assert one.graph_net["num_devices_required"] == (2 if "_c10d_functional" in one.source else 1)
    assert any("_c10d_functional.all_reduce" in one.source for one in samples)


def test_judging_is_refused_with_the_reason_and_nothing_else_may_call_a_collective(ranks):
    out, (entry, *_) = ranks
    sample = read_sample(out / entry["graphs"][0])
    with pytest.raises(Decided) as refused:
        reference(sample, "cpu")
    assert "It needs 2 devices (num_devices_required)" in str(refused.value.args)
    with pytest.raises(UnsupportedTarget, match="all_reduce"):
        build(parse(sample.source))
