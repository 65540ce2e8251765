"""A cluster on this machine: the commands of docs/operations.md, with folders and names of their own."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cluster.servers import Postgres, Redis, free_port, wait_until
from tests.http_session import PASSWORD, HttpSession
from tests.up_process import environment

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "operations.md"
TASK = "masked-mean-pooling"
ENDLESS = {"Endless.py": "while True:\n    pass\n", "sorted_output_pass_rule_names.json": '["Endless"]'}


def documented(words: str, env: dict[str, str], instead: dict[str, str] | None = None) -> list[str]:
    """The command of the page that holds these words, as a shell would read it in this environment."""
    lines = [line.strip() for line in PAGE.read_text().splitlines() if line.startswith("    .venv/bin/python ")]
    (line,) = [line for line in lines if words in line]
    for name, value in env.items():
        line = line.replace(f"${name}", value)
    for old, new in (instead or {}).items():
        line = line.replace(old, new)
    return [sys.executable, *shlex.split(line)[1:]]


class Process:
    """One of the cluster's processes. Started in a session of its own, and killed with what it has started."""

    def __init__(self, command: list[str], env: dict[str, str], log: Path) -> None:
        self.command, self.env, self.log = command, env, log
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """As the kernel kills: this process alone, and nothing is tidied up."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def stop(self, seconds: float = 30) -> None:
        if self._process is not None and self.alive:
            self._process.terminate()
            self._process.wait(seconds)

    def end(self) -> None:
        """Whatever is left, and what it has left behind in its session."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._process is not None:
            self._process.wait()


class Site:
    """Two web servers, and machines with a daemon and a worker each."""

    def __init__(self, folder: Path, postgres: Postgres, redis: Redis) -> None:
        self.folder, self.postgres, self.redis = folder, postgres, redis
        self.webs: list[Process] = []
        self.ports: list[int] = []
        self.daemons: dict[str, Process] = {}
        self.workers: dict[str, Process] = {}
        self.env = environment(folder) | {
            "DATABASE_URL": postgres.url,
            "REDIS_URL": redis.url,
            "SECRET_KEY": "the-same-for-all-processes-of-this-test",
            "WORKER_DEVICES": "cpu",
            "ALLOWED_HOSTS": "127.0.0.1",
            "LOG_FORMAT": "json",
            "LANGUAGE_SOCKET": "",
        }

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def prepare(self) -> None:
        """An empty database becomes a workbench with the shipped tasks and one account."""
        for words in ("manage.py migrate", "manage.py load_catalogue"):
            self.manage(*documented(words, self.env)[2:])
        said = self.manage("add_user", "admin", "--role", "admin")
        self.password = next(word for word in said.split() if word.count("-") == 3)

    def start_web(self) -> None:
        port = free_port()
        command = documented("passnet_web.serve", self.env, {"8001": str(port)})
        self.ports.append(port)
        self.webs.append(Process(command, self.env, self.folder / f"web{len(self.webs)}.log"))

    def machine(self, name: str, **more: str) -> dict[str, str]:
        """The environment of a machine."""
        folder = self.folder / name
        (folder / "var").mkdir(parents=True, exist_ok=True)
        return {**self.env, "PASSNET_VAR": str(folder / "var"), "RUNNER_SOCKETS": str(folder), **more}

    def start_daemon(self, name: str, **more: str) -> None:
        env = self.machine(name, **more)
        secret = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL")
        env = {key: value for key, value in env.items() if key not in secret}
        self.daemons[name] = Process(documented("evaluator serve", env), env, self.folder / f"daemon-{name}.log")

    def start_worker(self, name: str, **more: str) -> None:
        env = self.machine(name, **more)
        command = documented("celery", env, {"cpu@machine": f"cpu@{name}"})
        self.workers[name] = Process(command, env, self.folder / f"worker-{name}.log")

    def wait_for_web(self, which: int) -> None:
        wait_until(lambda: self.answers(which), 90, f"web server {which}")

    def answers(self, which: int = 0) -> bool:
        try:
            return bool(HttpSession(self.url(which)).get("/healthz"))
        except (OSError, urllib.error.URLError):
            return False

    def url(self, which: int = 0) -> str:
        return f"http://127.0.0.1:{self.ports[which]}"

    def log_in(self, which: int = 0) -> HttpSession:
        session = HttpSession(self.url(which))
        session.log_in("admin", self.password)
        self.password = PASSWORD
        return session

    def end(self) -> None:
        for process in (*self.webs, *self.workers.values(), *self.daemons.values()):
            process.end()


class Person:
    """Somebody with a browser, who may ask any web server."""

    def __init__(self, site: Site) -> None:
        self.site = site
        first = site.log_in()
        self.example = first.call("GET", f"/api/tasks/{TASK}/example")["files"]
        self.sessions = [first, site.log_in(1)]

    def call(self, method: str, path: str, body: Any = None, which: int = 0) -> Any:
        return self.sessions[which].call(method, path, body)

    def ask(self, files: dict[str, str] | None = None, which: int = 0) -> str:
        wanted = {"files": files or self.example, "device": "cpu"}
        return self.call("POST", f"/api/tasks/{TASK}/runs", wanted, which)["run"]

    def row(self, run: str, which: int = 0) -> dict[str, Any]:
        return self.call("GET", f"/api/runs/{run}", which=which)

    def events(self, run: str, after: int = 0, which: int = 0) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self.call("GET", f"/api/runs/{run}/events?after={after}&limit=1000", which=which)
            found += page["events"]
            if not page["events"] or page["events"][-1]["seq"] >= page["last"]:
                return found
            after = page["events"][-1]["seq"]

    def wait_for(self, run: str, *states: str, seconds: float = 120, which: int = 0) -> dict[str, Any]:
        """Its row once it is in one of these states. Web servers and database may be away for a while."""
        return patiently(lambda: self._in(run, states, which), seconds, f"run {run} {' or '.join(states)}")

    def _in(self, run: str, states: tuple[str, ...], which: int) -> dict[str, Any] | None:
        row = self.row(run, which)
        return row if row["state"] in states else None


def patiently(ask: Callable[[], Any], seconds: float, what: str) -> Any:
    """What `ask` says once it says anything; failures on the way are waited for."""
    deadline = time.monotonic() + seconds
    last: object = None
    while time.monotonic() < deadline:
        try:
            last = said = ask()
            if said:
                return said
        except (OSError, json.JSONDecodeError) as error:
            last = error
        time.sleep(0.2)
    raise AssertionError(f"not in {seconds:g} s: {what}; the last word was {last}")


def numbered(events: list[dict[str, Any]]) -> bool:
    """Nothing is missing and nothing there twice."""
    return [event["seq"] for event in events] == list(range(1, len(events) + 1))


def states(events: list[dict[str, Any]]) -> list[str]:
    said = [event["payload"]["state"] for event in events if event["kind"] == "state"]
    return [state for at, state in enumerate(said) if at == 0 or said[at - 1] != state]
