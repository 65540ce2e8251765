from hypothesis import given
from hypothesis import strategies as st

from evaluator.runner.capture import Capture


def collected(streamed_bytes=1000, output_bytes=5000):
    logs = []
    return logs, Capture(logs.append, streamed_bytes, output_bytes)


def text_of(logs):
    return "".join(log["text"] for log in logs if not log.get("truncated"))


def test_output_is_batched():
    logs, capture = collected()
    for _ in range(5):
        capture.feed("stdout", b"line\n", now=10.0)
    capture.tick(now=10.05)
    assert logs == []
    capture.tick(now=10.2)
    assert logs == [{"stream": "stdout", "text": "line\n" * 5}]


def test_streams_are_kept_apart():
    logs, capture = collected()
    capture.feed("stdout", b"out", now=0)
    capture.feed("stderr", b"err", now=0)
    capture.flush()
    assert logs == [{"stream": "stdout", "text": "out"}, {"stream": "stderr", "text": "err"}]


@given(text=st.text(max_size=50), cut=st.integers(0, 200))
def test_a_character_that_is_cut_in_two_stays_whole(text, cut):
    logs, capture = collected()
    data = text.encode()
    capture.feed("stdout", data[:cut], now=0)
    capture.feed("stdout", data[cut:], now=0)
    capture.flush()
    assert text_of(logs) == text


def test_bytes_that_are_no_text_are_shown_as_such():
    logs, capture = collected()
    capture.feed("stdout", b"a\xff\xfeb", now=0)
    capture.flush()
    assert text_of(logs) == "a��b"


def test_the_flood_is_cut_said_once_and_counted():
    logs, capture = collected(streamed_bytes=10, output_bytes=100)
    capture.feed("stdout", b"0123456789abc", now=0)
    assert [log.get("truncated") for log in logs] == [None, True]
    assert logs[0]["text"] == "0123456789"
    for _ in range(10):
        capture.feed("stderr", b"x" * 10, now=0)
        capture.flush()
    assert len(logs) == 2
    assert capture.exceeded


def test_the_next_process_may_write_again_but_no_more_is_shown():
    logs, capture = collected(streamed_bytes=4, output_bytes=10)
    capture.feed("stdout", b"x" * 11, now=0)
    assert capture.exceeded
    capture.new_process()
    assert not capture.exceeded
    shown = len(logs)
    capture.feed("stdout", b"more", now=0)
    capture.flush()
    assert len(logs) == shown


def test_what_is_not_shown_is_kept_as_it_was_printed_and_its_own_cut_is_said_once():
    kept = []
    logs = []
    capture = Capture(logs.append, 4, 1000, kept.append, kept_bytes=8)
    capture.feed("stdout", "abcé".encode(), now=0)  # 5 bytes: the log ends in the middle of the last character
    capture.feed("stderr", b"1234567", now=0)
    capture.flush()
    assert text_of(logs) == "abc" and logs[-1]["text"] == "… the rest is in the file of the run's output\n"
    assert "".join(piece["text"] for piece in kept) == "é1234567"
    for _ in range(2):
        capture.feed("stdout", b"more", now=0)
    capture.flush()
    cut = "\n… cut here: of a run's output 8 bytes are kept beyond what its log shows\n"
    assert "".join(piece["text"] for piece in kept) == "é1234567" + cut


def test_a_flood_is_handed_over_in_large_pieces():
    kept = []
    capture = Capture(lambda _: None, 0, 1 << 30, kept.append, kept_bytes=1 << 20)
    for _ in range(1024):
        capture.feed("stdout", b"x" * 1024, now=0)
    capture.flush()
    assert [len(piece["text"]) for piece in kept] == [1 << 18] * 4
