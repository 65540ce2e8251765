"""JSON lines over a socket that never makes its owner wait: for the match lane, which looks after many at once."""

import json
import socket
from dataclasses import dataclass, field
from typing import Any

from evaluator.runner import protocol
from evaluator.runner.protocol import Closed, Message, ProtocolError

_READ_BYTES = 1 << 18


@dataclass
class Lines:
    """One end of a stream socket, which is made non-blocking.

    `max_bytes` bounds a line that comes in, and what may wait to go out: whoever does not read is cut off.
    """

    sock: socket.socket
    max_bytes: int
    _incoming: bytearray = field(default_factory=bytearray)
    _outgoing: bytearray = field(default_factory=bytearray)
    closed: bool = False

    def __post_init__(self) -> None:
        self.sock.setblocking(False)

    def fileno(self) -> int:
        return self.sock.fileno()

    @property
    def wants_to_write(self) -> bool:
        return bool(self._outgoing) and not self.closed

    def read(self) -> list[Message]:
        """The messages that have come. Raises Closed when the other side is gone, ProtocolError for nonsense."""
        try:
            data = self.sock.recv(_READ_BYTES)
        except BlockingIOError:
            return []
        except OSError as error:
            raise Closed("the other side is gone") from error
        if not data:
            raise Closed("the other side is gone")
        self._incoming += data
        if b"\n" not in data:
            if len(self._incoming) > self.max_bytes:
                raise ProtocolError("a line without an end")
            return []
        *lines, rest = self._incoming.split(b"\n")
        self._incoming = bytearray(rest)
        return [_parse(line) for line in lines]

    def put(self, message: Message) -> None:
        """Send a message, now or as soon as the other side takes it."""
        if self.closed:
            return
        self._outgoing += protocol.line(message)
        self.flush()
        if len(self._outgoing) > self.max_bytes:
            self.closed = True

    def flush(self) -> None:
        """Send what the other side takes."""
        try:
            while self._outgoing and not self.closed:
                del self._outgoing[: self.sock.send(self._outgoing)]
        except BlockingIOError:
            return
        except OSError:
            self.closed = True

    def close(self) -> None:
        self.closed = True
        self.sock.close()


def _parse(line: bytearray) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a line that is not JSON") from error
    if not isinstance(message, dict):
        raise ProtocolError("a line that is not an object")
    return message
