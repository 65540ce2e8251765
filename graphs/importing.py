"""Folders in the published formats become rows: one sample, one task, or a tree of both. Nothing is executed.

Finding, reading and storing overlap: one thread walks through the tree, processes read and lay out, this process alone
writes. What is stored is stored whole, in batches, so that an import can be broken off and taken up at any time.
"""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from django.db import Error, transaction

from graphs.actions import do_note_places, do_store_folders
from graphs.folder_reading import ReadFolder, Reading
from graphs.models import Folder, Task
from graphs.reading_pool import read_all
from graphs.tree import Found, find_folders

Say = Callable[[str], None]

SECONDS = 120.0  # for one folder
_BATCH = 200  # folders
_BATCH_BYTES = 8 << 20
_BATCH_SECONDS = 2.0  # the web process must not wait long for its turn to write


class Progress(Protocol):
    """What is told how far an import is."""

    def at(self, done: int, found: int, counts: Counter[str]) -> None:
        """`done` folders of `found` so far, which still grows while the tree is walked through."""


@dataclass
class Report:
    """Counts of what was looked at. A task counts once, whatever the number of its graphs."""

    counts: Counter[str] = field(default_factory=Counter)
    found: int = 0
    stopped: bool = False  # by the person; what is counted is stored

    def as_json(self) -> dict[str, int]:
        return {key: self.counts[key] for key in ("imported", "unchanged", "skipped", "failed")}


def import_tree(
    root: Path,
    say: Say,
    origin: str = "imported",
    jobs: int = 0,
    seconds: float = SECONDS,
    progress: Progress | None = None,
) -> Report:
    """Imports every task and every sample outside a task at or below `root`; says each problem as `file:line: why`.

    `jobs` processes read, each folder for at most `seconds`; with 0 this process reads, without a limit of time. What
    is stored already, by content, is not read again. KeyboardInterrupt ends it between two batches.
    """
    known = frozenset(Folder.objects.filter(task__origin=origin).values_list("digest", flat=True))
    reading = Reading(root, origin, known)
    walk = _Walk(root, say)
    importing = _Importing(root, origin, say, walk, progress)
    try:
        with read_all(walk, reading, jobs, seconds) as folders:
            for folder in folders:
                importing.take(folder)
            importing.store()
    except KeyboardInterrupt:
        importing.report.stopped = True
    finally:
        walk.stop()
    report = importing.report
    report.found = walk.found
    if not walk.found and not report.stopped:
        say(f"{root}: holds no task (graph_list.txt) and no sample (model.py with weight_meta.py)")
        report.counts["skipped"] += 1
    return report


class _Walk:
    """The folders of a tree, found by a thread that runs ahead, so that the end is in sight early."""

    def __init__(self, root: Path, say: Say) -> None:
        self.found = 0
        self._root = root
        self._say = say
        self._stop = threading.Event()
        self._places: queue.SimpleQueue[Found | str | None] = queue.SimpleQueue()  # a text is a problem
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Found]:
        while (place := self._places.get()) is not None:
            if isinstance(place, str):
                self._say(place)
            else:
                yield place

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            for place in find_folders(self._root, self._places.put):
                if self._stop.is_set():
                    return
                self.found += 1
                self._places.put(place)
        finally:
            self._places.put(None)


class _Importing:
    """Collects what was read, and stores it batch by batch."""

    def __init__(self, root: Path, origin: str, say: Say, walk: _Walk, progress: Progress | None) -> None:
        self.report = Report()
        self._root = root
        self._origin = origin
        self._say = say
        self._walk = walk
        self._progress = progress
        self._new: list[ReadFolder] = []
        self._known: list[ReadFolder] = []
        self._bytes = 0
        self._stored_at = time.monotonic()

    def take(self, folder: ReadFolder) -> None:
        for line in folder.said:
            self._say(line)
        if folder.failed:
            self.report.counts["failed"] += 1
        elif folder.is_known:
            self._known.append(folder)
        else:
            self._new.append(folder)
            self._bytes += folder.size
        waited = time.monotonic() - self._stored_at
        if len(self._new) + len(self._known) >= _BATCH or self._bytes >= _BATCH_BYTES or waited >= _BATCH_SECONDS:
            self.store()
        self._tell()

    def store(self) -> None:
        """Writes what has come together, in one transaction; folder by folder when the database refuses that."""
        new, known = self._new, self._known
        self._new, self._known, self._bytes = [], [], 0
        if known:
            do_note_places(known)
            self.report.counts["unchanged"] += len(known)
        if new:
            try:
                self._count(do_store_folders(new, self._origin))
            except (Error, ValueError):
                for folder in new:
                    self._store_alone(folder)
        self._stored_at = time.monotonic()
        self._tell()

    def _store_alone(self, folder: ReadFolder) -> None:
        try:
            with transaction.atomic():
                stored = do_store_folders([folder], self._origin)
        except (Error, ValueError) as error:
            self._say(f"{self._root / folder.path}: the database refused it: {error}")
            self.report.counts["failed"] += 1
        else:
            self._count(stored)

    def _count(self, stored: list[tuple[Task, bool]]) -> None:
        new = sum(is_new for _, is_new in stored)
        self.report.counts["imported"] += new
        self.report.counts["unchanged"] += len(stored) - new

    def _tell(self) -> None:
        if self._progress is not None:
            counts = self.report.counts
            done = sum(counts.values()) + len(self._new) + len(self._known)
            self._progress.at(done, self._walk.found, counts)
