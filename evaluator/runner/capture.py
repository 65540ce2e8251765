"""What a submission prints: decoded, batched, capped, turned into `log` events. It never grows with the flood."""

import codecs
from collections.abc import Callable
from typing import Literal

from evaluator.events import Log

Stream = Literal["stdout", "stderr"]

_BATCH_CHARACTERS = 4096
_BATCH_SECONDS = 0.1


class Capture:
    """Collects the output of one run.

    `streamed_bytes` is how much of it becomes events over the whole run; `output_bytes` is how much one runner
    process may write before it is stopped (`exceeded`). What lies between is counted and thrown away.
    """

    def __init__(self, emit: Callable[[Log], None], streamed_bytes: int, output_bytes: int) -> None:
        self._emit = emit
        self._streamable = streamed_bytes
        self._limit = output_bytes
        self._written = 0
        self._truncated = False
        self._decoders = {name: _decoder() for name in ("stdout", "stderr")}
        self._waiting = {"stdout": "", "stderr": ""}
        self._since: float | None = None

    @property
    def exceeded(self) -> bool:
        return self._written > self._limit

    def new_process(self) -> None:
        """Another runner process writes from now on: it has the whole allowance again."""
        self.flush()
        self._written = 0
        self._decoders = {name: _decoder() for name in ("stdout", "stderr")}

    def feed(self, stream: Stream, data: bytes, now: float) -> None:
        self._written += len(data)
        kept = data[: self._streamable]
        self._streamable -= len(kept)
        self._waiting[stream] += self._decoders[stream].decode(kept)
        self._since = now if self._since is None else self._since
        if len(kept) < len(data) and not self._truncated:
            self._truncated = True
            self.flush()
            self._emit({"stream": stream, "text": "… the rest of the output is not shown\n", "truncated": True})
        elif len(self._waiting[stream]) >= _BATCH_CHARACTERS:
            self.flush()

    def tick(self, now: float) -> None:
        """Emit what has waited long enough."""
        if self._since is not None and now - self._since >= _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        for stream in ("stdout", "stderr"):
            text, self._waiting[stream] = self._waiting[stream], ""
            if text:
                self._emit({"stream": stream, "text": text})
        self._since = None


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")(errors="replace")
