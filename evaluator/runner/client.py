"""Talking to a runner daemon. Pure Python: the web side imports this and never torch."""

import json
import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evaluator.job import Job
from graphs.samples import Sample, sample_to_json

Event = dict[str, Any]

_ASK_SECONDS = 0.25  # between two questions to `cancelled`
_MAX_LINE_BYTES = 128 << 20


class DaemonClient:
    """Client of the daemon that listens at `path`. Each call opens a connection of its own; closing it ends the run.

    Every call raises OSError when nobody listens there, EOFError when the daemon goes away before it has answered,
    TimeoutError (an OSError) when it takes too long, and ValueError when it answers with something else than JSON.
    """

    def __init__(self, path: Path | str, timeout: float = 10.0) -> None:
        self.path = str(path)
        self.timeout = timeout

    def hello(self) -> Event:
        """`{"status": "warming"|"ready"|"busy"|"refused", "device", "versions", "isolation", "current_run"}`

        "refused": submissions can not be shut in here, and nobody asked to do without; `message` says how.
        """
        return self._ask({"op": "hello"}, self.timeout)

    def run(self, job: Job, on_event: Callable[[Event], None], cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Have `job` judged; `on_event` gets each event in order, on this thread.

        True when the last one was `run_done`, `busy` or `error`; False when `cancelled` ended it. Whatever
        `on_event` raises ends the run too.
        """
        with self._connect() as sock:
            _send(sock, {"op": "run", "job": job.to_json()})
            for line in _lines(sock, cancelled=cancelled):
                event = _parse(line)
                on_event(event)
                if event.get("event") in ("run_done", "busy", "error"):
                    return True
        return False

    def describe(self, sample: Sample, timeout: float = 60.0) -> Event:
        """Shapes and dtypes of a graph's nodes: `{"nodes": {name: NodeInfo}}`, or `{"error": why}`."""
        return self._ask({"op": "describe", "sample": sample_to_json(sample)}, timeout)

    def _ask(self, request: Event, timeout: float) -> Event:
        with self._connect() as sock:
            _send(sock, request)
            return _parse(next(_lines(sock, until=time.monotonic() + timeout)))

    def _connect(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.settimeout(self.timeout)
            sock.connect(self.path)
        except BaseException:
            sock.close()
            raise
        return sock


def _send(sock: socket.socket, request: Event) -> None:
    sock.sendall(json.dumps(request).encode() + b"\n")


def _lines(
    sock: socket.socket, *, until: float | None = None, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """Lines as they come. Ends early when `cancelled`; raises EOFError, and TimeoutError after `until` (monotonic)."""
    pending = bytearray()
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    while True:
        if cancelled():
            return
        wait = _ASK_SECONDS if until is None else max(0.0, until - time.monotonic())
        if not poll.poll(wait * 1000):
            if until is not None:
                raise TimeoutError("the runner daemon did not answer in time")
            continue
        data = sock.recv(1 << 16)
        if not data:
            raise EOFError("the runner daemon closed the connection")
        pending += data
        if len(pending) > _MAX_LINE_BYTES:
            raise ValueError("the runner daemon sent a line without an end")
        *lines, rest = pending.split(b"\n")
        for line in lines:
            yield bytes(line)
        pending = bytearray(rest)


def _parse(line: bytes) -> Event:
    event = json.loads(line)
    if not isinstance(event, dict):
        raise ValueError("the runner daemon sent something that is not an object")
    return event
