"""What the lanes beside the runs have in common: a socket of their own, served until they are told to stop."""

import contextlib
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from evaluator.runner.daemon import listen


class Lane(Protocol):
    def serve(self) -> None:
        """Until `stop` has been called."""
        ...

    def stop(self, *_: object) -> None: ...

    def end(self) -> None:
        """Nothing that was started is alive afterwards."""
        ...


def run(path: Path, made: Callable[[socket.socket], Lane]) -> None:
    """Serve at `path` until SIGTERM, SIGINT or SIGHUP.

    Raises AddressInUse, and OSError where the socket can not be made.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    lane = made(listen(path))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lane.stop)
    try:
        lane.serve()
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        lane.end()
