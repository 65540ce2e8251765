"""One batch of `dataset measure`: several processes prepare it at the same time, and then time it one after another."""

import os
import select
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dataset import measure_child
from dataset.measure_child import READY, TIMED
from evaluator.runner import processes
from evaluator.runner.processes import Process
from graphs.samples import Sample

_PREPARING, _WAITING = 0.4, 0.2  # of the time that is left: for preparing, and for a graph that is at work then


@dataclass
class _Worker:
    """A process with its share of the batch. `data` came out of its pipe, `ended`: nothing more will come."""

    places: list[int]  # in the batch
    process: Process
    reader: int
    go: int
    data: bytearray = field(default_factory=bytearray)
    ended: bool = False

    def has(self, word: bytes) -> bool:
        return word in self.data


def measure_round(
    batch: Sequence[Sample], workers: int, folder: Path, device: str, *, graph_seconds: float, deadline: float
) -> dict[int, str]:
    """JSON lists of lines by place in the batch, or NOT_READY; a place is missing where its process died or hung.

    `deadline` is one of time.monotonic. Preparing ends after `graph_seconds`, or when a good part of the time that is
    left is gone: what was not begun by then is NOT_READY, and a process that hangs is left out with all that it has.
    """
    before = frozenset(processes.descendants(os.getpid()))
    now = time.monotonic()
    until = now + min(graph_seconds, _PREPARING * (deadline - now))
    running = _started(batch, min(workers, len(batch)), folder, device, until)
    found: dict[int, str] = {}
    try:
        _listen(running, lambda one: one.has(READY), until + min(graph_seconds, _WAITING * (deadline - now)))
        for worker in running:
            if worker.has(READY) and time.monotonic() < deadline:
                os.write(worker.go, b"g")
                end = min(deadline, time.monotonic() + graph_seconds * len(worker.places))
                _listen([worker], lambda one: one.has(TIMED), end)
                if not worker.has(TIMED):
                    worker.process.kill()
            else:
                worker.process.kill()
        _listen(running, lambda one: one.ended, time.monotonic() + graph_seconds)
        for worker in running:
            _, _, lines = bytes(worker.data).partition(TIMED)
            found |= dict(zip(worker.places, lines.decode().split("\n")[:-1], strict=False))
    finally:
        for worker in running:
            worker.process.kill()
            worker.process.wait()
            os.close(worker.reader)
            os.close(worker.go)
        processes.kill_descendants(before)
    return found


def _started(batch: Sequence[Sample], count: int, folder: Path, device: str, until: float) -> list[_Worker]:
    """Each gets every `count`-th graph: neighbours are alike, and what one compiled is in the cache for the next."""
    running = []
    for number in range(count):
        places = list(range(number, len(batch), count))
        (reader, writer), (turn, go) = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
        mine = [batch[place] for place in places]
        work = partial(measure_child.measure_in_turn, mine, writer, turn, until, folder, device)
        process = processes.start(work, keep=[writer, turn], stdio=(None, 2, 2))
        os.close(writer)
        os.close(turn)
        running.append(_Worker(places, process, reader, go))
    return running


def _listen(workers: Sequence[_Worker], enough: Callable[[_Worker], bool], end: float) -> None:
    """Read what they say until all have said enough, or ended, or the time is up."""
    while waiting := [one for one in workers if not one.ended and not enough(one)]:
        ready, _, _ = select.select([one.reader for one in waiting], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return
        for worker in _of(waiting, ready):
            read = os.read(worker.reader, 1 << 16)
            worker.data += read
            worker.ended = not read


def _of(workers: Sequence[_Worker], readers: Sequence[int]) -> Iterator[_Worker]:
    return (worker for worker in workers if worker.reader in readers)
