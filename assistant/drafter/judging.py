"""A runner daemon of our own for judging drafts where there is no workbench: no Django, no queue, no database."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.job import Job
from evaluator.runner.client import DaemonClient
from graphs.samples import Sample

_WARM_SECONDS = 180.0
_CACHE = "PASSNET_EVALUATOR_CACHE"


class NoDaemon(Exception):
    """The daemon can not judge here; the text says why."""


class Judge:
    """A daemon that is ready."""

    def __init__(self, client: DaemonClient, device: str) -> None:
        self._client, self._device = client, device

    def events(
        self, files: Mapping[str, str], samples: Sequence[Sample], baselines: tuple[str, ...] = ()
    ) -> list[dict[str, Any]]:
        """The events of a run, the last one is `run_done` or `error`. Raises NoDaemon when the daemon is gone."""
        found: list[dict[str, Any]] = []
        job = Job(dict(files), tuple(samples), self._device, baselines=baselines)
        try:
            self._client.run(job, found.append)
        except (OSError, EOFError) as error:
            raise NoDaemon(f"the evaluator went away: {error}") from error
        return found


@contextlib.contextmanager
def judge_on(device: str, cache: Path | None = None) -> Iterator[Judge]:
    """Starts a daemon, waits until it is warm, and ends it. `cache`: where compiled baselines are kept; without it they
    are gone afterwards. Raises NoDaemon."""
    with tempfile.TemporaryDirectory(prefix="passnet-drafter-") as folder:
        path = Path(folder, "daemon.sock")
        environment = {**os.environ, _CACHE: str(cache or Path(folder, "seeds"))}
        command = [sys.executable, "-m", "evaluator", "serve", "--socket", str(path), "--device", device]
        root = Path(__file__).resolve().parents[2]
        process = subprocess.Popen(command, cwd=root, env=environment)
        try:
            yield Judge(_ready(DaemonClient(path), process), device)
        finally:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=30)


def _ready(client: DaemonClient, process: "subprocess.Popen[bytes]") -> DaemonClient:
    until = time.monotonic() + _WARM_SECONDS
    while process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError, EOFError):
            said = client.hello()
            if said["status"] == "ready":
                return client
            if said.get("message"):
                raise NoDaemon(f"the evaluator can not judge here: {said['message']}")
        time.sleep(0.05)
    raise NoDaemon("the evaluator did not get ready")
