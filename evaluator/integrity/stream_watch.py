"""Sees kernels that a launcher puts on a CUDA stream of its own, and whether anybody waits.

A stream's work is unordered to the caller's unless one waits for the other, which no result shows: small kernels are
done before anybody looks. So the watch makes streams slow. Behind each launch on another stream it puts a delay of
10 ms: a caller's stream that is idle before the other one is does not wait for it. And once a launcher is known to use
another stream, the caller's begins with such a delay: a stream that goes on meanwhile does not wait for its inputs.

For calls that are watched closely only; nothing is delayed where every launch is on the caller's stream.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from evaluator.events import Finding
from evaluator.integrity.probes import found
from evaluator.verdicts import FindingClass, Severity

# As they are before a submission is loaded.
_Event, _current_stream, _sleep = torch.cuda.Event, torch.cuda.current_stream, torch.cuda._sleep

_CYCLES = 20_000_000  # of a device at 2 GHz: 10 ms
_PATIENCE = 0.002  # seconds in which a stream without work reaches an event
_MOST = 8  # delays in one call


class StreamWatch:
    """One for all calls of a process. `findings` are those of the last call."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._seen_elsewhere = False
        self._callers: torch.cuda.Stream | None = None
        self._begun: torch.cuda.Event | None = None  # on the caller's stream, behind the delay
        self._pending: list[torch.cuda.Event] = []  # on other streams, behind theirs

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Around one call of a launcher, on the stream that is current then."""
        self.findings, self._pending, self._begun = [], [], None
        self._callers = callers = _current_stream()
        if self._seen_elsewhere:
            _sleep(_CYCLES)
            self._begun = _recorded(callers)
        yield
        if _current_stream() != callers:
            self._say("the call left another stream as the current one")
        if self._pending:
            _recorded(callers).synchronize()
            if not all(event.query() for event in self._pending):
                self._say("the caller's stream does not wait for a stream that the launcher put work on")

    def before_launch(self) -> None:
        """Before a kernel is put on the current stream."""
        other, callers = _current_stream(), self._callers
        if other == callers or callers is None:
            return
        if self._begun is not None and not self._begun.query():
            reached, until = _recorded(other), time.monotonic() + _PATIENCE
            while not reached.query() and time.monotonic() < until:
                pass
            if reached.query() and not self._begun.query():
                words = "a stream that the launcher put work on does not wait for the work before the call"
                self._say(words, Severity.SUSPICIOUS)
        other.wait_stream(callers)  # else what we fill memory with might come after what the kernel writes

    def after_launch(self) -> None:
        """After a kernel was put on the current stream."""
        other = _current_stream()
        if other != self._callers and len(self._pending) < _MOST:
            self._seen_elsewhere = True
            _sleep(_CYCLES)
            self._pending.append(_recorded(other))

    def _say(self, words: str, severity: Severity = Severity.VIOLATION) -> None:
        self.findings.append(found(FindingClass.UNSYNCED_STREAM, words, severity))


def _recorded(stream: torch.cuda.Stream) -> torch.cuda.Event:
    event = _Event()
    event.record(stream)
    return event
