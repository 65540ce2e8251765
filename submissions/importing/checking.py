"""The static check of many submissions: in processes with limits, so that a text made to be hard to read costs its own
check and nothing else."""

import multiprocessing
import resource
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, TimeoutError
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pebble import ProcessExpired, ProcessPool

from submissions.importing.run_folder import Handed
from submissions.safe_json import safe_json

SECONDS = 10.0  # for one submission
_MEMORY = 1 << 30  # bytes of address space of a process
_AHEAD = 16  # submissions on their way for each process
_SUBMISSIONS_EACH = 1_000  # then a process makes way for a fresh one
_MOST_FINDINGS = 100

_SLOW = "The check took too long and was stopped. An evaluation checks again, with more time."
_DIED = "The check could not follow these files. An evaluation checks again, while they run."


@dataclass(frozen=True)
class Checked:
    """`findings` are evaluator.events.Finding; None and a `problem` where the check came to no end."""

    handed: Handed
    findings: list[dict[str, Any]] | None = field(default=None)
    problem: str = ""


@contextmanager
def check_all(handed: Iterable[Handed], jobs: int) -> Iterator[Iterator[Checked]]:
    """Each with what its check says, in the same order, from `jobs` processes."""
    pool = ProcessPool(
        max_workers=max(1, jobs),
        max_tasks=_SUBMISSIONS_EACH,
        initializer=_shut_in,
        context=multiprocessing.get_context("spawn"),  # a fork would take database connections and threads along
    )
    try:
        yield _in_order(pool, handed, max(1, jobs))
    finally:
        pool.stop()
        pool.join()


def _in_order(pool: ProcessPool, handed: Iterable[Handed], jobs: int) -> Iterator[Checked]:
    running: deque[tuple[Handed, Future[list[dict[str, Any]]]]] = deque()
    for one in handed:
        running.append((one, pool.schedule(_check, args=(one.files,), timeout=SECONDS)))
        if len(running) >= jobs * _AHEAD:
            yield _result(*running.popleft())
    while running:
        yield _result(*running.popleft())


def _result(handed: Handed, future: "Future[list[dict[str, Any]]]") -> Checked:
    try:
        return Checked(handed, safe_json(future.result())[:_MOST_FINDINGS])
    except TimeoutError:
        return Checked(handed, problem=_SLOW)
    except (ProcessExpired, MemoryError, RecursionError, ValueError, UnicodeError):
        return Checked(handed, problem=_DIED)


def _shut_in() -> None:
    for limit, value in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        _, most = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if most < 0 else min(value, most), most))


def _check(files: dict[str, str]) -> list[dict[str, Any]]:
    from evaluator.integrity.static_check import check_files

    return [dict(finding) for finding in check_files(files)]
