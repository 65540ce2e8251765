"""Eager against Inductor as rows: asked for, measured by a daemon, imported from a file, read through the API."""

import json
import threading
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from small_daemon import VERSIONS, Connection, SmallDaemon

from evaluator.runner.client import DaemonClient
from graphs.models import Graph
from submissions.actions.baselines import do_request_baselines, do_store_baseline
from submissions.actions.claims import do_claim_run
from submissions.actions.runs import do_cancel_run
from submissions.baselines import baseline_rows, inductor_in_short, read_line
from submissions.baselines_run import BaselineSession
from submissions.judging import judge_run
from submissions.models import Baseline, Revision, Run
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)


def line(graph: str = "f32", **changes):
    """Eager takes 30 µs, Inductor 20: one and a half times as fast."""
    return {
        "graph": graph,
        "device": "cpu",
        "processor": "A processor",
        "versions": VERSIONS,
        "entry": "direct",
        "method": "e2e",
        "threads": 1,
        "eager_us": 30.0,
        "inductor_us": 20.0,
        "ratio": {"value": 1.5, "low": 1.4, "high": 1.6},
        "word": "faster",
        "inductor_kernels": 2,
        **changes,
    }


@pytest.fixture
def daemon(tmp_path):
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    daemon.judge = measure
    yield daemon
    daemon.close()


def measure(connection: Connection, job: dict) -> None:
    """Measures the first graph and says of the second why it can not."""
    connection.say(
        "run_started", isolation="namespaces", device="cpu", profile="precise", versions=VERSIONS, graphs=[], limits={}
    )
    connection.say("baseline", **line("f32"))
    connection.say("baseline", graph="f16", device="cpu", processor="A processor", versions=VERSIONS, error="no half")
    connection.say("run_done", measured=1, failed=1, device="cpu", versions=VERSIONS, seconds=0.1)


def work(run: Run, daemon: SmallDaemon) -> Run:
    judge_run(str(run.pk), DaemonClient(daemon.path), "cpu@test", threading.Event(), BaselineSession)
    return Run.objects.get(pk=run.pk)


def graph_named(task, name: str) -> Graph:
    return task.entries.get(name=name).graph


def test_what_the_daemon_measures_becomes_rows_graph_by_graph(author, task, daemon, client):
    run = work(do_request_baselines(author, task), daemon)
    assert (run.state, run.correct, run.total, run.verdict) == ("done", None, None, "")
    assert daemon.jobs[0]["purpose"] == "baselines" and daemon.jobs[0]["files"] == {}
    (row,) = Baseline.objects.all()
    assert (row.graph, row.eager_us, row.median_us, row.ratio) == (graph_named(task, "f32"), 30.0, 20.0, 1.5)
    assert (row.torch, row.harness, row.backend, row.entry, row.method) == (
        "2.13.0",
        "test",
        "inductor",
        "direct",
        "e2e",
    )
    assert (row.ratio_low, row.ratio_high, row.kernels, row.threads, row.origin) == (1.4, 1.6, 2, 1, "")

    said = client.get("/api/tasks/doubled-relu/baselines").json()
    assert [one["graph"] for one in said["rows"]] == ["f32"]
    assert said["rows"][0]["ratio"] == {"value": 1.5, "low": 1.4, "high": 1.6}
    measuring = said["measuring"]
    assert (measuring["run"], measuring["state"], measuring["done"], measuring["total"]) == (str(run.pk), "done", 2, 2)
    assert measuring["problems"] == [{"graph": "f16", "message": "no half"}]
    kinds = [event["kind"] for event in client.get(f"/api/runs/{run.pk}/events").json()["events"]]
    assert kinds.count("baseline") == 2


def test_a_run_without_a_submission_is_in_no_list_of_submissions(author, task, daemon, client):
    work(do_request_baselines(author, task), daemon)
    assert client.get("/api/tasks/doubled-relu/runs").json()["runs"] == []
    (row,) = [one for one in client.get("/api/tasks").json()["tasks"] if one["slug"] == "doubled-relu"]
    assert row["best"] == []
    assert row["inductor"] == {"measured": 1, "faster": 1, "slower": 0}


def test_asking_twice_is_one_run_and_another_author_is_told(author, task, client):
    first = client.post("/api/tasks/doubled-relu/baselines", {}, "application/json")
    again = client.post("/api/tasks/doubled-relu/baselines", {}, "application/json")
    assert first.status_code == again.status_code == 201 and first.json() == again.json()
    client.force_login(account("somebody").user)
    refused = client.post("/api/tasks/doubled-relu/baselines", {}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "already_measuring")
    seen = client.get("/api/tasks/doubled-relu/baselines").json()["measuring"]
    assert (seen["run"], seen["state"]) == (None, "queued")


def test_a_gpu_is_refused_with_the_way_to_its_figures(author, task, client):
    said = client.post("/api/tasks/doubled-relu/baselines", {"device": "cuda:H200"}, "application/json")
    assert said.status_code == 400 and "import_baselines" in said.json()["error"]


def test_a_queued_one_is_cancelled_at_once(author, task):
    run = do_request_baselines(author, task)
    do_cancel_run(run)
    assert Run.objects.get(pk=run.pk).state == "cancelled"
    assert do_request_baselines(author, task).pk != run.pk


def test_a_worker_that_lost_its_claim_writes_no_row(author, task):
    run = do_request_baselines(author, task)
    claim = do_claim_run(str(run.pk), "old")
    Run.objects.filter(pk=run.pk).update(token=claim.token + 1)
    session = BaselineSession(claim, threading.Event())
    session.job(run)
    with pytest.raises(Exception, match="not held"):
        session.on_event({"event": "baseline", **line("f32")})
    assert not Baseline.objects.exists()


def test_its_revision_is_number_0_and_those_with_files_begin_at_1(author, task):
    from submissions.actions.runs import do_request_run

    assert do_request_baselines(author, task).revision.number == 0
    assert do_request_run(author, task, {"A.py": "x = 1\n"}, "cpu").revision.number == 1
    assert Revision.objects.count() == 2


def test_a_newer_figure_takes_the_place_of_an_older_one_of_its_kind_only(task):
    graph = graph_named(task, "f32")
    do_store_baseline(graph, read_line(line()))
    do_store_baseline(graph, read_line(line(eager_us=33.0)))
    do_store_baseline(graph, read_line(line(method="gpu")))
    do_store_baseline(graph, read_line(line(versions={**VERSIONS, "torch": "2.11.0"})))
    do_store_baseline(graph, read_line(line(eager_us=99.0)), "elsewhere.jsonl")
    assert sorted(Baseline.objects.values_list("torch", "method", "origin", "eager_us")) == [
        ("2.11.0", "e2e", "", 30.0),
        ("2.13.0", "e2e", "", 33.0),
        ("2.13.0", "e2e", "elsewhere.jsonl", 99.0),
        ("2.13.0", "gpu", "", 30.0),
    ]
    # Of one device class, entry and method the newest is shown, and what was measured here before what was imported.
    assert [(row["method"], row["versions"]["torch"], row["origin"]) for row in baseline_rows(task)] == [
        ("e2e", "2.11.0", ""),
        ("gpu", "2.13.0", ""),
    ]


def test_the_summary_counts_words_of_this_machine_s_cpu_alone(task):
    do_store_baseline(graph_named(task, "f32"), read_line(line(word="slower")))
    do_store_baseline(graph_named(task, "f16"), read_line(line(word="inconclusive")))
    do_store_baseline(graph_named(task, "f16"), read_line(line(word="faster", device="cuda:H200")))
    do_store_baseline(graph_named(task, "f16"), read_line(line(word="faster")), "elsewhere.jsonl")
    assert inductor_in_short([task.pk]) == {task.pk: {"measured": 2, "faster": 0, "slower": 1}}


def test_a_file_of_another_machine_is_imported_line_by_line(task, tmp_path, capsys):
    known = {
        **line(device="cuda:H200", processor="NVIDIA H200", method="graph", threads=0),
        "measured_at": "2026-01-02T03:04:05+00:00",
    }
    lines = [
        {**known, "identity": graph_named(task, "f32").identity},
        {**known, "identity": "0" * 64},
        {**known, "identity": graph_named(task, "f32").identity, "eager_us": -3},
        {"graph": "f16", "error": "Inductor does not compile it"},
        known,
    ]
    file = tmp_path / "h200.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines) + "no JSON\n")
    call_command("import_baselines", str(file))
    said = capsys.readouterr()
    assert "h200.jsonl: 1 figures stored, 5 lines left out." in said.out
    assert [text.split(": ")[0] for text in said.err.splitlines()] == [f"h200.jsonl:{n}" for n in (2, 3, 4, 5, 6)]
    (row,) = Baseline.objects.all()
    assert (row.device, row.hardware, row.origin) == ("cuda:H200", "NVIDIA H200", "h200.jsonl")
    assert row.measured_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert [one["origin"] for one in baseline_rows(task)] == ["h200.jsonl"]


@pytest.mark.parametrize("content", [None, ""])
def test_a_file_that_is_none_is_refused(task, tmp_path, content):
    file = tmp_path / "figures.jsonl"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError, match=r"can not be read|is empty"):
        call_command("import_baselines", str(file))
