"""One `manage.py up` with everything real, on a port and in a var/ folder of its own."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from tests.http_session import PASSWORD, HttpSession, first_login

ROOT = Path(__file__).parents[1]
MARK = "PASSNET_TEST_MARK"


def wait_until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Up:
    """One `manage.py up`. Every process below it carries a mark in its environment, or names its var/ folder."""

    def __init__(self, env: dict[str, str], port: int, out: Path) -> None:
        self.var = env["PASSNET_VAR"]
        self.session = HttpSession(f"http://127.0.0.1:{port}")
        self.port, self.mark, self.out, self.err = port, uuid.uuid4().hex, out, out.with_suffix(".err")
        with out.open("wb") as stdout, self.err.open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(port)],
                cwd=ROOT,
                env={**env, MARK: self.mark},
                stdout=stdout,
                stderr=stderr,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        wait_until(lambda: self.out.read_text().endswith("\n") or self.process.poll() is not None)
        assert self.process.poll() is None, self.err.read_text()

    def get(self, path: str) -> str:
        return self.session.get(path)

    def call(self, method: str, path: str, body: object = None) -> dict:
        return self.session.call(method, path, body)

    def log_in(self) -> None:
        """With the one-time password at the first start in this var/, else with the one that was chosen then."""
        lines = self.out.read_text()
        name, password = first_login(lines) if lines.count("\n") > 1 else ("admin", PASSWORD)
        self.session.log_in(name, password)

    def ask(self, files: dict[str, str]) -> str:
        return self.call("POST", "/api/tasks/masked-mean-pooling/runs", {"files": files, "device": "cpu"})["run"]

    def wait_for_state(self, run: str, state: str) -> None:
        wait_until(lambda: self.call("GET", f"/api/runs/{run}")["state"] == state)

    def answers(self) -> bool:
        try:
            return bool(self.get("/healthz"))
        except OSError:
            return False

    def processes(self) -> dict[int, str]:
        """Everything that belongs to it and is alive: process id → command line."""
        found = {}
        wanted = f"{MARK}={self.mark}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                zombie = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                marked = wanted in (folder / "environ").read_bytes().split(b"\0")
                if not zombie and (marked or self.var in command):  # Redis writes its title over its environment
                    found[int(folder.name)] = command
            except OSError:
                continue
        return found

    def child(self, words: str) -> int:
        return next(pid for pid, command in self.processes().items() if words in command)

    def kill_all(self) -> bool:
        """Whether there was anything to kill."""
        left = self.processes()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(left)

    def replaced(self, words: str, before: int) -> bool:
        return any(words in command and pid != before for pid, command in self.processes().items())


def environment(folder: Path) -> dict[str, str]:
    """An environment with a var/ folder of its own and a front end as far as the server needs one."""
    dist = folder / "dist"
    (dist / "assets").mkdir(parents=True)
    entries = {}
    for name in ("catalogue", "workbench"):
        (dist / "assets" / f"{name}-1a2b3c4d.js").write_text("export {};\n" * 50)
        source = f"static/src/{name}.tsx"
        entries[source] = {"file": f"assets/{name}-1a2b3c4d.js", "src": source, "isEntry": True}
    (dist / "manifest.json").write_text(json.dumps(entries))
    places = {"PASSNET_VAR": folder / "var", "FRONTEND_DIST": dist, "STATIC_ROOT": folder / "collected"}
    keep = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return {**keep, **{name: str(path) for name, path in places.items()}}
