"""`manage.py up` with everything real, on a port and in a var/ folder of its own."""

import json
import os
import re
import signal
import socket
import urllib.error
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from passnet_web.static_files import collected_is_current
from tests.up_process import Up, environment, free_port, wait_until

ENDLESS = {"Endless.py": "while True:\n    pass\n", "sorted_output_pass_rule_names.json": '["Endless"]'}


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment(tmp_path_factory.mktemp("up"))


@pytest.fixture
def start(env: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def start(port: int | None = None, **more: str) -> Up:
        up = Up({**env, **more}, port or free_port(), tmp_path / f"up{len(started)}.out")
        started.append(up)
        return up

    yield start
    for up in started:
        up.process.kill()
        up.process.wait()
        wait_until(lambda up=up: not up.kill_all())


def test_it_starts_says_where_it_is_stops_without_a_trace_and_is_alone_on_its_folder(start, env):
    up = start()
    up.wait_until_ready()
    first, second = up.out.read_text().splitlines()  # the first start in this folder: the first account's password
    assert first == f"PassNet Workbench is ready at http://127.0.0.1:{up.port}/"
    assert re.fullmatch(r"Log in as admin with the one-time password ([a-z2-9]{5}-){3}[a-z2-9]{5}", second)
    with pytest.raises(urllib.error.HTTPError) as refused:
        up.get("/api/tasks")
    assert refused.value.code == 401
    up.log_in()
    assert 'id="catalogue"' in up.get("/")
    assert len(json.loads(up.get("/api/tasks"))["tasks"]) >= 6
    assert json.loads(up.get("/api/devices"))["devices"][0]["device"] == "cpu"
    assert "export {}" in up.get("/static/dist/assets/catalogue-1a2b3c4d.js")
    assert collected_is_current(Path(env["FRONTEND_DIST"]), Path(env["STATIC_ROOT"]))
    for name in ("passnet_web.serve", "celery", "redis-server"):
        assert up.child(name)
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(30) == 0
    assert up.processes() == {}
    assert up.out.read_text().count("\n") == 2
    again = start(WORKER_DEVICES="")  # the web alone, without an evaluator
    again.wait_until_ready()
    assert again.out.read_text() == f"PassNet Workbench is ready at http://127.0.0.1:{again.port}/\n"
    assert "Nobody has logged in" not in again.err.read_text()
    second = start()
    assert second.process.wait(30) == 1
    said = second.err.read_text()
    assert "already runs from" in said and f"http://127.0.0.1:{again.port}/" in said and "PASSNET_VAR" in said


def test_a_pass_is_judged_and_a_running_one_is_stopped_or_killed_without_a_trace(start):
    up = start()
    up.wait_until_ready()
    up.log_in()
    example = up.call("GET", "/api/tasks/masked-mean-pooling/example")["files"]
    run = up.ask(example)
    up.wait_for_state(run, "done")
    judged = up.call("GET", f"/api/runs/{run}")
    assert (judged["correct"], judged["total"], judged["verdict"]) == (4, 4, "clean")
    endless = up.ask(ENDLESS)
    up.wait_for_state(endless, "running")
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(40) == 0
    assert up.processes() == {}
    # The run that was going on was given back; the next start takes it up by itself, and it can be cancelled.
    again = start()
    again.wait_until_ready()
    again.log_in()
    again.wait_for_state(endless, "running")
    again.call("POST", f"/api/runs/{endless}/cancel")
    again.wait_for_state(endless, "cancelled")
    # Killed outright it takes everything with it.
    again.wait_for_state(again.ask(ENDLESS), "running")
    assert len(again.processes()) >= 7  # judge and runner too
    again.process.kill()
    again.process.wait()
    wait_until(lambda: again.processes() == {})


def test_what_dies_comes_back(start):
    up = start()
    up.wait_until_ready()
    for words in ("passnet_web.serve", "redis-server", "celery"):
        before = up.child(words)
        os.kill(before, signal.SIGKILL)
        wait_until(lambda words=words, before=before: up.replaced(words, before))
    evaluators = {pid for pid, command in up.processes().items() if "evaluator serve" in command}
    os.kill(min(evaluators), signal.SIGKILL)
    wait_until(lambda: not evaluators & set(up.processes()) and up.replaced("evaluator serve", 0))
    wait_until(up.answers)
    said = up.err.read_text()
    for name in ("web", "redis", "worker-cpu", "evaluator-cpu"):
        assert f"{name} was ended by SIGKILL; starting it again in 0.5 s" in said


def test_a_taken_port_names_the_taker_and_the_fix(start, tmp_path):
    with socket.socket() as taker:
        taker.bind(("127.0.0.1", 0))
        taker.listen()
        port = taker.getsockname()[1]
        up = start(port)
        assert up.process.wait(30) == 1
    said = up.err.read_text()
    assert f"Port {port} is taken by" in said and f"process {os.getpid()}" in said and f"--port {port + 1}" in said


def test_a_front_end_that_is_not_built_names_the_command(start, tmp_path):
    up = start(FRONTEND_DIST=str(tmp_path / "nowhere"))
    assert up.process.wait(30) == 1
    assert "make setup" in up.err.read_text()


def test_a_redis_that_is_not_there_is_named(start, tmp_path):
    up = start(REDIS_URL="redis://127.0.0.1:1/0", PASSNET_VAR=str(tmp_path / "var"))
    assert up.process.wait(30) == 1
    assert "Redis does not answer at redis://127.0.0.1:1/0" in up.err.read_text()


def test_a_database_that_is_not_there_is_named(start, tmp_path):
    up = start(DATABASE_URL="postgres://nobody@127.0.0.1:1/none", PASSNET_VAR=str(tmp_path / "var"))
    assert up.process.wait(30) == 1
    assert "DATABASE_URL" in up.err.read_text()


def test_a_long_path_still_gets_its_sockets(start, tmp_path):
    deep = tmp_path / ("a" * 60) / ("b" * 60)
    deep.mkdir(parents=True)
    runtime = tmp_path / "rt"
    runtime.mkdir(mode=0o700)
    up = start(PASSNET_VAR=str(deep), XDG_RUNTIME_DIR=str(runtime), WORKER_DEVICES="")
    up.wait_until_ready()
    assert len(list(runtime.glob("passnet-*/redis.sock"))) == 1
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(40) == 0
    assert list(runtime.iterdir()) == []
