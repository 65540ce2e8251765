"""`python -m dataset measure`: which graphs come first, what is written, and that it goes on where it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

from dataset.measure import ordered
from graphs.identity import graph_identity
from graphs.samples import Sample, TensorMeta, read_sample, write_sample

ROOT = Path(__file__).parents[2]
HEAD = "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, x):\n        "
RELU = f"{HEAD}y = x.relu()\n        z = y + 1\n        return (z,)\n"
BROKEN = RELU.replace("x.relu()", "x.view(7, 7)")


def sample(source):
    return Sample("", source, (TensorMeta("x", (4, 6), "float32", mean=0.0, std=1.0),))


def tree(folder):
    for task, source in (("aa", BROKEN), ("bb", RELU), ("cc", RELU)):
        write_sample(sample(source), folder / task / "graphs" / "g")
    manifest = {"benchmark": [{"id": "cc"}], "held_out": [{"id": "bb"}]}
    (folder / "benchmark.json").write_text(json.dumps(manifest))
    (folder / "tasks.json").write_text('[{"id": "aa", "kind": "single"}, {"id": "bb", "kind": "fusible"}]')


def test_the_benchmark_comes_first_and_each_task_before_the_second_graph_of_any(tmp_path):
    tree(tmp_path)
    write_sample(sample(RELU), tmp_path / "cc" / "graphs" / "h")
    for task in ("ab", "dd"):
        for name in ("g", "h"):
            write_sample(sample(RELU), tmp_path / task / "graphs" / name)
    kinds = [{"id": "aa", "kind": "single"}, {"id": "ab", "kind": "fusible"}, {"id": "dd", "kind": "fusible"}]
    (tmp_path / "tasks.json").write_text(json.dumps(kinds))
    found = [f"{path.parts[-3]} {path.name}" for path in ordered(tmp_path)]
    assert found == ["cc g", "cc h", "bb g", "ab g", "dd g", "ab h", "dd h", "aa g"]


def test_a_graph_is_measured_once_and_the_next_call_goes_on(tmp_path):
    tree(tmp_path / "tasks")
    command = [sys.executable, "-m", "dataset", "measure", str(tmp_path / "tasks"), "--out", str(tmp_path / "out")]

    def measure(*more):
        done = subprocess.run(
            [*command, *more], cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=300, check=True
        )
        return done.stdout.splitlines()[0]

    assert measure("--workers", "2") == "1 measured, 1 failed, 0 before, 0 left"  # bb is the same graph as cc
    assert measure() == "0 measured, 0 failed, 2 before, 0 left"
    first, *others = [json.loads(line) for line in (tmp_path / "out/baselines.jsonl").read_text().splitlines()]
    *timed, broken = [first, *others]
    assert [(one["entry"], one["method"]) for one in timed] == [("direct", "e2e"), ("compiled", "e2e")]
    assert first["identity"] == graph_identity(read_sample(tmp_path / "tasks/cc/graphs/g")) and first["first_t"] == -99
    assert first["device"] == "cpu" and first["eager_us"] > 0 and first["inductor_us"] > 0
    assert first["ratio"]["low"] <= first["ratio"]["value"] <= first["ratio"]["high"]
    assert "Eager execution raises RuntimeError" in broken["error"]
