"""Every shipped task can be solved: a pass for each of them, judged by a real daemon, is correct on all graphs."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.job import Job
from evaluator.runner.client import DaemonClient
from graphs.samples import read_pass_dir, read_sample, read_task

ROOT = Path(__file__).parents[2]
DATA = ROOT / "graphs" / "data"
PASSES = Path(__file__).parent / "passes"
EXAMPLE = DATA / "masked-mean-pooling" / "example"
SOLVED = {
    "masked-mean-pooling": EXAMPLE,
    **{order.parent.name.replace("_", "-"): order.parent for order in sorted(PASSES.glob("*/*.json"))},
}
# Launches of one kernel for each match; rotary embedding matches twice, for queries and for keys.
MATCHES = dict.fromkeys(SOLVED, 1) | {"rotary-embedding": 2}


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Files and a task in, the final event out."""
    path = tmp_path_factory.mktemp("daemon") / "cpu.sock"
    command = [sys.executable, "-m", "evaluator", "serve", "--socket", str(path), "--device", "cpu"]
    daemon = subprocess.Popen(command, cwd=ROOT)
    client = DaemonClient(path)
    try:
        wait_until_ready(client, daemon)
        yield lambda files, slug: run(client, files, slug)
    finally:
        daemon.terminate()
        daemon.wait(timeout=30)


def wait_until_ready(client, daemon):
    for _ in range(600):
        assert daemon.poll() is None, "the daemon ended"
        try:
            if client.hello()["status"] == "ready":
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise AssertionError("the daemon did not get ready")


def run(client, files, slug):
    graphs = tuple(read_sample(DATA / slug / graph) for graph in read_task(DATA / slug).graphs)
    events = []
    client.run(Job(files=files, graphs=graphs), events.append)
    assert events[-1]["event"] == "run_done", events[-1]
    return events[-1]


def test_there_is_a_pass_for_every_task():
    large = {path.parent.name for path in DATA.glob("*/task.json") if json.loads(path.read_text()).get("needs_gpu")}
    assert set(SOLVED) == {folder.name for folder in DATA.iterdir()} - large
    assert all((DATA / slug / "example").is_dir() for slug in large)


@pytest.mark.parametrize("slug", SOLVED)
def test_the_pass_is_correct_on_every_graph(judge, slug):
    done = judge(read_pass_dir(SOLVED[slug]), slug)
    assert done["verdict"] == "clean"
    assert len(done["graphs"]) == len(read_task(DATA / slug).graphs)
    for name, graph in done["graphs"].items():
        assert graph["status"] == "correct", (name, graph)
        assert graph["matches"] == MATCHES[slug]
        assert graph["launches"]["candidate"] == MATCHES[slug] < graph["launches"]["eager"]


def first_pass_of_the_docs():
    """The code that docs/first-pass.md asks the reader to type."""
    text = (ROOT / "docs" / "first-pass.md").read_text()
    return "\n\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def files_with(code):
    return {"MyPass.py": code, "sorted_output_pass_rule_names.json": json.dumps(["MyPass"])}


def test_the_first_pass_of_the_docs_is_correct(judge):
    done = judge(files_with(first_pass_of_the_docs()), "masked-mean-pooling")
    assert [graph["status"] for graph in done["graphs"].values()] == ["correct"] * 4
    assert [graph["launches"] for graph in done["graphs"].values()] == [{"eager": 5, "candidate": 1}] * 4


def test_the_first_way_to_break_it_misses_at_clamp(judge):
    code = first_pass_of_the_docs().replace("torch.clamp(count, min=1e-09)", "torch.clamp(count, min=1e-06)")
    done = judge(files_with(code), "masked-mean-pooling")
    for graph in done["graphs"].values():
        assert graph["status"] == "no_match"
        assert "clamp" in graph["message"]
        assert "1e-09" in graph["message"]


def test_the_second_way_to_break_it_is_less_exact_in_float16(judge):
    code = first_pass_of_the_docs()
    sloppy = code.replace("tl.sum(weighted, axis=0).to(dtype).to(tl.float32)", "tl.sum(weighted, axis=0)")
    assert sloppy != code
    exact, rough = (judge(files_with(text), "masked-mean-pooling")["graphs"]["f16_2x16x64"] for text in (code, sloppy))
    assert rough["first_t"] is None or rough["first_t"] > exact["first_t"]


def test_a_pass_that_forgets_an_output_leaks(judge):
    files = read_pass_dir(PASSES / "shifted_window_norm")
    files = {name: text.replace("return total, normed", "return normed") for name, text in files.items()}
    done = judge(files, "shifted-window-norm")
    for graph in done["graphs"].values():
        assert graph["status"] == "no_match"
        assert "tmp_6" in graph["message"]
