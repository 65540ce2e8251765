"""A daemon on a real unix socket that says what a test wants: states that otherwise take luck to reach."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits for something that is bound to happen; the time only bounds a failing test."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


VERSIONS = {"python": "3.11", "torch": "2.13.0", "harness": "test"}


class Connection:
    """One client: what it asked, and ways to answer."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._file = sock.makefile("rb")

    def read(self) -> dict[str, Any] | None:
        line = self._file.readline()
        return json.loads(line) if line else None

    def say(self, event: str, **payload: Any) -> None:
        self._sock.sendall(json.dumps({"event": event, **payload}).encode() + b"\n")

    def answer(self, value: dict[str, Any]) -> None:
        self._sock.sendall(json.dumps(value).encode() + b"\n")

    def wait_for_close(self) -> bool:
        """True when the client has gone."""
        self._sock.settimeout(20)
        try:
            return self._file.read(1) == b""
        except TimeoutError:
            return False

    def close(self) -> None:
        """Both ends see it, whoever still holds a reference."""
        self._sock.shutdown(socket.SHUT_RDWR)


class SmallDaemon:
    """`judge(connection, job)` plays a run; `status` is what hello says; `describe(sample)` answers describe."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.status = "ready"
        self.isolation = "namespaces"
        self.message: str | None = None
        self.judge: Callable[[Connection, dict[str, Any]], None] = judge_well
        self.describe: Callable[[dict[str, Any]], dict[str, Any]] = lambda sample: {"error": "not asked for"}
        self.jobs: list[dict[str, Any]] = []
        self.hellos = 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[sock], daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            connection = Connection(sock)
            request = connection.read()
            if request is None:
                return
            with contextlib.suppress(OSError):  # the client has gone
                self._obey(connection, request)

    def _obey(self, connection: Connection, request: dict[str, Any]) -> None:
        if request["op"] == "hello":
            self.hellos += 1
            connection.answer(
                {
                    "status": self.status,
                    "device": "cpu",
                    "versions": VERSIONS,
                    "isolation": self.isolation,
                    "current_run": None,
                    "message": self.message,
                }
            )
        elif request["op"] == "describe":
            connection.answer(self.describe(request["sample"]))
        else:
            self.jobs.append(request["job"])
            self.judge(connection, request["job"])


def graph_result(status: str = "correct", first_t: int | None = -6) -> dict[str, Any]:
    return {
        "matches": 1,
        "status": status,
        "reason": None,
        "mismatch": None,
        "first_t": first_t,
        "launches": {"eager": 3, "candidate": 1},
        "speedup": None,
        "message": None,
    }


def run_done(graphs: dict[str, Any]) -> dict[str, Any]:
    return {
        "verdict": "clean",
        "graphs": graphs,
        "findings": [],
        "es_t": None,
        "aggregate_score": None,
        "device": "cpu",
        "versions": VERSIONS,
        "seconds": 0.1,
    }


def start(connection: Connection, job: dict[str, Any]) -> list[str]:
    names = [graph["name"] for graph in job["graphs"]]
    connection.say(
        "run_started",
        isolation="namespaces",
        device="cpu",
        profile="precise",
        versions=VERSIONS,
        graphs=names,
        limits={},
    )
    return names


def judge_well(connection: Connection, job: dict[str, Any]) -> None:
    """Every graph is correct."""
    names = start(connection, job)
    for index, name in enumerate(names):
        connection.say("graph_started", graph=name, index=index, total=len(names))
        connection.say("graph_done", graph=name, seconds=0.01, **graph_result())
    connection.say("run_done", **run_done({name: graph_result() for name in names}))
