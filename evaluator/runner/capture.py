"""What a submission prints: decoded, batched, capped, turned into `log` events. It never grows with the flood."""

import codecs
from collections.abc import Callable
from typing import Literal

from evaluator.events import Log, Output

Stream = Literal["stdout", "stderr"]

_BATCH_CHARACTERS = 4096
_BATCH_SECONDS = 0.1
_PIECE_CHARACTERS = 256 << 10  # of what is kept and not shown


class Capture:
    """Collects the output of one run.

    `streamed_bytes` is how much of it becomes `log` events over the whole run; `output_bytes` is how much one runner
    process may write before it is stopped (`exceeded`). Of what lies between, the first `kept_bytes` are handed to
    `keep` in large pieces, as they were printed; the rest is counted and thrown away.
    """

    def __init__(
        self,
        emit: Callable[[Log], None],
        streamed_bytes: int,
        output_bytes: int,
        keep: Callable[[Output], None] = lambda _: None,
        kept_bytes: int = 0,
    ) -> None:
        self._emit = emit
        self._keep = keep
        self._streamable = streamed_bytes
        self._limit = output_bytes
        self._most_kept = self._keepable = kept_bytes
        self._written = 0
        self._truncated = self._cut = False
        self._decoders = {name: _decoder() for name in ("stdout", "stderr")}
        self._waiting = {"stdout": "", "stderr": ""}
        self._kept: list[str] = []
        self._kept_characters = 0
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
        shown = data[: self._streamable]
        self._streamable -= len(shown)
        self._waiting[stream] += self._decoders[stream].decode(shown)
        self._since = now if self._since is None else self._since
        if len(shown) < len(data):
            self._go_on_unseen(stream, data[len(shown) :])
        elif len(self._waiting[stream]) >= _BATCH_CHARACTERS:
            self._flush_log()

    def tick(self, now: float) -> None:
        """Emit what has waited long enough."""
        if self._since is not None and now - self._since >= _BATCH_SECONDS:
            self._flush_log()

    def flush(self) -> None:
        """Emit, and hand over to be kept, whatever there is."""
        self._flush_log()
        self._flush_kept()

    def _go_on_unseen(self, stream: Stream, data: bytes) -> None:
        if not self._truncated:
            self._truncated = True
            self._flush_log()
            where = "is in the file of the run's output" if self._most_kept else "of the output is not shown"
            self._emit({"stream": stream, "text": f"… the rest {where}\n", "truncated": True})
        kept = data[: self._keepable]
        self._keepable -= len(kept)
        if kept:
            self._hold(self._decoders[stream].decode(kept))
        if len(kept) < len(data) and self._most_kept and not self._cut:
            self._cut = True
            self._hold(
                f"\n… cut here: of a run's output {self._most_kept:,} bytes are kept beyond what its log shows\n"
            )
            self._flush_kept()

    def _hold(self, text: str) -> None:
        self._kept.append(text)
        self._kept_characters += len(text)
        if self._kept_characters >= _PIECE_CHARACTERS:
            self._flush_kept()

    def _flush_kept(self) -> None:
        text = "".join(self._kept)
        self._kept, self._kept_characters = [], 0
        if text:
            self._keep({"text": text})

    def _flush_log(self) -> None:
        for stream in ("stdout", "stderr"):
            text, self._waiting[stream] = self._waiting[stream], ""
            if text:
                self._emit({"stream": stream, "text": text})
        self._since = None


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")(errors="replace")
