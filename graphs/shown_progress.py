"""How far an import is, as a command shows it."""

import time
from collections import Counter
from typing import TextIO

from tqdm import tqdm

from graphs.plain_text import plain_line

_LINE_EVERY = 10.0  # seconds, where there is no terminal


class ShownProgress:
    """Problems and progress on standard error: a bar on a terminal, elsewhere a line now and then."""

    def __init__(self, stream: TextIO, bar: bool, unit: str = "folders") -> None:
        self._stream = stream
        self._unit = unit
        self._bar = tqdm(file=stream, unit=f" {unit}", dynamic_ncols=True, total=0) if bar else None
        self._line_at = time.monotonic() + _LINE_EVERY

    def say(self, text: str) -> None:
        """A problem, on one line: the names of files come from anyone."""
        if self._bar is None:
            self._stream.write(plain_line(text) + "\n")
        else:
            self._bar.write(plain_line(text), file=self._stream)

    def at(self, done: int, found: int, counts: Counter[str]) -> None:
        if self._bar is not None:
            self._bar.total = found
            self._bar.set_postfix(dict(counts), refresh=False)
            self._bar.update(done - self._bar.n)
        elif time.monotonic() >= self._line_at:
            self._line_at = time.monotonic() + _LINE_EVERY
            self._stream.write(f"{done:,} of {found:,} {self._unit}, {counts['failed']:,} failed\n")
            self._stream.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
