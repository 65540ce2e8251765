"""Which line of a submission was running when its time was nearly over.

A timer interrupts the submission shortly before its limit, and the stack is written into a pipe by the interrupted
thread itself, between two of Python's instructions: whoever reads the frames of a thread that runs (as
`faulthandler.dump_traceback_later` does) crashes it now and then. A call that does not come back to Python is not
named, then. The submission can write into that pipe too: of what comes out only the name of one of its own files, a
line number and a name are believed.
"""

import faulthandler
import os
import re
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from evaluator.runner.workspace import PASS_DIR

_MARGIN = 0.5  # seconds before the limit
_SHARE = 0.75  # of a limit that is too short for the margin
_MOST = 1 << 16
_FRAME = re.compile(
    rf'^  File "[^"\n]*/{PASS_DIR}/([^"\n]+)", line (\d{{1,7}}) in (\w{{1,100}}|<\w{{1,20}}>)$', re.MULTILINE
)


@contextmanager
def noted(pipe: int | None, seconds: float) -> Iterator[None]:
    """Should the block take nearly `seconds`, write where it is into `pipe`."""
    if pipe is None:
        yield
        return

    def note(*_: object) -> None:
        with suppress(OSError):  # a pipe that is full has enough in it
            faulthandler.dump_traceback(pipe, all_threads=False)

    before = signal.signal(signal.SIGALRM, note)
    signal.setitimer(signal.ITIMER_REAL, max(seconds - _MARGIN, seconds * _SHARE, 0.0))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def read(pipe: int) -> str:
    """What was written so far; `pipe` does not block."""
    text = b""
    with suppress(BlockingIOError):
        while len(text) < _MOST and (data := os.read(pipe, _MOST)):
            text += data
    return text.decode(errors="replace")


def place(text: str, files: Collection[str]) -> str | None:
    """`helper.py:16, in add_relu`: the innermost line of one of `files` in the last stack of `text`."""
    last = text.rpartition("Stack (")[2]
    found = next((match for match in _FRAME.finditer(last) if match[1] in files), None)
    return None if found is None else f"{found[1]}:{found[2]}, in {found[3]}"
