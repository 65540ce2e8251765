"""Eager against Inductor on the CPU: what is printed, and that no graph can spoil the others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator import baseline_child
from evaluator.baseline_command import _Lines, measure
from graphs.samples import Sample, TensorMeta, write_sample

PROJECT = Path(__file__).parents[2]
MODEL = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 * in_1
        tmp_1 = torch.tanh(tmp_0)
        return (tmp_1,)
"""


def sample(name, source=MODEL, **graph_net):
    inputs = tuple(TensorMeta(f"in_{n}", (8, 16), "float32", mean=0.0, std=1.0) for n in (0, 1))
    return Sample(name, source, inputs, graph_net={"framework": "torch", **graph_net})


@pytest.fixture
def task(tmp_path):
    graphs = [sample("plain"), sample("other", framework="paddle"), sample("second")]
    for one in graphs:
        write_sample(one, tmp_path / "graphs" / one.name)
    (tmp_path / "graph_list.txt").write_text("".join(f"graphs/{one.name}\n" for one in graphs))
    return tmp_path


def command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "evaluator", "baseline", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=400,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
    )


def test_one_json_line_a_graph(task):
    done = command(task, "--json", "--graphs", "plain,other")
    assert done.returncode == 0, done.stderr
    plain, other = map(json.loads, done.stdout.splitlines())
    assert set(plain) == {
        "graph", "identity", "device", "processor", "versions", "measured_at", "entry", "method", "eager_us",
        "inductor_us", "ratio", "word", "inductor_kernels", "threads",
    }  # fmt: skip
    assert (plain["graph"], plain["device"], plain["threads"], plain["inductor_kernels"]) == ("plain", "cpu", 1, 1)
    assert plain["eager_us"] > 0 and set(plain["ratio"]) == {"value", "low", "high"}
    assert plain["ratio"]["low"] <= plain["ratio"]["value"] <= plain["ratio"]["high"]
    assert plain["word"] in ("faster", "slower", "same", "inconclusive")
    assert plain["versions"]["torch"] and plain["processor"]
    assert other["error"].startswith("eager_fail: It is a graph of paddle") and "eager_us" not in other


def test_a_missing_compiler_names_the_command(task):
    done = command(task, "--graphs", "plain", CXX="no-such-compiler")
    assert done.returncode == 3
    assert "apt-get install g++" in done.stderr and "Traceback" not in done.stderr
    assert "CPU" in done.stdout


def test_a_missing_gpu_is_said_with_what_to_do(task):
    done = command(task, "--graphs", "plain", "--device", "cuda", CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 3
    assert "no CUDA device" in done.stderr and "--device cpu" in done.stderr and "Traceback" not in done.stderr


def test_a_graph_that_takes_too_long_does_not_end_the_others():
    lines = list(measure([sample("one"), sample("two")], seconds=0.05))
    assert [(line["graph"], line["error"]) for line in lines] == [
        ("one", "not measured within 0.05 s"),
        ("two", "not measured within 0.05 s"),
    ]


def test_a_graph_that_ends_the_process_does_not_end_the_others(monkeypatch):
    def crash_on_bad(one):
        if one.name == "bad":
            os.abort()
        return {"graph": one.name, "eager_us": 1.0}

    monkeypatch.setattr(baseline_child, "_measure", crash_on_bad)
    lines = list(measure([sample("good"), sample("bad"), sample("last")]))
    assert [line["graph"] for line in lines] == ["good", "bad", "last"]
    assert lines[1]["error"] == "the process ended (SIGABRT)" and lines[2]["eager_us"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no/such/task"], "neither a task"),
        (["TASK", "--graphs", "nowhere"], "the task has"),
        (["TASK", "--threads", "0"], "--threads is a number from 1 to 1024"),
        (["TASK", "--seconds", "0"], "--seconds one above 0"),
    ],
)
def test_bad_arguments_are_exit_status_2(task, arguments, said):
    done = command(*[task if argument == "TASK" else argument for argument in arguments])
    assert done.returncode == 2 and said in done.stderr


def test_lines_that_arrive_together_are_two_lines():
    reader, writer = os.pipe()
    os.write(writer, b'{"a": 1}\n{"b": 2}\n{"c"')
    os.close(writer)
    lines = _Lines(reader)
    assert [lines.next(1.0), lines.next(1.0), lines.next(1.0)] == [b'{"a": 1}', b'{"b": 2}', b""]
    os.close(reader)


def test_what_keeps_inductor_away_is_not_blamed_on_the_graph():
    assert baseline_child._why_not(ModuleNotFoundError("No module named 'x'\nmore")) == (
        "Inductor can not be loaded here, which says nothing about the graph: ModuleNotFoundError: No module named 'x'"
    )
    assert baseline_child._why_not(RuntimeError("no lowering for y")) == (
        "Inductor does not compile it: RuntimeError: no lowering for y"
    )
