"""The shipped tasks: readable, small, complete, and in step with the script that writes their graphs."""

import json
from math import prod
from pathlib import Path

import pytest

from graphs.fx_source import parse
from graphs.samples import read_pass_dir, read_sample, read_task
from scripts import write_tasks

DATA = Path(__file__).parents[2] / "graphs" / "data"
ALL = sorted(folder.name for folder in DATA.iterdir())
LARGE = [slug for slug in ALL if json.loads((DATA / slug / "task.json").read_text()).get("needs_gpu")]
TASKS = [slug for slug in ALL if slug not in LARGE]


def samples(slug):
    task = read_task(DATA / slug)
    return [read_sample(DATA / slug / graph) for graph in task.graphs]


def test_there_are_eight_tasks_and_three_dtypes():
    assert len(TASKS) == 8
    assert LARGE == ["published-masked-mean-pooling", "published-roll-norm"]
    assert sorted(write_tasks.TASKS) == ALL
    dtypes = {tensor.dtype for slug in TASKS for sample in samples(slug) for tensor in sample.inputs}
    assert dtypes == {"float32", "float16", "bfloat16"}


@pytest.mark.parametrize("slug", TASKS)
def test_every_graph_reads_without_a_warning_and_is_small(slug):
    found = samples(slug)
    assert 3 <= len(found) <= 5
    for sample in found:
        assert sample.warnings == ()
        assert sample.stored_hash == sample.content_hash
        assert sum(prod(tensor.shape) for tensor in sample.inputs) <= 20_000
        assert [tensor.name for tensor in sample.inputs] == [f"in_{i}" for i in range(len(sample.inputs))]


@pytest.mark.parametrize(("slug", "count"), [("published-masked-mean-pooling", 15), ("published-roll-norm", 9)])
def test_the_published_cases_have_their_shapes_in_three_dtypes(slug, count):
    found = samples(slug)
    assert len(found) == count
    for sample in found:
        assert sample.warnings == ()
        assert sample.stored_hash == sample.content_hash
    shapes = {dtype: {s.inputs[-1].shape if slug.endswith("norm") else s.inputs[0].shape for s in found
                      if s.inputs[0].dtype == dtype} for dtype in ("float32", "float16", "bfloat16")}  # fmt: skip
    expected = {
        "published-masked-mean-pooling": {
            (1, 16, 384), (4, 128, 384), (8, 512, 768), (32, 64, 1024), (2, 2048, 768)
        },
        "published-roll-norm": {(1, 35, 35, 384), (1, 70, 70, 192), (1, 133, 133, 96)},
    }  # fmt: skip
    assert all(of_dtype == expected[slug] for of_dtype in shapes.values())


@pytest.mark.parametrize("slug", LARGE)
def test_a_large_task_ships_what_its_example_reached_on_a_gpu(slug):
    events = [json.loads(line) for line in (DATA / slug / "example_run.jsonl").read_text().splitlines()]
    origin, done = events[0], events[-1]
    assert (origin["event"], origin["task"]) == ("origin", slug)
    assert "H200" in origin["hardware"]
    assert done["event"] == "run_done"
    assert done["device"].startswith("cuda")
    names = {sample.name for sample in samples(slug)}
    assert set(done["graphs"]) <= names
    for graph in done["graphs"].values():
        assert graph["status"] == "correct"
        assert set(graph["speedup"]) == {"e2e", "gpu", "graph", "kernel"}
        assert graph["launches"]["candidate"] == 1


@pytest.mark.parametrize("slug", ALL)
def test_graphs_of_a_task_have_the_same_operators_in_the_same_order(slug):
    orders = {tuple((node.op, node.target) for node in parse(sample.source).nodes) for sample in samples(slug)}
    assert len(orders) == 1


@pytest.mark.parametrize("slug", ALL)
def test_a_task_says_what_it_is(slug):
    told = json.loads((DATA / slug / "task.json").read_text())
    assert set(told) == {"title", "summary", "description"} | ({"needs_gpu"} if slug in LARGE else set())
    assert all(told.values())
    assert "Hints: " in told["description"]


def test_graphs_are_what_the_script_writes(capsys):
    assert write_tasks.main(["--check"]) == 0, capsys.readouterr().out


def test_the_first_task_has_an_example():
    files = read_pass_dir(DATA / "masked-mean-pooling" / "example")
    assert json.loads(files["sorted_output_pass_rule_names.json"]) == ["FuseMaskedMean"]
    assert set(files) == {"sorted_output_pass_rule_names.json", "FuseMaskedMean.py"}
