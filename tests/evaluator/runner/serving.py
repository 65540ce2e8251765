"""`python -m evaluator serve` as a child of the tests."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluator.runner.client import DaemonClient
from evaluator.runner.processes import descendants

SERVE = ("-m", "evaluator", "serve", "--device", "cpu", "--socket")
UNCHECKED = (str(Path(__file__).with_name("unchecked_daemon.py")),)
BARE = (*UNCHECKED, "--bare")
GUARDED = (*UNCHECKED, "--guarded")
PYTHON_PATH = {"PYTHONPATH": str(Path(__file__).parents[3])}


class RunningDaemon:
    """`python -m evaluator serve` as a child of the tests."""

    def __init__(self, socket: Path, command: Sequence[str] = SERVE) -> None:
        self.socket = socket
        self.client = DaemonClient(socket)
        self.log = socket.with_suffix(".log")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *command, str(socket)], stdout=log, stderr=log, env={**os.environ, **PYTHON_PATH}
            )

    def wait_until(self, status: str, seconds: float = 90.0) -> dict:
        end = time.monotonic() + seconds
        said: dict = {}
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log.read_text()
            try:
                said = self.client.hello()
            except OSError:
                said = {}
            if said.get("status") == status:
                return said
            time.sleep(0.02)
        raise AssertionError(f"never {status}, but {said}; its log: {self.log.read_text()}")

    def judge(self, job) -> list[dict]:
        events: list[dict] = []
        assert self.client.run(job, events.append)
        return events

    def processes(self) -> set[int]:
        """All processes below the daemon."""
        return set(descendants(self.process.pid))

    def stop(self, number: int = signal.SIGTERM, seconds: float = 20.0) -> int:
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        return self.process.wait(seconds)


def serving(command: Sequence[str]) -> Iterator[RunningDaemon]:
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        running = RunningDaemon(Path(folder) / "d.sock", command)
        try:
            running.wait_until("ready")
            yield running
        finally:
            running.stop()
