"""Whole tasks, drafted without a look at them and judged by a real daemon: every graph with a kernel is correct."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from drafting import facts_of, is_small

from assistant.drafter.__main__ import main
from assistant.drafter.tasks import draft_task
from evaluator.job import Job
from evaluator.runner.client import DaemonClient
from graphs.fx_source import parse
from graphs.samples import read_pass_dir, read_sample, read_task
from tests.graphs_data.test_passes import wait_until_ready

ROOT = Path(__file__).parents[3]
DATA = ROOT / "graphs" / "data"
SMALL = sorted(
    folder.name for folder in DATA.iterdir() if not json.loads((folder / "task.json").read_text()).get("needs_gpu")
)
CASES = Path(os.environ.get("PASSNET_CASES", "/nowhere")) / "cases" / "tasks"
# Convolutions stay as they are: what is between them is drafted.
LAUNCHES = dict.fromkeys(SMALL, 1) | {"squeeze-excite-gate": 3 + 2, "rotary-embedding": 2}


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Files and graphs in, the final event out."""
    path = tmp_path_factory.mktemp("daemon") / "cpu.sock"
    daemon = subprocess.Popen(
        [sys.executable, "-m", "evaluator", "serve", "--socket", str(path), "--device", "cpu"], cwd=ROOT
    )
    client = DaemonClient(path)
    try:
        wait_until_ready(client, daemon)
        yield lambda files, samples: run(client, files, samples)
    finally:
        daemon.terminate()
        daemon.wait(timeout=30)


def run(client, files, samples):
    events = []
    client.run(Job(files=files, graphs=tuple(samples)), events.append)
    assert events[-1]["event"] == "run_done", events[-1]
    return events[-1]


def small_samples(folder):
    samples = [read_sample(folder / name) for name in read_task(folder).graphs]
    return [sample for sample in samples if is_small(sample)]


def judged(judge, folder):
    samples = small_samples(folder)
    graphs = [
        (graph := parse(sample.source), facts_of(graph, (*sample.inputs, *sample.model_inputs))) for sample in samples
    ]
    files, _ = draft_task(graphs)
    done = judge(files, samples)
    assert done["verdict"] == "clean", done
    for name, graph in done["graphs"].items():
        assert graph["status"] == "correct", (name, graph)
    return done


@pytest.mark.parametrize("slug", SMALL)
def test_a_shipped_task_is_drafted_and_correct(judge, slug):
    done = judged(judge, DATA / slug)
    for graph in done["graphs"].values():
        assert graph["launches"]["candidate"] == LAUNCHES[slug]
        assert graph["launches"]["candidate"] <= graph["launches"]["eager"]


@pytest.mark.cases
@pytest.mark.hostile
@pytest.mark.parametrize("folder", sorted(CASES.glob("*")) if CASES.is_dir() else [], ids=lambda folder: folder.name)
def test_an_acceptance_task_is_drafted_and_correct(judge, folder):
    judged(judge, folder)


def test_the_command_writes_a_pass_dir(tmp_path, capsys):
    assert main([str(DATA / "residual-layer-norm"), "--out", str(tmp_path / "passes")]) == 0
    files = read_pass_dir(tmp_path / "passes")
    assert json.loads(files["sorted_output_pass_rule_names.json"]) == [
        "FuseAddLayerNorm", "FuseAddLayerNorm2", "FuseAddLayerNorm3", "FuseAddLayerNorm4",
    ]  # fmt: skip
    assert "4 passes for 4 graphs" in capsys.readouterr().out


def test_the_command_says_what_can_not_be_read(tmp_path, capsys):
    assert main([str(tmp_path / "nothing"), "--out", str(tmp_path / "passes")]) == 2
    assert "graph_list.txt" in capsys.readouterr().err
