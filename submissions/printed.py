"""All that a run printed, as one text."""

import zlib
from collections.abc import Iterator

from submissions.models import Run

NOT_KEPT = "\n… cut here: the rest of this run's output is not kept (any more)\n"


def printed(run: Run) -> Iterator[str]:
    """What the log shows, then what was kept beyond it, of the last attempt. Where that is missing, it is said."""
    started = run.events.filter(kind="run_started").order_by("-seq").values_list("seq", flat=True).first() or 0
    truncated = False
    for row in run.events.filter(kind="log", seq__gt=started).order_by("seq").iterator(chunk_size=200):
        if row.payload.get("truncated"):
            truncated = True
        else:
            yield str(row.payload.get("text", ""))
    kept = False
    # By key, not with an open cursor: one would keep SQLite from writing for as long as the download takes.
    for key in list(run.outputs.filter(token=run.token).values_list("pk", flat=True)):
        text = run.outputs.filter(pk=key).values_list("text", flat=True).first()
        if text is not None:
            kept = True
            yield zlib.decompress(bytes(text)).decode()
    if truncated and not kept:
        yield NOT_KEPT
