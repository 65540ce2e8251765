"""A browser's road through real processes: HTTP and WebSocket by Daphne, a Celery worker, Redis, a database file."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection as database
from live import Web, Worker, environment
from small_daemon import Connection, SmallDaemon, graph_result, judge_well, run_done, start, wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from submissions.actions.tokens import do_make_token
from submissions.models import Device, Run
from submissions.tokens import Scope

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {"A.py": "x = 1\n"}


@pytest.fixture
def env(private_redis, redis_socket: Path, tmp_path: Path) -> dict[str, str]:
    return environment(database.settings_dict, f"unix://{redis_socket}", tmp_path)


@pytest.fixture
def token(author) -> str:
    return do_make_token(author, "test", Scope.RUN, 1)[1]


@pytest.fixture
def web(env: dict[str, str], task, client, token: str, tmp_path: Path) -> Iterator[Web]:
    web = Web(env, tmp_path / "web.log", token, client.cookies["sessionid"].value)
    yield web
    web.stop()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[SmallDaemon]:
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    yield daemon
    daemon.close()


@pytest.fixture
def worker(env: dict[str, str], task, tmp_path: Path) -> Iterator[Worker]:
    worker = Worker(env, tmp_path / "worker.log")
    yield worker
    worker.stop()


def ask(web: Web) -> str:
    status, body = web.call("POST", "/api/tasks/doubled-relu/runs", {"files": FILES, "device": "cpu"})
    assert status == 201, body
    return body["run"]


def events(web: Web, run_id: str, after: int = 0) -> list[dict]:
    return web.call("GET", f"/api/runs/{run_id}/events?after={after}")[1]["events"]


def state(web: Web, run_id: str) -> str:
    return web.call("GET", f"/api/runs/{run_id}")[1]["state"]


def watch(web: Web, run_id: str):
    """What a page of ours opens."""
    return connect(web.socket(run_id), origin=f"http://127.0.0.1:{web.port}", additional_headers=cookie(web))


def cookie(web: Web) -> dict[str, str]:
    return {"Cookie": f"sessionid={web.cookie}"}


def news(socket) -> dict:
    said = json.loads(socket.recv(timeout=20))
    assert said["type"] == "news"
    return said


def talkative(go_on: threading.Event, lines: int = 60):
    """A judge that says much, and half of it only when told to."""

    def judge(connection: Connection, job: dict) -> None:
        names = start(connection, job)
        for number in range(lines):
            if number == lines // 2:
                go_on.wait(20)
            connection.say("log", stream="stdout", text=str(number))
        connection.say("run_done", **run_done({name: graph_result() for name in names}))

    return judge


def test_a_socket_cut_in_mid_run_loses_nothing(web, daemon, worker):
    go_on = threading.Event()
    daemon.judge = talkative(go_on)
    run_id = ask(web)
    seen: list[dict] = []
    with watch(web, run_id) as socket:
        while sum(event["kind"] == "log" for event in seen) < 10:
            news(socket)
            seen += events(web, run_id, seen[-1]["seq"] if seen else 0)
        socket.socket.close()  # the network goes, without a word
    go_on.set()
    with watch(web, run_id) as socket:
        while news(socket)["state"] != "done":
            pass
    seen += events(web, run_id, seen[-1]["seq"])
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    assert [event["payload"]["text"] for event in seen if event["kind"] == "log"] == [str(n) for n in range(60)]
    assert [event["payload"]["state"] for event in seen if event["kind"] == "state"][-1] == "done"
    # A page that is loaded anew reads the same log, and the run's row agrees with it.
    assert events(web, run_id) == seen
    row = web.call("GET", f"/api/runs/{run_id}")[1]
    assert (row["state"], row["seq"], row["correct"], row["total"]) == ("done", len(seen), 2, 2)


def test_the_web_server_killed_in_mid_run_loses_nothing(web, env, daemon, worker, tmp_path):
    go_on = threading.Event()
    daemon.judge = talkative(go_on)
    run_id = ask(web)
    wait_until(lambda: state(web, run_id) == "running")
    web.kill()
    go_on.set()
    again = Web(env, tmp_path / "web.log", web.token, web.cookie)
    wait_until(lambda: state(again, run_id) == "done")
    assert sum(event["kind"] == "log" for event in events(again, run_id)) == 60
    again.stop()


def test_news_are_coalesced_and_pings_answered(web, daemon, worker):
    daemon.judge = talkative(_set(), lines=200)
    run_id = ask(web)
    said = []
    with watch(web, run_id) as socket:
        while not said or said[-1]["state"] != "done":
            said.append(news(socket))
        socket.send(json.dumps({"type": "ping"}))
        assert json.loads(socket.recv(timeout=20)) == {"type": "pong"}
        for odd in ("{", "[]", "3", '{"type": "run.news", "seq": 99}'):
            socket.send(odd)
        socket.send(json.dumps({"type": "ping"}))
        assert json.loads(socket.recv(timeout=20)) == {"type": "pong"}
    assert said[-1]["seq"] == len(events(web, run_id))
    assert len(said) < 100


def test_cancelling_a_run_that_is_being_judged(web, daemon, worker):
    gone = threading.Event()

    def judge(connection: Connection, job: dict) -> None:
        names = start(connection, job)
        connection.say("graph_done", graph=names[0], seconds=0.1, **graph_result())
        if connection.wait_for_close():
            gone.set()

    daemon.judge = judge
    run_id = ask(web)
    wait_until(lambda: any(event["kind"] == "graph_done" for event in events(web, run_id)))
    assert web.call("POST", f"/api/runs/{run_id}/cancel")[1]["cancel_requested"] is True
    wait_until(lambda: state(web, run_id) == "cancelled")
    assert gone.wait(20)


def test_other_sites_and_unknown_runs_get_no_socket(web):
    run_id = ask(web)
    for origin in ("https://evil.example", f"http://127.0.0.1:{web.port + 1}", "null"):
        with (
            pytest.raises(InvalidStatus) as refused,
            connect(web.socket(run_id), origin=origin, additional_headers=cookie(web)),
        ):
            pass
        assert refused.value.response.status_code == 403
    with watch(web, run_id) as socket:
        assert news(socket) == {"type": "news", "seq": 1, "state": "queued"}
    for unknown in ("00000000-0000-0000-0000-000000000000", "nonsense"):
        with watch(web, unknown) as socket, pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=20)
        assert closed.value.rcvd.code == 4404
    with pytest.raises(InvalidStatus), connect(web.socket(run_id), additional_headers=cookie(web)):
        pass  # without an origin: no browser
    with pytest.raises(InvalidStatus), connect(f"ws://127.0.0.1:{web.port}/ws/else"):
        pass


def test_a_worker_killed_in_mid_run_is_replaced_and_the_run_judged_again(web, env, daemon, worker, tmp_path):
    daemon.judge = lambda connection, job: (start(connection, job), connection.wait_for_close())
    run_id = ask(web)
    wait_until(lambda: state(web, run_id) == "running")
    worker.kill()
    daemon.judge = judge_well
    replacement = Worker(env, tmp_path / "worker2.log")
    try:
        wait_until(lambda: state(web, run_id) == "done", seconds=40)
        assert Run.objects.get(pk=run_id).losses == 1
        assert len(daemon.jobs) == 2
    finally:
        replacement.stop()


def test_a_run_whose_message_was_lost_is_sent_again(web, env, daemon, private_redis, tmp_path):
    first, second = ask(web), ask(web)
    private_redis.flushall()
    Run.objects.update(attended_at="2020-01-01T00:00:00Z")
    worker = Worker(env, tmp_path / "worker.log")
    try:
        wait_until(lambda: state(web, first) == state(web, second) == "done", seconds=40)
        assert len(daemon.jobs) == 2
    finally:
        worker.stop()


def test_a_worker_that_is_told_to_stop_gives_its_run_back(web, daemon, worker):
    daemon.judge = lambda connection, job: (start(connection, job), connection.wait_for_close())
    run_id = ask(web)
    wait_until(lambda: state(web, run_id) == "running")
    worker.stop()
    assert (state(web, run_id), Run.objects.get(pk=run_id).losses) == ("queued", 0)


def test_the_worker_says_how_its_device_is_and_finds_shapes(web, daemon, worker, task):
    daemon.status = "warming"

    def cpu() -> dict:
        return web.call("GET", "/api/devices")[1]["devices"][0]

    wait_until(lambda: cpu()["status"] == "warming")
    assert "warming up" in cpu()["message"]
    assert Device.objects.get().versions["torch"] == "2.13.0"
    answers = {"float32": {"nodes": {"tmp_0": {"shape": [4, 6], "dtype": "float32"}}}, "float16": {"error": "no half"}}
    daemon.describe = lambda sample: answers[sample["inputs"][0]["dtype"]]
    daemon.status = "ready"
    wait_until(lambda: cpu()["status"] == "ready")
    f32, f16 = (task.entries.get(name=name).graph for name in ("f32", "f16"))
    wait_until(lambda: (f16.refresh_from_db(), f16.shapes_problem)[1] == "no half")
    f32.refresh_from_db()
    assert f32.shapes == {"tmp_0": {"shape": [4, 6], "dtype": "float32"}}
    assert web.call("GET", "/api/tasks/doubled-relu/graphs/f32")[1]["nodes"][0]["shape"] == [4, 6]


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event
