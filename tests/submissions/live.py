"""Processes of a running workbench, on the test's own database, Redis and sockets."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from small_daemon import wait_until


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def database_url(settings: dict[str, Any]) -> str:
    """The test's database as an address: SQLite, or the Postgres that DATABASE_URL had named."""
    if "sqlite" in settings["ENGINE"]:
        return f"sqlite:///{settings['NAME']}"
    return "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format_map(settings)


def environment(database: dict[str, Any], redis_url: str, sockets: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": database_url(database),
        "REDIS_URL": redis_url,
        "RUNNER_SOCKETS": str(sockets),
        "WORKER_DEVICES": "cpu",
        "ALLOWED_HOSTS": "127.0.0.1",
    }


class Process:
    def __init__(self, arguments: list[str], env: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *arguments], env=env, stdout=output, stderr=output, start_new_session=True
            )

    def kill(self) -> None:
        """As the kernel kills: nothing is tidied up."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    @property
    def alive(self) -> bool:
        return self._process.poll() is None


class Web(Process):
    """The web server. `port` is where it listens; `token` and `cookie` are an author's."""

    def __init__(self, env: dict[str, str], log: Path, token: str, cookie: str) -> None:
        self.port = free_port()
        self.token, self.cookie = token, cookie
        super().__init__(["passnet_web.serve", "-v", "0", "-p", str(self.port)], env, log)
        wait_until(self._answers)

    def _answers(self) -> bool:
        assert self.alive, self.log.read_text()
        try:
            return self.call("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            headers = {"Authorization": f"Bearer {self.token}"}
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def socket(self, run_id: str) -> str:
        return f"ws://127.0.0.1:{self.port}/ws/runs/{run_id}"


class Worker(Process):
    """A Celery worker for the CPU."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        options = ["-Q", "device.cpu", "-n", "cpu@%h", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
        super().__init__(["celery", "-A", "passnet_web", "worker", *options], env, log)
