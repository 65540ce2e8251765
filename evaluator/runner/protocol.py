"""Messages between the processes of a run: length-prefixed JSON over a private socket, file descriptors beside it.

Nothing is ever unpickled. A frame is `length of the JSON (4 bytes, big endian), number of descriptors (1 byte), JSON`;
descriptors travel as ancillary data of the first five bytes. What a runner sends is untrusted: frames are bounded,
every wait has an end, and whatever is not a JSON object is a `ProtocolError`.
"""

import contextlib
import json
import os
import select
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_PREFIX = struct.Struct("!IB")
_MAX_DESCRIPTORS = 4
MAX_FRAME_BYTES = 64 << 20

Message = dict[str, Any]


class Closed(Exception):
    """The other side has closed its end, or died."""


class ProtocolError(Exception):
    """The other side sent something that is not a message."""


@dataclass(frozen=True)
class Channel:
    """One end of a private stream socket. The socket stays in blocking mode; waits are bounded with `poll`."""

    sock: socket.socket
    max_frame_bytes: int = MAX_FRAME_BYTES

    def fileno(self) -> int:
        return self.sock.fileno()

    def close(self) -> None:
        self.sock.close()

    def is_readable(self) -> bool:
        """Whether something has come that was not received yet, the end of the channel included."""
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return bool(poll.poll(0))

    def limit_sends(self, seconds: float) -> None:
        """From now on a send that the other side does not take within `seconds` raises Closed."""
        whole = int(seconds)
        limit = struct.pack("@ll", whole, int((seconds - whole) * 1e6))
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Send one message; raises Closed when nobody reads any more, ProtocolError when it is too long."""
        body = json.dumps(message, separators=(",", ":")).encode()
        if len(body) > self.max_frame_bytes:
            raise ProtocolError(f"a message of {len(body)} bytes is longer than the limit of {self.max_frame_bytes}")
        prefix = _PREFIX.pack(len(body), len(descriptors))
        try:
            socket.send_fds(self.sock, [prefix], list(descriptors))
            self.sock.sendall(body)
        except (ConnectionError, BlockingIOError) as error:
            raise Closed("nobody reads this channel any more") from error

    def receive(self, timeout: float | None = None) -> tuple[Message, list[int]]:
        """The next message and its descriptors, which the caller owns.

        Raises TimeoutError when it is not complete after `timeout` seconds (None: waits for ever), Closed and
        ProtocolError.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        prefix, descriptors = self._receive_prefix(deadline)
        try:
            length, count = _PREFIX.unpack(prefix)
            if length > self.max_frame_bytes:
                raise ProtocolError(f"a message of {length} bytes is longer than the limit of {self.max_frame_bytes}")
            if count != len(descriptors):
                raise ProtocolError(f"{len(descriptors)} descriptors came with a message that announces {count}")
            message = _decode(self._receive_exactly(length, deadline))
        except BaseException:
            close_all(descriptors)
            raise
        return message, descriptors

    def _receive_prefix(self, deadline: float | None) -> tuple[bytes, list[int]]:
        self._wait(deadline)
        try:
            data, descriptors, flags, _ = socket.recv_fds(self.sock, _PREFIX.size, _MAX_DESCRIPTORS)
        except ConnectionError as error:
            raise Closed("the other side is gone") from error
        if not data:
            raise Closed("the other side is gone")
        try:
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
            if flags & socket.MSG_CTRUNC:
                raise ProtocolError("more descriptors than a message may carry")
            return data + self._receive_exactly(_PREFIX.size - len(data), deadline), descriptors
        except BaseException:
            close_all(descriptors)
            raise

    def _receive_exactly(self, length: int, deadline: float | None) -> bytes:
        data = bytearray(length)
        view = memoryview(data)
        while view:
            self._wait(deadline)
            try:
                got = self.sock.recv_into(view)
            except ConnectionError as error:
                raise Closed("the other side is gone") from error
            if not got:
                raise Closed("the other side is gone")
            view = view[got:]
        return bytes(data)

    def _wait(self, deadline: float | None) -> None:
        if deadline is None:
            return
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError("no complete message in time")


def pair() -> tuple[Channel, Channel]:
    """Two connected channels."""
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return Channel(left), Channel(right)


def from_descriptor(descriptor: int) -> Channel:
    """A channel on a socket that came over another channel; owns the descriptor from now on."""
    return Channel(socket.socket(fileno=descriptor))


def close_all(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _decode(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a message that is not JSON") from error
    if not isinstance(message, dict):
        raise ProtocolError("a message that is not an object")
    return message


def line(message: Message) -> bytes:
    """A message as the daemon's clients read it: JSON on one line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
