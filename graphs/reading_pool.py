"""Reading folders in several processes. One that dies or takes too long costs its folder, nothing else."""

import multiprocessing
import resource
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, TimeoutError
from contextlib import contextmanager
from dataclasses import replace

from pebble import ProcessExpired, ProcessPool

from graphs.folder_reading import ReadFolder, Reading, read_folder
from graphs.tree import Found

_AHEAD = 16  # folders on their way for each process: what has been read waits in memory
_MEMORY = 3 << 30  # bytes of address space of a process, beyond which it reports its folder as too large
_FOLDERS_EACH = 2_000  # then a process makes way for a fresh one

_reading: Reading | None = None  # in a reading process: what its folders have in common


@contextmanager
def read_all(found: Iterable[Found], reading: Reading, jobs: int, seconds: float) -> Iterator[Iterator[ReadFolder]]:
    """What was read of every folder, in the order of `found`; at most `seconds` for each folder.

    `jobs` processes read ahead; with none, this one reads, without a limit of time.
    """
    if jobs == 0:
        yield (read_folder(place, reading) for place in found)
        return
    pool = ProcessPool(
        max_workers=jobs,
        max_tasks=_FOLDERS_EACH,
        initializer=_prepare,
        initargs=(reading,),
        context=multiprocessing.get_context("spawn"),  # a fork would take database connections and threads along
    )
    try:
        yield _in_order(pool, found, jobs, seconds)
    finally:
        pool.stop()
        pool.join()


def _in_order(pool: ProcessPool, found: Iterable[Found], jobs: int, seconds: float) -> Iterator[ReadFolder]:
    running: deque[tuple[Found, Future[ReadFolder]]] = deque()
    for place in found:
        running.append((place, pool.schedule(_read, args=(place,), timeout=seconds)))
        if len(running) >= jobs * _AHEAD:
            yield _result(*running.popleft(), seconds)
    while running:
        yield _result(*running.popleft(), seconds)


def _result(place: Found, future: "Future[ReadFolder]", seconds: float) -> ReadFolder:
    try:
        return future.result()
    except TimeoutError:
        why = f"is not read after {seconds:g} s, and was left out; --seconds gives it longer"
    except ProcessExpired as error:
        why = f"could not be read: the process that read it died ({_end(error.exitcode)}), perhaps for want of memory"
    return ReadFolder(place.relative, failed=True, said=[f"{place.path}: {why}"])


def _end(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _prepare(reading: Reading) -> None:
    global _reading
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if most < 0 else min(_MEMORY, most), most))
    _reading = replace(reading)


def _read(place: Found) -> ReadFolder:
    assert _reading is not None
    return read_folder(place, _reading)
