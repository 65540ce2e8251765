"""The runner daemon of one device: a unix socket in front, a warm process behind it.

    front (no torch)  --fork-->  warm (torch, one thread)  --fork per request-->  supervisor  --fork-->  judge, runner

The front answers `hello` at once, also while torch is being imported, and lets one run in at a time. The warm process
only forks; a run's supervisor gets the client's own connection, writes the events into it and ends when it is closed.
So nothing that happens in a run can harm the daemon, and should the warm process die all the same, it is replaced.

Each request is one line of JSON: `{"op": "hello"}`, `{"op": "run", "job": {…}}`, `{"op": "describe", "sample": {…}}`.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.runner import isolation, linux, processes, protocol, warm_server
from evaluator.runner.processes import Process
from evaluator.runner.protocol import Channel
from evaluator.runner.versions import versions

MAX_REQUEST_BYTES = 128 << 20
REQUEST_SECONDS = 30.0  # to send a request
PATIENCE_SECONDS = 2.0  # a run has said its last word before the GPU has let go of its processes
STOP_SECONDS = 8.0
RESTART_SECONDS = 5.0  # between two tries to warm up
_TICK, _BUSY_TICK = 0.5, 0.1


class AddressInUse(Exception):
    """Another daemon answers on this socket."""


def serve(path: Path, device: str, ready: Callable[[], None] = lambda: None, match_socket: Path | None = None) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit status. Nothing that was started is alive afterwards.

    With `match_socket` patterns are matched there while they are typed (`match_lane`).
    Raises AddressInUse, and OSError where the socket can not be made.
    """
    listener = listen(path)
    front = _Front(listener, device, match_socket)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, front.stop)
    try:
        ready()
        front.serve()
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        listener.close()
        front.end()
    return 0


def listen(path: Path) -> socket.socket:
    """A listening socket that only this user can reach; a socket file that nobody listens on is replaced."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
        probe.connect(str(path))
        raise AddressInUse(f"a daemon is already listening on {path}")
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    listener.listen(64)
    listener.setblocking(False)
    return listener


@dataclass
class _Client:
    """A connection whose request is still on its way."""

    sock: socket.socket
    until: float
    request: bytearray = field(default_factory=bytearray)
    patience: float = 0.0  # until when it waits for the run before it to be gone


class _Front:
    def __init__(self, listener: socket.socket, device: str, match_socket: Path | None = None) -> None:
        self.device = device
        self.match_socket = match_socket
        self.listener = listener
        self.selector = selectors.DefaultSelector()
        self.selector.register(listener, selectors.EVENT_READ, self._accept)
        self.clients: dict[int, _Client] = {}
        self.status = "warming"  # "warming" | "ready" | "failed"
        self.message: str | None = None
        self.running: dict[int, str] = {}  # number of a session → its run's id; at most one
        self.number = 0
        self.stopping = False
        self.warm: Process | None = None
        self.channel: Channel | None = None
        self.warmed_at = 0.0

    def stop(self, *_: object) -> None:
        self.stopping = True

    def serve(self) -> None:
        linux.adopt_orphans()
        self._warm_up()
        while not self.stopping:
            for key, _ in self.selector.select(_TICK if not self.running else _BUSY_TICK):
                key.data()
            now = time.monotonic()
            if any(0 < client.patience < now for client in self.clients.values()):
                self._answer_waiting()
            for client in [one for one in self.clients.values() if one.until < now]:
                self._drop(client)
            if self.warm is None and now - self.warmed_at > RESTART_SECONDS:
                self._warm_up()

    def end(self) -> None:
        """End the warm process and, whatever it does, everything below it."""
        if self.warm is not None:
            os.kill(self.warm.pid, signal.SIGTERM)
            until = time.monotonic() + STOP_SECONDS
            while self.warm.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            self.warm.kill()
            self.warm.wait()
        processes.kill_descendants(frozenset())

    # The warm process.

    def _warm_up(self) -> None:
        ours, theirs = protocol.pair()
        main = partial(warm_server.main, theirs, self.device, self.match_socket)
        self.warm = processes.start(main, keep=[theirs.fileno()])
        theirs.close()
        self.channel = ours
        self.warmed_at = time.monotonic()
        self.status = "warming"
        self.selector.register(ours, selectors.EVENT_READ, self._hear)

    def _hear(self) -> None:
        assert self.channel is not None
        try:
            message, _ = self.channel.receive()
        except (protocol.Closed, protocol.ProtocolError):
            self._warm_process_died()
            return
        match message["say"]:
            case "ready":
                self.status, self.message = "ready", None
            case "failed":
                self.message = message["message"]
            case "ended":
                self.running.pop(message["number"], None)
                self._answer_waiting()

    def _warm_process_died(self) -> None:
        """It is started anew; connections of runs that it held are closed by its end."""
        assert self.channel is not None and self.warm is not None
        self.selector.unregister(self.channel)
        self.channel.close()
        self.warm.kill()
        ending = self.warm.wait()
        processes.kill_descendants(frozenset())
        self.warm = self.channel = None
        self.running.clear()
        self.status = "warming"
        self.message = self.message or f"the warm process ended with {ending}; it is started again"

    # Clients.

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self.listener.accept()
            sock.setblocking(False)
            client = _Client(sock, time.monotonic() + REQUEST_SECONDS)
            self.clients[sock.fileno()] = client
            self.selector.register(sock, selectors.EVENT_READ, partial(self._read, client))

    def _read(self, client: _Client) -> None:
        try:
            data = client.sock.recv(1 << 20)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        client.request += data
        if b"\n" in data:
            client.patience = time.monotonic() + PATIENCE_SECONDS
            self._answer(client)
        elif not data or len(client.request) > MAX_REQUEST_BYTES:
            self._drop(client)

    def _answer(self, client: _Client) -> None:
        line = bytes(client.request).partition(b"\n")[0]
        try:
            request = json.loads(line)
            operation = request["op"]
        except (ValueError, KeyError, TypeError, RecursionError):
            operation = None
        match operation:
            case "hello":
                self._say(client, self.hello())
            case "run" if (refusal := isolation.refusal()) is not None:
                self._say(client, {"event": "error", "message": refusal})
            case "run" if self.running and time.monotonic() < client.patience:
                return  # the run before has said its last word, most likely, and is about to be gone
            case "run" if self.running:
                self._say(client, {"event": "busy"})
            case "run":
                job = request.get("job")
                run_id = job.get("run_id") if isinstance(job, dict) else None
                self._hand_over(client, "run", line, str(run_id or ""))
            case "describe":
                self._hand_over(client, "describe", line, None)
            case _:
                self._say(client, {"event": "error", "error": "unknown request", "message": "unknown request"})
        self._drop(client)

    def _answer_waiting(self) -> None:
        for client in [one for one in self.clients.values() if one.patience]:
            self._answer(client)

    def hello(self) -> dict[str, Any]:
        refusal = isolation.refusal()
        status = "busy" if self.running else self.status
        return {
            "status": status if refusal is None else "refused",
            "device": self.device,
            "versions": versions(),
            "isolation": isolation.level(),
            "current_run": next(iter(self.running.values()), None),
            "message": refusal or self.message,
        }

    def _hand_over(self, client: _Client, operation: str, line: bytes, run_id: str | None) -> None:
        """Give the connection with its request to the warm process; it need not be ready yet."""
        if self.channel is None:
            self._say(client, {"event": "error", "error": "warming", "message": self.message or "warming up"})
            return
        self.number += 1
        request = os.memfd_create("request", os.MFD_CLOEXEC)
        try:
            with os.fdopen(os.dup(request), "wb") as file:
                file.write(line)
            self.channel.send({"do": operation, "number": self.number}, [client.sock.fileno(), request])
        except protocol.Closed:
            self._say(client, {"event": "error", "error": "warming", "message": "warming up"})
            return
        finally:
            os.close(request)
        if run_id is not None:
            self.running[self.number] = run_id

    def _say(self, client: _Client, answer: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            client.sock.sendall(json.dumps(answer).encode() + b"\n")

    def _drop(self, client: _Client) -> None:
        self.selector.unregister(client.sock)
        del self.clients[client.sock.fileno()]
        client.sock.close()
