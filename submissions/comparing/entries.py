"""What is compared: two to six runs or imported submissions of one task, by their keys in the address."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from evaluator.verdicts import RunState
from graphs.models import Task
from graphs.refused import Refused
from submissions.access import access_run, access_submission, may_read_work
from submissions.boards.stored import Context, context_of
from submissions.models import Author, ImportedRun, Run, Submission

LEAST, MOST = 2, 6
_SUBMISSION = "s"  # before the number of a submission; a run is its UUID


@dataclass(frozen=True)
class Entry:
    """One side. A submission that was evaluated has the newest of its runs that has ended; `context` says where that
    was measured, None where nothing was."""

    key: str
    author: Author
    run: Run | None
    submission: Submission | None
    context: Context | None
    hardware: str  # of a run that came as a file, in its words

    @property
    def files(self) -> dict[str, str]:
        """As handed in."""
        found: dict[str, str] = self.run.revision.files if self.run is not None else self.submission.files  # type: ignore[union-attr]
        return found


@dataclass(frozen=True)
class Chosen:
    """`task` is None where its graphs are not here; then `name` is what run folders call it."""

    task: Task | None
    name: str
    entries: tuple[Entry, ...]


def choose(reader: Author, keys: Sequence[str]) -> Chosen:
    """The entries of these keys, in their order. Raises Refused: too few, too many, unknown ones, or of other tasks."""
    wanted = list(dict.fromkeys(keys))
    if not LEAST <= len(wanted) <= MOST:
        message = f"{len(wanted)} were chosen: two to six can be compared. Add them in the history or on the board."
        raise Refused(400, "wrong_number", message)
    found = [_find(reader, key) for key in wanted]
    runs = [run for run, _ in found if run is not None]
    hardware = dict(ImportedRun.objects.filter(run__in=runs).values_list("run_id", "hardware"))
    entries = tuple(_entry(key, run, sub, hardware) for key, (run, sub) in zip(wanted, found, strict=True))
    tasks = {_task_of(one) for one in entries}
    if len(tasks) > 1:
        message = "They are of different tasks: only submissions on one task can be compared. Leave one of them out."
        raise Refused(400, "different_tasks", message)
    first = entries[0]
    task = first.run.task if first.run is not None else first.submission.task if first.submission else None
    return Chosen(task, first.submission.task_name if task is None and first.submission else "", entries)


def _find(reader: Author, key: str) -> tuple[Run | None, Submission | None]:
    if not key.startswith(_SUBMISSION):
        return access_run(reader, key), None
    if not key[1:].isdecimal() or len(key) > 12:
        raise Refused(404, "unknown_submission", f"{key[:40]!r} names no submission. /boards/ leads to all there are.")
    found = access_submission(reader, int(key[1:]))
    return newest_runs([found]).get(found.pk), found


def newest_runs(submissions: Collection[Submission]) -> dict[int, Run]:
    """Submission → its newest run that was judged to the end."""
    by_revision = {one.revision_id: one.pk for one in submissions if one.revision_id is not None}
    runs = Run.objects.filter(revision__in=by_revision, state=RunState.DONE, baseline_run=None)
    rows = runs.select_related("revision", "task", "author").order_by("created_at")
    return {by_revision[run.revision_id]: run for run in rows}


def _entry(key: str, run: Run | None, sub: Submission | None, hardware: dict[UUID, str]) -> Entry:
    context = None
    if run is not None and run.state == RunState.DONE:
        context = context_of(run.device, run.pk in hardware, run.result or {})
    author = run.author if run is not None else sub.author  # type: ignore[union-attr]
    return Entry(key, author, run, sub, context, hardware.get(run.pk, "") if run is not None else "")


def _task_of(one: Entry) -> int | str:
    if one.run is not None:
        return one.run.task_id
    assert one.submission is not None  # an entry has one of the two
    return one.submission.task_id or one.submission.task_name


def keys_of_task(reader: Author, task: Task) -> list[str]:
    """The runs that the page of a whole task begins with: of each author whose work this reader may look into the one
    with most correct graphs, the newest of equals; the reader's own first, six at most."""
    done = Run.objects.filter(task=task, state=RunState.DONE, baseline_run=None, correct__isnull=False)
    best: dict[int, Run] = {}
    for run in done.select_related("author").defer("result").order_by("-correct", "-created_at"):
        if run.author_id not in best and may_read_work(reader, run.author):
            best[run.author_id] = run
    ordered = sorted(best.values(), key=lambda run: (run.author_id != reader.pk, -(run.correct or 0)))
    return [str(run.pk) for run in ordered[:MOST]]
