"""The warm process of the daemon: imports torch once, then does nothing but fork a session for each request.

It has one thread and never runs anything of a request itself. It keeps a copy of each client's connection, so that it
can say so when a session has died.
"""

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluator.runner import linux, processes, protocol
from evaluator.runner.processes import Process
from evaluator.runner.protocol import Channel, Message

DESCRIBE_SECONDS = 60.0
_TICK = 0.02
_STOP_SECONDS = 5.0
_LANE_SECONDS = 5.0  # between two starts of the match lane
_SPARE_SECONDS = 5.0  # between two starts of the next session, should it die


@dataclass
class _Session:
    process: Process
    client: socket.socket
    fault: Callable[[str], Message]  # what the client is told when the session has died
    until: float | None  # when it is ended


def main(channel: Channel, device: str, match_socket: Path | None = None) -> None:
    """Serve the front at the other end of `channel` until it is gone or sends SIGTERM.

    `match_socket` is where the match lane listens, if there is to be one.
    """
    from evaluator.runner import warm

    try:
        warm.warm_up(device)
    except warm.CannotWarm as error:
        channel.send({"say": "failed", "message": str(error)})
        raise
    except Exception as error:
        channel.send({"say": "failed", "message": f"The evaluator can not be loaded: {type(error).__name__}: {error}"})
        raise
    channel.send({"say": "ready"})
    _Server(channel, device, match_socket).serve()


def has_spare(device: str) -> bool:
    """Whether a run finds its processes ready: where it takes them long to get so."""
    return device != "cpu"


class _Server:
    def __init__(self, channel: Channel, device: str, match_socket: Path | None) -> None:
        self.channel = channel
        self.device = device
        self.sessions: dict[int, _Session] = {}
        self.stopping = False
        self.match_socket = match_socket
        self.lane: Process | None = None
        self.lane_at = 0.0  # when it may be started again
        self.spare: tuple[Process, Channel] | None = None  # the next run's session, on a GPU
        self.spare_at = 0.0

    def serve(self) -> None:
        linux.adopt_orphans()
        signal.signal(signal.SIGTERM, self._stop)
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        while not self.stopping:
            self._keep_lane()
            self._keep_spare()
            if poll.poll(_TICK * 1000 if self.sessions else 1000):
                try:
                    self._open(*self.channel.receive())
                except protocol.Closed:
                    break
            self._watch()
        self._end()

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def _keep_lane(self) -> None:
        """Start the match lane, and start it again when it has died."""
        if self.match_socket is None or (self.lane is not None and self.lane.poll() is None):
            return
        if time.monotonic() >= self.lane_at:
            from evaluator.runner import match_lane

            self.lane_at = time.monotonic() + _LANE_SECONDS
            self.lane = processes.start(partial(match_lane.main, self.match_socket), stdio=(None, 2, None))

    def _keep_spare(self) -> None:
        """Have the next run's session ready, while there is no run: what starts on a GPU would disturb its clocks."""
        if self.spare is not None and self.spare[0].poll() is not None:
            self.spare[1].close()
            self.spare = None
            self._tidy_up()
        if not has_spare(self.device) or self.spare is not None or self.sessions or time.monotonic() < self.spare_at:
            return
        from evaluator.runner import sessions  # imports torch

        self.spare_at = time.monotonic() + _SPARE_SECONDS
        ours, theirs = protocol.pair()
        main = partial(sessions.wait, theirs, self.device)
        self.spare = processes.start(main, keep=[theirs.fileno()], stdio=(None, 2, None)), ours
        theirs.close()

    def _others(self) -> frozenset[int]:
        """What is not part of a session that has ended."""
        more = [one for one in (self.lane, self.spare and self.spare[0]) if one is not None]
        return frozenset(process.pid for process in [*(one.process for one in self.sessions.values()), *more])

    def _open(self, message: Message, descriptors: list[int]) -> None:
        from evaluator.runner import sessions  # imports torch

        client_descriptor, request_descriptor = descriptors
        client = socket.socket(fileno=client_descriptor)
        client.setblocking(False)
        if message["do"] == "run":
            fault, until = sessions.run_fault, None
            process = self._take_spare(descriptors) or self._start(sessions.run, client, request_descriptor)
        else:
            fault, until = sessions.describe_fault, time.monotonic() + DESCRIBE_SECONDS
            process = self._start(sessions.describe, client, request_descriptor)
        os.close(request_descriptor)
        self.sessions[message["number"]] = _Session(process, client, fault, until)

    def _start(self, main: Callable[[socket.socket, bytes, str], None], client: socket.socket, request: int) -> Process:
        from evaluator.runner.sessions import read_request

        work = partial(main, client, read_request(os.dup(request)), self.device)
        return processes.start(work, keep=[client.fileno()], stdio=(None, 2, None))

    def _take_spare(self, descriptors: list[int]) -> Process | None:
        """The session that has been waiting, now with a client and its request; None where there is none."""
        taken, self.spare, self.spare_at = self.spare, None, 0.0
        if taken is None:
            return None
        process, channel = taken
        with channel.sock, contextlib.suppress(protocol.Closed):
            channel.send({"do": "run"}, descriptors)
            return process
        process.kill()
        return None

    def _watch(self) -> None:
        now = time.monotonic()
        for number, session in list(self.sessions.items()):
            overdue = session.until is not None and now > session.until
            if overdue:
                session.process.kill()
            ending = session.process.wait() if overdue else session.process.poll()
            if ending is None:
                continue
            del self.sessions[number]
            self._tidy_up()
            if ending.code != 0:
                what = "it took too long" if overdue else f"its process ended with {ending}"
                with contextlib.suppress(OSError):
                    session.client.sendall(protocol.line(session.fault(what)))
            session.client.close()
            with contextlib.suppress(protocol.Closed):
                self.channel.send({"say": "ended", "number": number})

    def _tidy_up(self) -> None:
        """A session has ended, in whatever way: nothing that it has started is alive, and no folder of it is left."""
        from evaluator.runner import runner_process

        processes.kill_descendants(self._others())
        runner_process.sweep()

    def _end(self) -> None:
        lane = [self.lane] if self.lane is not None and self.lane.poll() is None else []
        for process in [*(session.process for session in self.sessions.values()), *lane]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        if self.spare is not None:
            self.spare[1].close()  # it tidies up, and ends
            lane.append(self.spare[0])
        until = time.monotonic() + _STOP_SECONDS
        while (self.sessions or any(one.poll() is None for one in lane)) and time.monotonic() < until:
            self._watch()
            time.sleep(_TICK)
        processes.kill_descendants(frozenset())
