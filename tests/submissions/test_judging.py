import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection as database
from small_daemon import Connection, SmallDaemon, graph_result, judge_well, start, wait_until

from evaluator.runner.client import DaemonClient
from submissions.actions import claims, runs
from submissions.judging import judge_run
from submissions.models import Lease, Run

FILES = {"A.py": "x = 1\n", "broken.py": "caf\u00e9 \x01 \u2028"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[SmallDaemon]:
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    yield daemon
    daemon.close()


@pytest.fixture
def run(author, task) -> Run:
    return runs.do_request_run(author, task, FILES, "cpu")


@pytest.fixture
def stopping() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


class Worker:
    """judge_run in a thread, as in a Celery worker."""

    def __init__(self, run: Run, daemon: SmallDaemon, stopping: threading.Event) -> None:
        self._thread = threading.Thread(target=self._work, args=[str(run.pk), DaemonClient(daemon.path), stopping])
        self._thread.start()

    def _work(self, run_id: str, client: DaemonClient, stopping: threading.Event) -> None:
        try:
            judge_run(run_id, client, "cpu@test", stopping)
        finally:
            database.close()

    def join(self) -> None:
        self._thread.join(20)
        assert not self._thread.is_alive()


def states(run: Run) -> list[str]:
    return [event.payload["state"] for event in run.events.filter(kind="state")]


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def kinds(run: Run) -> list[str]:
    return list(run.events.values_list("kind", flat=True))


def test_a_run_is_judged_and_its_log_is_the_daemon_s(run, daemon, stopping):
    judge_run(str(run.pk), DaemonClient(daemon.path), "cpu@test", stopping)
    assert kinds(run) == [
        "state", "state", "state", "run_started", "graph_started", "graph_done", "graph_started", "graph_done",
        "run_done", "state",
    ]  # fmt: skip
    assert states(run) == ["queued", "leased", "running", "done"]
    assert (fresh(run).correct, fresh(run).total, fresh(run).first_t) == (2, 2, -6)
    job = daemon.jobs[0]
    assert job["files"] == FILES  # odd characters arrive as they were
    assert [graph["name"] for graph in job["graphs"]] == ["f32", "f16"]
    assert job["graphs"][1]["inputs"][0]["dtype"] == "float16"
    assert job["run_id"] == str(run.pk)


def test_a_message_delivered_twice_runs_once(run, daemon, stopping):
    for _ in range(3):
        judge_run(str(run.pk), DaemonClient(daemon.path), "cpu@test", stopping)
    assert len(daemon.jobs) == 1


def test_a_run_waits_while_the_evaluator_warms_up(run, daemon, stopping):
    daemon.status = "warming"
    worker = Worker(run, daemon, stopping)
    wait_until(lambda: "warming up" in fresh(run).message)
    assert fresh(run).state == "queued"
    daemon.status = "ready"
    worker.join()
    assert fresh(run).state == "done"
    assert [event.payload["message"] for event in run.events.filter(kind="state")][1].startswith(
        "The evaluator is warm"
    )


def test_a_run_waits_for_a_daemon_that_is_not_there(run, tmp_path, stopping):
    client = DaemonClient(tmp_path / "later.sock")
    thread = threading.Thread(target=lambda: (judge_run(str(run.pk), client, "w", stopping), database.close()))
    thread.start()
    wait_until(lambda: "does not answer" in fresh(run).message)
    daemon = SmallDaemon(tmp_path / "later.sock")
    thread.join(20)
    daemon.close()
    assert fresh(run).state == "done"


def test_a_run_waits_while_another_client_has_the_device(run, daemon, stopping):
    refusals = []

    def first_busy(connection: Connection, job: dict) -> None:
        if not refusals:
            refusals.append(job["run_id"])
            connection.say("busy")
        else:
            judge_well(connection, job)

    daemon.judge = first_busy
    judge_run(str(run.pk), DaemonClient(daemon.path), "w", stopping)
    assert states(run) == ["queued", "leased", "queued", "leased", "running", "done"]
    assert fresh(run).losses == 0


def test_cancelled_while_it_waits(run, daemon, stopping):
    daemon.status = "warming"
    worker = Worker(run, daemon, stopping)
    wait_until(lambda: daemon.hellos > 0)
    runs.do_cancel_run(run)
    worker.join()
    assert fresh(run).state == "cancelled"
    assert daemon.jobs == []


@pytest.mark.parametrize("stage", ["before the first event", "after run_started", "between graphs"])
def test_cancelled_while_it_is_judged(run, daemon, stopping, stage):
    gone = threading.Event()

    def judge(connection: Connection, job: dict) -> None:
        if stage != "before the first event":
            names = start(connection, job)
            if stage == "between graphs":
                connection.say("graph_done", graph=names[0], seconds=0.01, **graph_result())
        if connection.wait_for_close():
            gone.set()

    daemon.judge = judge
    worker = Worker(run, daemon, stopping)
    wanted = {"before the first event": "leased", "after run_started": "run_started", "between graphs": "graph_done"}
    wait_until(lambda: wanted[stage] in (*kinds(run), fresh(run).state))
    runs.do_cancel_run(run)
    worker.join()
    assert gone.wait(20)  # closing the connection is what kills judge and runner
    assert states(run)[-1] == "cancelled"
    assert fresh(run).result is None
    assert kinds(run).count("graph_done") == (1 if stage == "between graphs" else 0)  # what was measured stays
    assert Lease.objects.get(run=run).outcome == "cancelled"


@pytest.mark.parametrize("how", ["closes", "says error", "says nonsense"])
def test_a_lost_daemon_gives_the_run_back_once(run, daemon, stopping, how):
    def judge(connection: Connection, job: dict) -> None:
        start(connection, job)
        if how == "closes":
            connection.close()
        elif how == "says error":
            connection.say("error", message="The judge failed while reading.")
        else:
            connection._sock.sendall(b"[1, 2]\n")

    daemon.judge = judge
    client = DaemonClient(daemon.path)
    judge_run(str(run.pk), client, "w", stopping)
    assert (fresh(run).state, fresh(run).losses) == ("queued", 1)
    assert "tried once more" in fresh(run).message
    daemon.judge = judge_well
    judge_run(str(run.pk), client, "w", stopping)
    assert fresh(run).state == "done"


def test_a_daemon_lost_twice_ends_the_run(run, daemon, stopping):
    daemon.judge = lambda connection, job: connection.close()
    for _ in range(2):
        judge_run(str(run.pk), DaemonClient(daemon.path), "w", stopping)
    assert fresh(run).state == "infrastructure_error"
    assert "does not count against the submission" in fresh(run).message


def test_a_worker_that_is_stopped_gives_its_run_back(run, daemon, stopping):
    daemon.judge = lambda connection, job: (start(connection, job), connection.wait_for_close())
    worker = Worker(run, daemon, stopping)
    wait_until(lambda: fresh(run).state == "running")
    stopping.set()
    worker.join()
    assert (fresh(run).state, fresh(run).losses) == ("queued", 0)


def test_a_worker_that_was_taken_for_lost_stops_and_writes_nothing(run, daemon, stopping, monkeypatch):
    monkeypatch.setattr("submissions.judging.LEASE_SECONDS", 0.0)
    daemon.judge = lambda connection, job: (start(connection, job), connection.wait_for_close())
    worker = Worker(run, daemon, stopping)
    wait_until(lambda: fresh(run).state == "running")
    lease = Lease.objects.get(run=run)
    claims.do_lose_attempt(claims.Claim(str(run.pk), lease.token, "cpu", "w"), "The worker stopped answering.")
    events = kinds(run)
    worker.join()
    assert kinds(run) == events
    assert fresh(run).state == "queued"


def test_a_long_run_keeps_its_lease(run, daemon, stopping, monkeypatch):
    monkeypatch.setattr("submissions.judging.LEASE_SECONDS", 0.0)
    go_on = threading.Event()

    def judge(connection: Connection, job: dict) -> None:
        start(connection, job)
        go_on.wait(20)
        judge_well(connection, job)

    daemon.judge = judge
    worker = Worker(run, daemon, stopping)
    wait_until(lambda: Lease.objects.filter(run=run).exists())
    first = Lease.objects.get(run=run).expires_at
    wait_until(lambda: Lease.objects.get(run=run).expires_at > first)
    go_on.set()
    worker.join()


def test_a_flood_of_odd_text_is_stored(run, daemon, stopping):
    def judge(connection: Connection, job: dict) -> None:
        start(connection, job)
        connection.say("log", stream="stdout", text="\x00\ud800" + "x" * 65_000)
        judge_well(connection, job)

    daemon.judge = judge
    judge_run(str(run.pk), DaemonClient(daemon.path), "w", stopping)
    logged = run.events.get(kind="log").payload["text"]
    assert logged.startswith("��x")
    json.dumps(logged).encode()
