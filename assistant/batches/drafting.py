"""The drafter at work on one task of a batch: its runs stand under its own name, behind what people wait for."""

import hashlib
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.db import close_old_connections

from assistant import drafter
from assistant.actions.batches import do_beat, do_leave_item, do_note_evaluation
from assistant.autopilot.best import evaluation_of
from assistant.drafter.author import Result, author_task, rank
from assistant.models import BatchItem
from assistant.stored_graphs import read_graph
from evaluator.verdicts import Integrity, RunState
from graphs.problems import ReadProblem
from graphs.refused import Refused
from submissions.actions.runs import do_cancel_run, do_request_run
from submissions.background import check_room
from submissions.builtin_authors import built_in
from submissions.hashing import files_hash
from submissions.models import Author, Lane, Run

NAME = "drafter"
_LOOK_SECONDS = 0.5
_ROOM_SECONDS = 5.0
_MOST_GRAPHS = 60  # of a task: each draft is made to fit all of them


class _Unwanted(Exception):
    """The item is somebody else's by now, or nobody wants it to go on."""


@cache
def drafter_version() -> str:
    """A hash of the drafter's own files: what it writes may differ with each change of them."""
    folder = Path(drafter.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def drafter_author() -> Author:
    """The drafter as an author; another name where somebody has taken its own."""
    return built_in(NAME)


def draft_item(item: BatchItem, stopping: Callable[[], bool] = lambda: False) -> None:
    """Drafts, has it judged, keeps the best, until nothing better is near or the budget is used up. May be called again
    for an item that was begun: what was judged is known by its files."""
    try:
        graphs = [read_graph(entry.graph) for entry in item.task.entries.select_related("graph__source")[:_MOST_GRAPHS]]
        work = _Work(item, stopping)
        for _ in author_task(graphs, work.evaluate, int(item.batch.budget["most"]), timed=item.batch.device != "cpu"):
            pass
    except _Unwanted:
        do_leave_item(item, BatchItem.State.WAITING)
    except ReadProblem as problem:
        do_leave_item(item, BatchItem.State.LEFT_OUT, f"A graph can not be read: {problem}")
    except Refused as refused:
        do_leave_item(item, BatchItem.State.LEFT_OUT, refused.message)
    else:
        message = "" if work.evaluations else "The drafter has nothing for this task."
        do_leave_item(item, BatchItem.State.DONE, message)


def _counts(evaluation: Mapping[str, Any]) -> bool:
    """Whether it says something about its files, or still may."""
    return RunState(evaluation["state"]) not in (RunState.CANCELLED, RunState.INFRASTRUCTURE_ERROR)


class _Work:
    def __init__(self, item: BatchItem, stopping: Callable[[], bool]) -> None:
        self.item, self.stopping = item, stopping
        self.evaluations: list[dict[str, Any]] = []
        self._known = {str(one["files"]): str(one["run"]) for one in item.evaluations if _counts(one)}
        self._best: dict[str, Any] | None = None
        self._best_result: Result = None

    def evaluate(self, files: Mapping[str, str]) -> Result:
        digest = files_hash(files)
        run = Run.objects.filter(pk=self._known[digest]).first() if digest in self._known else None
        if run is None:
            run = self._ask(files)
            self._note(evaluation_of(run, len(self.evaluations) + 1), digest)
        self._wait(run)
        result: Result = run.result if run.state == RunState.DONE else None
        evaluation = {**evaluation_of(run, len(self.evaluations) + 1), "files": digest}
        self.evaluations.append(evaluation)
        if evaluation["verdict"] != Integrity.VIOLATION and rank(result) > rank(self._best_result):
            self._best, self._best_result = evaluation, result
        if not do_note_evaluation(self.item, self.evaluations, self._best):
            raise _Unwanted
        return result

    def _note(self, evaluation: Mapping[str, Any], digest: str) -> None:
        """Before it is waited for: whoever takes the item up again waits for this run and asks for no other."""
        if not do_note_evaluation(self.item, [*self.evaluations, {**evaluation, "files": digest}], self._best):
            raise _Unwanted

    def _ask(self, files: Mapping[str, str]) -> Run:
        author = drafter_author()
        while True:
            self._check()
            try:
                check_room(author, self.item.batch.device, 1)
                return do_request_run(author, self.item.task, files, self.item.batch.device, Lane.BACKGROUND)
            except Refused as refused:
                if refused.status != 429:
                    raise
                time.sleep(_ROOM_SECONDS)

    def _wait(self, run: Run) -> None:
        while not RunState(run.state).is_final:
            try:
                self._check()
            except _Unwanted:
                if not self.stopping():  # a worker that ends leaves the run to whoever takes the item up again
                    do_cancel_run(run)
                raise
            time.sleep(_LOOK_SECONDS)
            close_old_connections()
            run.refresh_from_db()

    def _check(self) -> None:
        if self.stopping() or not do_beat(self.item):
            raise _Unwanted
