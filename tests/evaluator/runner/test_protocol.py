import json
import os
import socket
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.runner import protocol
from evaluator.runner.protocol import Channel, Closed, ProtocolError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.fixture
def ends():
    left, right = protocol.pair()
    yield left, right
    left.close()
    right.close()


@given(message=st.dictionaries(st.text(), JSON, max_size=5))
def test_what_is_sent_is_received(message):
    left, right = protocol.pair()
    with left.sock, right.sock:
        left.send(message)
        assert right.receive(1.0) == (message, [])


def test_messages_keep_their_order_and_their_descriptors(ends, tmp_path):
    left, right = ends
    (tmp_path / "file").write_text("hello")
    with (tmp_path / "file").open() as file:
        left.send({"n": 1})
        left.send({"n": 2}, [file.fileno()])
        left.send({"n": 3})
    assert right.receive(1.0) == ({"n": 1}, [])
    message, (descriptor,) = right.receive(1.0)
    with os.fdopen(descriptor) as copy:
        assert message == {"n": 2} and copy.read() == "hello" and not os.get_inheritable(descriptor)
    assert right.receive(1.0) == ({"n": 3}, [])


def test_waiting_ends(ends):
    _, right = ends
    with pytest.raises(TimeoutError):
        right.receive(0.01)


def test_half_a_message_is_no_message(ends):
    left, right = ends
    left.sock.sendall(struct.pack("!IB", 100, 0) + b'{"a"')
    with pytest.raises(TimeoutError):
        right.receive(0.01)


def test_the_other_side_is_gone(ends):
    left, right = ends
    left.sock.sendall(struct.pack("!IB", 100, 0))
    left.close()
    with pytest.raises(Closed):
        right.receive(1.0)
    with pytest.raises(Closed):
        right.send({})


@pytest.mark.parametrize("body", [b"[1]", b"3", b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 10_000])
def test_what_is_not_an_object_is_refused(ends, body):
    left, right = ends
    left.sock.sendall(struct.pack("!IB", len(body), 0) + body)
    with pytest.raises(ProtocolError):
        right.receive(1.0)


def test_a_message_can_not_announce_more_than_the_limit(ends):
    left, right = ends
    left.sock.sendall(struct.pack("!IB", 0xFFFFFFFF, 0))
    with pytest.raises(ProtocolError, match="longer than the limit"):
        right.receive(1.0)
    with pytest.raises(ProtocolError, match="longer than the limit"):
        Channel(left.sock, max_frame_bytes=10).send({"text": "more than ten bytes"})


def test_descriptors_that_were_not_announced_are_closed(ends):
    left, right = ends
    before = len(list(Path("/proc/self/fd").iterdir()))
    body = json.dumps({}).encode()
    socket.send_fds(left.sock, [struct.pack("!IB", len(body), 0) + body], [0, 1])
    with pytest.raises(ProtocolError, match="descriptors"):
        right.receive(1.0)
    socket.send_fds(left.sock, [b"x"], [0] * 40)
    with pytest.raises(ProtocolError, match="descriptors"):
        right.receive(1.0)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_reader_that_does_not_read_can_not_hold_the_writer(ends):
    left, _ = ends
    left.limit_sends(0.05)
    with pytest.raises(Closed):
        left.send({"text": "x" * (8 << 20)})
