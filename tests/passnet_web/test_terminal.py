"""A supervisor whose terminal is closed, under a session leader that waits for it as make does."""

import os
import pty
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEADER = """
import signal, subprocess, sys
signal.signal(signal.SIGHUP, lambda *_: None)
mask = [signal.SIGHUP] if sys.argv[1] == "blocked" else []
def before():
    signal.pthread_sigmask(signal.SIG_BLOCK, mask)
    if sys.argv[1] == "nohup":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
subprocess.Popen([sys.executable, *sys.argv[2:]], preexec_fn=before).wait()
"""
SUPERVISED = """
import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "passnet_web.settings")
import django
django.setup()
from pathlib import Path
from passnet_web.supervisor.children import Spec
from passnet_web.supervisor.run import Supervisor
folder = Path(sys.argv[1])
supervisor = Supervisor(folder, folder)
supervisor.catch_signals()
child = supervisor.start(Spec("sleeper", ["sleep", "600"], dict(os.environ)))
(folder / "pids.new").write_text(f"{os.getpid()} {child.pid}")
(folder / "pids.new").rename(folder / "pids")
supervisor.keep_alive()
supervisor.say("a terminal that is gone takes no words")
supervisor.stop()
(folder / "stopped").touch()
"""


def until(holds, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def started(tmp_path: Path) -> Iterator:
    leaders: list[int] = []
    left: list[int] = []

    def start(how: str) -> tuple[int, list[int]]:
        command = [sys.executable, "-c", LEADER, how, "-c", SUPERVISED, str(tmp_path)]
        leader, terminal = pty.fork()
        if leader == 0:
            os.execve(command[0], command, {**os.environ, "PYTHONPATH": str(ROOT)})
        leaders.append(leader)
        until((tmp_path / "pids").exists)
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        left.extend(pids)
        return terminal, pids

    yield start
    for pid in (*leaders, *left):
        if alive(pid):
            os.kill(pid, signal.SIGKILL)
    for pid in leaders:
        os.waitpid(pid, 0)


@pytest.mark.parametrize("how", ["plain", "blocked"])
def test_a_closed_terminal_stops_everything(started, tmp_path, how):
    terminal, pids = started(how)
    assert all(map(alive, pids))
    os.close(terminal)
    until(lambda: not any(map(alive, pids)))
    assert (tmp_path / "stopped").exists()


def test_with_nohup_it_stays(started, tmp_path):
    terminal, (supervisor, child) = started("nohup")
    os.close(terminal)
    time.sleep(0.3)  # what must not happen has no moment
    os.kill(supervisor, signal.SIGHUP)
    time.sleep(0.2)
    assert alive(supervisor) and alive(child)
    os.kill(supervisor, signal.SIGTERM)
    until((tmp_path / "stopped").exists)
