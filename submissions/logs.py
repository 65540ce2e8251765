"""Which run a line of the log is about."""

import contextlib
import logging
from collections.abc import Iterator
from contextvars import ContextVar

_run: ContextVar[str] = ContextVar("run", default="")


@contextlib.contextmanager
def about_run(run_id: str) -> Iterator[None]:
    """Lines that are written meanwhile, by whatever library, carry this run's id."""
    token = _run.set(run_id)
    try:
        yield
    finally:
        _run.reset(token)


class RunFilter(logging.Filter):
    """Gives each record a `run`: the id of the run that its thread is about, or nothing."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.run = getattr(record, "run", "") or _run.get()
        return True
