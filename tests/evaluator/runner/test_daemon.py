import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from serving import PYTHON_PATH, SERVE
from small import MODEL, QUICK, job, only, sample, words

from evaluator.runner.client import DaemonClient
from evaluator.runner.runner_process import sweep

FOREVER = replace(QUICK, call_seconds=600, run_seconds=600)


def endless():
    return job("while True: pass", limits=FOREVER)


def wait_for(what, seconds=30.0):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def alive(pids):
    return {pid for pid in pids if Path(f"/proc/{pid}").exists() and "Z" not in state(pid)}


def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


class Endless:
    """A run that does not end by itself, watched from a thread."""

    def __init__(self, client: DaemonClient) -> None:
        self.events: list[dict] = []
        self.cancelled = False
        self.outcome: object = None
        self._thread = threading.Thread(target=self._run, args=(client,))
        self._thread.start()
        wait_for(lambda: any(event["event"] == "rewritten" for event in self.events))

    def _run(self, client: DaemonClient) -> None:
        try:
            self.outcome = client.run(endless(), self.events.append, lambda: self.cancelled)
        except Exception as error:
            self.outcome = error

    def join(self) -> object:
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.outcome


def test_it_answers_while_it_warms_up(own_daemon):
    wait_for(own_daemon.socket.exists)
    said = own_daemon.wait_until("warming")
    assert said["device"] == "cpu" and said["current_run"] is None and said["versions"]["torch"]
    said = own_daemon.wait_until("ready")
    assert said["isolation"].startswith("namespaces") and said["message"] is None
    assert stat.S_IMODE(own_daemon.socket.stat().st_mode) == 0o600


def test_a_run_that_comes_early_waits(own_daemon):
    wait_for(own_daemon.socket.exists)
    assert words(only(own_daemon.judge(job()))) == ("correct", None)


def test_one_run_at_a_time_and_no_pause_between_two(daemon):
    for _ in range(3):
        assert words(only(daemon.judge(job()))) == ("correct", None)
    run = Endless(daemon.client)
    said = daemon.client.hello()
    assert said["status"] == "busy" and said["current_run"] == "test"
    assert daemon.judge(job()) == [{"event": "busy"}]
    run.cancelled = True
    assert run.join() is False
    daemon.wait_until("ready")


def test_cancelling_keeps_what_was_measured_and_ends_everything(daemon):
    daemon.wait_until("ready")
    before = daemon.processes()
    run = Endless(daemon.client)
    assert len(daemon.processes()) > len(before)
    run.cancelled = True
    assert run.join() is False
    assert [event["event"] for event in run.events][-1] == "rewritten"
    daemon.wait_until("ready")
    assert daemon.processes() == before


def test_a_client_that_hangs_up_ends_its_run(daemon):
    daemon.wait_until("ready")
    before = daemon.processes()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(daemon.socket))
        sock.sendall(json.dumps({"op": "run", "job": endless().to_json()}).encode() + b"\n")
        wait_for(lambda: daemon.client.hello()["status"] == "busy")
    daemon.wait_until("ready")
    assert daemon.processes() == before


def test_a_client_that_does_not_read_does_not_hold_the_run(daemon):
    noisy = job("print('x' * 60000)", limits=QUICK, graphs=tuple(sample(f"graph {n}") for n in range(30)))
    with socket.socket(socket.AF_UNIX) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(str(daemon.socket))
        sock.sendall(json.dumps({"op": "run", "job": noisy.to_json()}).encode() + b"\n")
        wait_for(lambda: daemon.client.hello()["status"] == "busy")
        time.sleep(1.0)
        text = b""
        while b'"run_done"' not in text:
            text += sock.recv(1 << 16)
    daemon.wait_until("ready")


NONSENSE = [
    b"\n", b"{\n", b"[1]\n", b'{"op": "dance"}\n', b'{"op": ["run"]}\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n",
    b"x" * 100,
]  # fmt: skip


@pytest.mark.parametrize("line", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_answered_and_survived(daemon, line):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(daemon.socket))
        sock.sendall(line)
        sock.shutdown(socket.SHUT_WR)
        answer = sock.makefile().read()
    assert answer == "" or json.loads(answer)["event"] == "error"
    assert daemon.client.hello()["status"] in ("ready", "busy")


@pytest.mark.parametrize("broken", [None, [], {}, {"files": 3}, {**job().to_json(), "graphs": [{}]},
                                    {**job().to_json(), "limits": {"wishes": 3}}])  # fmt: skip
def test_a_job_that_can_not_be_read_is_said(daemon, broken):
    daemon.wait_until("ready")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(daemon.socket))
        sock.sendall(json.dumps({"op": "run", "job": broken}).encode() + b"\n")
        answer = json.loads(sock.makefile().readline())
    assert answer["event"] == "error" and "can not be read" in answer["message"]


def test_a_job_for_another_device_is_refused(daemon):
    (event,) = daemon.judge(replace(job(), device="cuda:H200"))
    assert event["event"] == "error" and "not on 'cuda:H200'" in event["message"]


def test_shapes_of_a_graph(daemon):
    nodes = daemon.client.describe(sample("one", 3))["nodes"]
    assert nodes["tmp_1"] == {"shape": [3, 8], "dtype": "float32"}


def test_shapes_are_told_while_a_run_is_on(daemon):
    run = Endless(daemon.client)
    assert daemon.client.describe(sample("one"))["nodes"]["tmp_0"]["shape"] == [4, 8]
    run.cancelled = True
    run.join()


def test_a_graph_without_shapes_says_why(daemon):
    bad = sample("bad", source=MODEL.replace("in_0 + in_1", "torch.load(in_0)"))
    assert "torch.load" in daemon.client.describe(bad)["error"]
    assert "error" in daemon.client.describe(sample("worse", source="not python ("))


def test_sigterm_in_mid_run_leaves_nothing(own_daemon):
    own_daemon.wait_until("ready")
    run = Endless(own_daemon.client)
    pids = own_daemon.processes()
    assert own_daemon.stop() == 0
    assert not alive(pids) and not own_daemon.socket.exists()
    assert isinstance(run.join(), EOFError)


def folders_of(pids: set[int]) -> list[Path]:
    return [path for pid in pids for path in Path(tempfile.gettempdir()).glob(f"passnet-run-{pid}-*")]


def test_kill_in_mid_run_leaves_nothing(own_daemon):
    own_daemon.wait_until("ready")
    run = Endless(own_daemon.client)
    pids = own_daemon.processes()
    own_daemon.stop(signal.SIGKILL)
    wait_for(lambda: not alive(pids))
    assert isinstance(run.join(), EOFError)
    assert len(folders_of(pids)) == 1  # it is left, and the next to warm up takes it away
    sweep()
    assert not folders_of(pids)


def test_a_warm_process_that_dies_is_replaced(own_daemon):
    own_daemon.wait_until("ready")
    run = Endless(own_daemon.client)
    pids = own_daemon.processes()
    os.kill(min(pids), signal.SIGKILL)  # the first child of the front
    assert isinstance(run.join(), EOFError)
    wait_for(lambda: not alive(pids))
    assert "SIGKILL" in own_daemon.wait_until("warming")["message"]
    own_daemon.wait_until("ready")
    assert words(only(own_daemon.judge(job()))) == ("correct", None)


def test_a_second_daemon_on_the_same_socket_is_refused(daemon):
    command = [sys.executable, *SERVE, str(daemon.socket)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **PYTHON_PATH}, timeout=60)
    assert done.returncode == 3 and "already listening" in done.stderr
    assert daemon.client.hello()["status"] == "ready"


def test_a_socket_file_without_a_daemon_is_replaced(tmp_path):
    from evaluator.runner.daemon import listen

    path = Path(os.path.relpath(tmp_path / "s"))  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(path))
    with listen(path):
        assert path.is_socket()


def test_nobody_listens(tmp_path):
    with pytest.raises(OSError):
        DaemonClient(tmp_path / "nothing.sock").hello()


@pytest.mark.parametrize(
    "module", ["evaluator.runner.client", "evaluator.runner.daemon", "evaluator.cli", "evaluator.job"]
)
def test_what_the_web_side_imports_is_light(module):
    code = f"import sys, {module}; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env={**os.environ, **PYTHON_PATH}, timeout=60).returncode == 0
