"""A run folder, or one log, read and stored batch by batch: it can be broken off and taken up at any time."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graphs.importing import Progress
from graphs.problems import ReadProblem
from graphs.refused import Refused
from submissions.actions.run_folders import do_link_submissions, do_note_reported, do_store_log, do_store_submissions
from submissions.importing.checking import Checked, check_all
from submissions.importing.run_folder import Handed, Place, find_places, read_log, read_submission
from submissions.models import Author, Submission

Say = Callable[[str], None]

_BATCH = 100  # submissions in one transaction


@dataclass
class RunReport:
    """Counts of submissions and logs. What is counted is stored, whole."""

    counts: Counter[str] = field(default_factory=Counter)
    found: int = 0
    stopped: bool = False

    def as_json(self) -> dict[str, int]:
        return {key: self.counts[key] for key in ("imported", "unchanged", "skipped", "failed")}


def import_run(root: Path, author: Author, say: Say, jobs: int = 1, progress: Progress | None = None) -> RunReport:
    """Every submission and log of the published harness at or below `root`.

    What the author has handed in already for a task, by content, is not checked or stored again. KeyboardInterrupt
    ends it between two batches.
    """
    report = RunReport()
    do_link_submissions()
    places = [Place(root, root.name, root.resolve().parent.name, True)] if root.is_file() else []
    places = places or list(find_places(root, say))
    report.found = len(places)
    importing = _Importing(author, say, report, progress)
    try:
        with check_all(importing.new_ones(places), jobs) as checked:
            for one in checked:
                importing.take(one)
            importing.store()
    except KeyboardInterrupt:
        report.stopped = True
    if not places:
        say(f"{root}: holds no submission (a folder pass_dir) and no log")
        report.counts["skipped"] += 1
    return report


class _Importing:
    def __init__(self, author: Author, say: Say, report: RunReport, progress: Progress | None) -> None:
        self._author = author
        self._say = say
        self._report = report
        self._progress = progress
        rows = Submission.objects.filter(author=author).order_by().values_list("task_name", "hash", "reported")
        self._known: dict[tuple[str, str], float | None] = {(name, digest): score for name, digest, score in rows}
        self._batch: list[Checked] = []
        self._reported: list[tuple[str, str, float]] = []

    def new_ones(self, places: list[Place]) -> Iterator[Handed]:
        """Reads each, counts what is known or fails, stores logs, and gives what has to be checked."""
        for place in places:
            try:
                if place.is_log:
                    self._take_log(place)
                    continue
                handed = read_submission(place)
            except ReadProblem as problem:
                self._say(str(problem))
                self._count("failed")
                continue
            for line in handed.said:
                self._say(line)
            key = (handed.task_name, handed.hash)
            if key not in self._known:
                self._known[key] = handed.reported
                yield handed
                continue
            if handed.reported is not None and handed.reported != self._known[key]:
                self._reported.append((*key, handed.reported))
            self._count("unchanged")

    def take(self, checked: Checked) -> None:
        self._batch.append(checked)
        if len(self._batch) >= _BATCH:
            self.store()

    def store(self) -> None:
        """Writes what has come together, in one transaction."""
        do_store_submissions(self._author, self._batch)
        do_note_reported(self._author, self._reported)
        self._count("imported", len(self._batch))
        self._batch, self._reported = [], []

    def _take_log(self, place: Place) -> None:
        content = read_log(place)
        if content is None:
            self._count("skipped")
            return
        try:
            self._count("imported" if do_store_log(self._author, place.relative, content) else "unchanged")
        except Refused as refused:
            self._say(f"{place.path}: {refused.message}")
            self._count("skipped")

    def _count(self, what: str, number: int = 1) -> None:
        self._report.counts[what] += number
        if self._progress is not None:
            self._progress.at(sum(self._report.counts.values()), self._report.found, self._report.counts)
