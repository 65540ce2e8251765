"""The supervisor itself: start in order, wait until all answer, keep alive, stop in order."""

import contextlib
import http.client
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from passnet_web.supervisor.checks import CannotStart
from passnet_web.supervisor.children import Child, Spec
from passnet_web.supervisor.terminal import Terminal

TICK = 0.05  # seconds between two looks at the children
START_SECONDS = 60.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GIVE_UP_AFTER = 3  # deaths of a child before it has answered once


class Supervisor:
    """Holds the children. Signals ask it to stop; a second one makes it hurry."""

    def __init__(self, folder: Path, logs: Path) -> None:
        self._folder = folder
        self._logs = logs
        self._children: list[Child] = []
        self._asked_to_stop = 0
        self._terminal: Terminal | None = None

    def catch_signals(self) -> None:
        """From now on Ctrl-C, SIGTERM and a closed terminal stop everything in order; under nohup the last does not."""
        self._terminal = Terminal()
        for number in _SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)  # whoever started us may have held them back

    def start(self, spec: Spec) -> Child:
        """Starts a child and takes care of it from now on."""
        child = Child(spec, self._folder, self._logs, self.say)
        self._children.append(child)
        child.start()
        return child

    def wait_for(self, child: Child, answers: Callable[[], bool], seconds: float = START_SECONDS) -> bool:
        """Waits until a child answers, looking after all of them. False when we are to stop, or it took too long.

        Raises CannotStart when the child dies again and again: it will not get better by itself.
        """
        deadline = time.monotonic() + seconds
        while not self._asked_to_stop and time.monotonic() < deadline:
            if child.pid is not None and answers():
                return True
            if child.deaths >= GIVE_UP_AFTER:
                raise CannotStart(
                    f"{child.spec.name} does not start. Its log, {child.log}, ends with:\n{child.last_lines()}"
                )
            self._look()
        return False

    def keep_alive(self) -> None:
        """Restarts what dies, until somebody asks to stop."""
        while not self._asked_to_stop:
            self._look()

    @property
    def is_stopping(self) -> bool:
        """Whether somebody has asked to stop."""
        return self._asked_to_stop > 0

    def stop(self) -> None:
        """Stops the children, the last started first, so that nobody loses what it depends on."""
        for child in reversed(self._children):
            child.stop(hurry=lambda: self._asked_to_stop > 1)

    def say(self, text: str) -> None:
        """A line for whoever watches the terminal, if there is one left."""
        with contextlib.suppress(OSError):
            print(text, file=sys.stderr, flush=True)

    def _look(self) -> None:
        for child in self._children:
            child.look()
        if self._terminal is not None and not self._asked_to_stop and self._terminal.is_gone():
            self._asked_to_stop += 1
        time.sleep(TICK)

    def _on_signal(self, number: int, frame: Any) -> None:
        self._asked_to_stop += 1


def http_answers(host: str, port: int, allowed_hosts: Sequence[str]) -> bool:
    """Whether an HTTP server answers there. What it answers does not matter: a refused Host is an answer too."""
    named = next((name for name in allowed_hosts if not name.startswith((".", "*"))), "localhost")
    connection = http.client.HTTPConnection(reachable(host), port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers={"Host": named})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def reachable(host: str) -> str:
    """The address under which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
