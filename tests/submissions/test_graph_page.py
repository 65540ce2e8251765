"""A graph's page and what stands on it, over every task that has the graph."""

import pytest

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.schemas import GraphOut
from submissions.actions.baselines import do_store_baseline
from submissions.actions.imports import do_import_example
from submissions.baselines import read_line
from submissions.speed_in_short import mean_speedup
from tests.submissions.conftest import SOURCE, sample
from tests.submissions.results_files import events, result, results_file

pytestmark = pytest.mark.django_db

LINE = {
    "graph": "f32",
    "device": "cpu",
    "processor": "A processor",
    "versions": {"torch": "2.13.0", "harness": "0.1.0"},
    "eager_us": 30.0,
    "inductor_us": 20.0,
    "ratio": {"value": 1.5, "low": 1.4, "high": 1.6},
    "word": "faster",
}


@pytest.fixture
def graph(task):
    return task.entries.get(name="f32").graph


def test_a_graph_has_its_hashes_inputs_tasks_and_relatives(client, task, graph):
    renamed = do_store_graph(sample("renamed", source=SOURCE.replace("tmp_0", "hidden")), "model.py")
    do_store_task("renamed-relu", TaskText("Renamed ReLU", ""), [("only", renamed)], None, "imported")
    do_store_task("again", TaskText("The same again", ""), [("first", graph)], None, "imported")
    page = client.get(f"/api/graphs/{graph.identity}").json()
    assert (page["identity"], page["content_hash"]) == (graph.identity, graph.source_id)
    assert len(page["canonical_hash"]) == 64
    assert (page["node_count"], page["dtypes"], page["warnings"]) == (3, ["float32"], [])
    assert page["inputs"] == [
        {"name": "in_0", "shape": [4, 6], "dtype": "float32"},
        {"name": "in_1", "shape": [4, 6], "dtype": "float32"},
    ]
    assert [(one["slug"], one["graph"], one["origin"]) for one in page["tasks"]] == [
        ("doubled-relu", "f32", "shipped"),
        ("again", "first", "imported"),
    ]
    assert [(one["name"], one["same_code"]) for one in page["relatives"]] == [("f16", True), ("renamed", False)]
    assert page["baselines"] == []


def test_its_baselines_and_what_a_shipped_run_made_of_it(client, task, graph):
    do_store_baseline(graph, read_line(LINE))
    do_store_baseline(task.entries.get(name="f16").graph, read_line({**LINE, "graph": "f16", "word": "slower"}))
    do_import_example(task, results_file(b"", events(), hardware="one NVIDIA H200"))
    page = client.get(f"/api/graphs/{graph.identity}").json()
    assert [(row["eager_us"], row["median_us"], row["word"]) for row in page["baselines"]] == [(30.0, 20.0, "faster")]
    (example,) = page["tasks"][0]["examples"]
    assert (example["hardware"], example["correct"], example["total"]) == ("one NVIDIA H200", 1, 1)
    assert example["speedup"] == pytest.approx({"e2e": 2.0, "graph": 2.0})
    assert page["tasks"][0]["best"] == []  # measured elsewhere: never the best of a device here

    (row,) = client.get("/api/tasks").json()["tasks"]
    (example,) = row["examples"]
    assert (example["correct"], example["total"]) == (2, 2)
    assert example["speedup"] == pytest.approx({"e2e": 2.0, "graph": 2.0})


def test_a_graph_is_found_by_the_start_of_either_hash(client, graph):
    for key in (graph.identity[:8], graph.identity[:20].upper(), graph.source_id, graph.source_id[:12]):
        assert client.get(f"/api/graphs/{key}").json()["identity"] == graph.identity
        drawn = client.get(f"/api/graphs/{key}/drawing")
        GraphOut.model_validate(drawn.json())
        assert drawn.headers["ETag"]
        page = client.get(f"/graphs/{key}/")
        assert (page.status_code, f'data-graph="{graph.identity}"' in page.text) == (200, True)


@pytest.mark.parametrize("key", ["0" * 64, "1234567", "not-a-hash", "0" * 65, "g" * 10])
def test_a_graph_that_is_not_there_is_explained(client, graph, key):
    answer = client.get(f"/api/graphs/{key}")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_graph")
    assert client.get(f"/api/graphs/{key}/drawing").status_code == 404
    page = client.get(f"/graphs/{key}/")
    assert page.status_code == 404 and "SHA-256 of its model.py" in page.text


def test_who_is_not_logged_in_sees_graphs_where_tasks_are_open(client, graph, settings):
    client.logout()
    addresses = (f"/graphs/{graph.identity}/", f"/api/graphs/{graph.identity}", f"/api/graphs/{graph.identity}/drawing")
    assert {client.get(address).status_code for address in addresses} <= {302, 401}
    settings.PUBLIC_READ = True
    assert {client.get(address).status_code for address in addresses} == {200}


def test_the_number_of_queries_does_not_grow_with_its_tasks(client, graph, django_assert_max_num_queries):
    for number in range(12):
        do_store_task(f"t{number}", TaskText(f"T {number}", ""), [("g", graph)], None, "imported")
    # 5 for who asks; graph, tasks, best, examples, 2 for relatives, baselines
    with django_assert_max_num_queries(12):
        assert len(client.get(f"/api/graphs/{graph.identity}").json()["tasks"]) == 13


def test_the_mean_of_an_example_is_over_what_is_right(client, task, graph):
    fast, faster = result(speedup={"e2e": 2.0, "graph": 2.0}), result(speedup={"e2e": 8.0})
    assert mean_speedup([fast, faster]) == {"e2e": pytest.approx(4.0)}  # √(2 · 8); graph is not known of both
    assert mean_speedup([]) == {}
