"""What tracing a submission's patterns shows, and the command that prints it."""

import json
import operator
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from pass_folders import RELU, SCALED, folder, one
from torch.fx import GraphModule, symbolic_trace

from evaluator.engine.build import build
from evaluator.portability.isolated import Traced
from evaluator.portability.published_trace import check, literal_matches, published_graph
from evaluator.portability_command import _print
from graphs.fx_source import parse
from graphs.samples import Sample, TensorMeta, write_sample

PROJECT = Path(__file__).parents[2]


def loaded(pattern, func=None):
    launcher = torch.relu
    module = SimpleNamespace(replacement_func=func or (lambda: launcher))
    return SimpleNamespace(name="Fuse", file="Fuse.py", pattern=pattern, module=module)


def rules(pattern, func=None):
    return [finding.rule for finding in check(loaded(pattern, func))]


def graph(*lines, inputs="in_0, in_1"):
    body = "".join(f"        {line}\n" for line in lines)
    text = f"import torch\n\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, {inputs}):\n{body}"
    return build(parse(text)).graph


def plain(x, y):
    return torch.relu(x + y)


def two(x, y):
    total = x + y
    return total, torch.relu(total)


def unused(x, y):
    torch.tanh(y)
    return torch.relu(x)


def augmented(x, y):
    x += y
    return torch.relu(x)


def by_name(x, y):
    return torch.relu(operator.iadd(x, y))


def stores(x, y):
    x[0] = y
    return torch.relu(x)


def factory(x):
    return x + torch.arange(4)


def through(x):
    return torch.nn.functional.sigmoid(x)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (plain, []),
        (two, ["several_outputs"]),
        (unused, ["unused_in_pattern"]),
        (augmented, ["in_place_pattern"]),
        (by_name, ["in_place_pattern"]),
        (stores, ["untraceable_pattern"]),
        (factory, ["constant_in_pattern"]),
        (through, ["run_through"]),
        (symbolic_trace(plain), ["pattern_object"]),
        (symbolic_trace(plain).graph, ["pattern_object"]),
    ],
)
def test_patterns(pattern, expected):
    assert rules(pattern) == expected


def test_a_graph_module_with_a_signature_is_a_pattern_there_too():
    import inspect

    module = GraphModule(torch.nn.Module(), symbolic_trace(plain).graph)
    module.__signature__ = inspect.signature(plain)
    assert rules(module) == []


def test_a_launcher_that_is_equal_but_not_the_same():
    class Launchers:
        def launch(self):
            return None

    launchers = Launchers()
    assert rules(plain, lambda: launchers.launch) == ["unstable_launcher"]


def test_python_functions_are_recorded_by_position_with_their_defaults():
    def pattern(x):
        return torch.nn.functional.layer_norm(x, normalized_shape=(4,)), torch.sum(x, dim=1)

    norm, total = [node for node in published_graph(pattern).graph.nodes if node.op == "call_function"]
    assert norm.args[1:] == ((4,), None, None, 1e-05) and norm.kwargs == {}
    assert total.kwargs == {"dim": 1}  # a builtin has no signature


@pytest.mark.parametrize(
    ("pattern", "line", "count", "said"),
    [
        (lambda x: torch.sum(x, 1), "torch.sum(in_0, 1)", 1, None),
        (lambda x: torch.sum(x, dim=1), "torch.sum(in_0, 1)", 0, "the graph's `tmp_0 = torch.sum(in_0, 1)`"),
        (lambda x: torch.sum(x, (1,)), "torch.sum(in_0, 1)", 0, "torch.sum(x, (1,))"),
        (lambda x: torch.nn.functional.relu(x), "torch.nn.functional.relu(in_0, inplace=False)", 0, "inplace=False"),
        (lambda x: torch.nn.functional.relu(x), "torch.nn.functional.relu(in_0, False)", 1, None),
        (lambda x: torch.tanh(x), "torch.sum(in_0, 1)", 0, "the graph has no torch.tanh"),
    ],
)
def test_arguments_are_compared_as_they_are_written(pattern, line, count, said):
    found, why = literal_matches(loaded(pattern), graph(f"tmp_0 = {line}", "return (tmp_0,)", inputs="in_0"))
    assert found == count and ((said is None and why is None) or said in why)


def test_dead_code_ends_the_published_matcher():
    found, why = literal_matches(loaded(unused), graph("tmp_0 = torch.relu(in_0)", "return (tmp_0,)"))
    assert found == 0 and "dead code" in why


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "evaluator", "portability", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )


MODEL = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + in_1
        tmp_1 = torch.nn.functional.relu(tmp_0, inplace=False)
        return (tmp_1,)
"""


@pytest.fixture
def task(tmp_path):
    inputs = tuple(TensorMeta(f"in_{n}", (2, 3), "float32", mean=0.0, std=1.0) for n in (0, 1))
    for name in ("small", "large"):
        write_sample(Sample(name, MODEL, inputs, graph_net={"framework": "torch"}), tmp_path / "task" / "graphs" / name)
    (tmp_path / "task" / "graph_list.txt").write_text("graphs/small\ngraphs/large\n")
    return tmp_path / "task"


def test_the_command_with_a_task(tmp_path, task):
    submission = folder(
        tmp_path / "p",
        Scaled=SCALED,
        Relu=one("return torch.nn.functional.relu(x + y)"),
    )
    done = command(submission, "--task", task, "--json")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    said = json.loads(done.stdout)
    assert said["portable"] is False and said["problem"] is None
    assert {(one["rule"], one["file"]) for one in said["findings"]} == {
        ("several_outputs", "Scaled.py"),
        ("literal_matching", "Relu.py"),
    }
    by_graph = {(row["graph"], row["pass"]): (row["matches"], row["published"]) for row in said["graphs"]}
    assert by_graph == {
        ("small", "Scaled"): (0, 0), ("large", "Scaled"): (0, 0), ("small", "Relu"): (1, 0), ("large", "Relu"): (1, 0),
    }  # fmt: skip
    missed = next(one for one in said["findings"] if one["rule"] == "literal_matching")
    assert "missed on small and 1 more" in missed["found"] and "inplace=False" in missed["found"]


def test_nothing_found_is_said_in_a_sentence(capsys):
    _print([], Traced())
    assert capsys.readouterr().out.startswith("nothing that the published harness is known to refuse")


def test_the_command_for_people(tmp_path):
    done = command(folder(tmp_path / "q", Scaled=SCALED))
    assert done.returncode == 0 and done.stderr == ""
    assert "■ fails    several_outputs" in done.stdout and "Scaled.py:" in done.stdout
    assert "1 would fail there, 0 may go another way" in done.stdout and "was not run" in done.stdout


def test_a_submission_that_can_not_be_loaded_still_has_its_text_looked_at(tmp_path):
    broken = folder(tmp_path / "p", Scaled=SCALED.replace("import torch\n", "import torch\nimport nowhere\n"))
    said = json.loads(command(broken, "--json").stdout)
    assert "nowhere" in said["problem"]
    assert [one["rule"] for one in said["findings"]] == ["several_outputs"]


def test_bad_arguments(tmp_path):
    done = command(tmp_path / "missing")
    assert done.returncode == 2 and "is not a folder" in done.stderr
    done = command(folder(tmp_path / "p", Relu=RELU), "--task", tmp_path)
    assert done.returncode == 2 and "neither a task" in done.stderr
