"""What a run folder holds becomes submissions of an author; they are linked to tasks, and evaluated behind people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import transaction

from graphs.models import Task
from graphs.plain_text import plain_line
from graphs.refused import Refused
from submissions.access import is_admin
from submissions.actions.runs import do_request_run
from submissions.audit import note
from submissions.devices import device_names
from submissions.importing.checking import Checked
from submissions.importing.eval_log import as_json, read_eval_log
from submissions.models import OPEN_STATES, Author, Lane, ReportedLog, Run, Submission
from submissions.reviewing.enrolling import enrol_submissions
from submissions.safe_json import safe_json, safe_text
from submissions.task_names import find_task, names_stamp, tasks_by_name

_MOST_SETTINGS = 40
AT_ONCE = 4  # evaluations of imports that wait on a device: the rest waits in its rows, not in the queue


@dataclass(frozen=True)
class Described:
    """What a model is, as far as whoever imports its work says."""

    version: str = ""
    settings: Mapping[str, str] | None = None


@transaction.atomic
def do_get_author(name: str, described: Described, by: Author | None) -> Author:
    """The author to whom a run folder belongs: one that is there, or a new model. `by` None is the operator's command.

    Raises Refused: programs of the workbench hand in nothing by folder; others' models and people are not written for.
    """
    name = safe_text(plain_line(name))
    if not 1 <= len(name) <= 100:
        raise Refused(400, "bad_name", "An author's name has 1 to 100 characters. Name the model, as its maker does.")
    settings = {plain_line(key)[:80]: plain_line(value)[:200] for key, value in (described.settings or {}).items()}
    if len(settings) > _MOST_SETTINGS:
        raise Refused(400, "bad_settings", f"{len(settings)} settings are more than {_MOST_SETTINGS}. Leave some out.")
    found = Author.objects.filter(name=name).first()
    if found is None:
        found = Author.objects.create(name=name, kind=Author.Kind.MODEL, brought_in_by=by)
        note(by, "author_added", name, kind=found.kind)
    elif found.kind == Author.Kind.BUILT_IN:
        raise Refused(409, "built_in", f"{name} is a program of the workbench. Give the author another name.")
    elif by is not None and not may_import_for(by, found):
        message = f"{name} is another author, whose work you did not bring in. Choose another name, or ask an admin."
        raise Refused(403, "not_yours", message)
    version = safe_text(plain_line(described.version))[:80]
    if version and version != found.version:
        found.version = version
    if settings:
        found.settings = safe_json(settings)
    found.save(update_fields=["version", "settings"])
    return found


def may_import_for(reader: Author, author: Author) -> bool:
    """Whether somebody may hand in for an author: themselves, a model that they brought in, or as an admin."""
    own = author.pk == reader.pk or (author.kind == Author.Kind.MODEL and author.brought_in_by_id == reader.pk)
    return author.kind != Author.Kind.BUILT_IN and (own or is_admin(reader))


@transaction.atomic
def do_store_submissions(author: Author, checked: Sequence[Checked]) -> None:
    """Stores those that are not stored yet, linked to their tasks where they are here."""
    names = tasks_by_name()
    Submission.objects.bulk_create(
        [
            Submission(
                author=author,
                task_name=one.handed.task_name,
                task_id=find_task(one.handed.task_name, names),
                hash=one.handed.hash,
                files=one.handed.files,
                path=one.handed.relative,
                reported=one.handed.reported,
                problem=one.handed.problem,
                findings=one.findings,
                check_problem=one.problem,
            )
            for one in checked
        ],
        ignore_conflicts=True,  # another import was faster
    )
    stored = Submission.objects.filter(author=author, hash__in=[one.handed.hash for one in checked], review_item=None)
    enrol_submissions(stored.select_related("task").defer("files"))


def do_note_reported(author: Author, scores: Iterable[tuple[str, str, float]]) -> None:
    """(task name, hash, score) of submissions that are stored already, whose author reports a score only now."""
    for task_name, digest, score in scores:
        Submission.objects.filter(author=author, task_name=task_name, hash=digest).update(reported=score)


def do_store_log(author: Author, name: str, content: bytes) -> bool:
    """Stores what a log reports; False where it was stored before. Raises Refused for one that holds no graph."""
    digest = sha256(content).hexdigest()
    if ReportedLog.objects.filter(author=author, digest=digest).exists():
        return False
    graphs = read_eval_log(content)
    if not graphs:
        raise Refused(422, "no_log", f"{name[:200]} is no log of the published harness: no line begins a graph.")
    rows: list[dict[str, Any]] = [safe_json(as_json(graph)) for graph in graphs]
    ReportedLog.objects.create(author=author, name=safe_text(plain_line(name))[:300], digest=digest, graphs=rows)
    return True


def do_want_evaluation(author: Author, device: str) -> int:
    """Asks for evaluations of all submissions of an author that can be evaluated and were not on this device; returns
    how many wait now. They go behind people, and those whose graphs are not here when these arrive."""
    if device not in device_names():
        known = ", ".join(device_names()) or "none is configured (WORKER_DEVICES)"
        raise Refused(400, "unknown_device", f"There is no device class {device[:60]!r} here. Choose one of: {known}.")
    done = Run.objects.filter(author=author, device=device).values("revision_id")
    own = Submission.objects.filter(author=author, problem="").exclude(revision_id__in=done)
    own.filter(wanted_on="").update(wanted_on=device)
    return Submission.objects.filter(author=author, wanted_on=device).count()


def do_link_submissions() -> int:
    """Links submissions to tasks that have arrived since; returns how many."""
    names = tasks_by_name()
    waiting = Submission.objects.filter(task=None).order_by().values_list("task_name", flat=True).distinct()
    linked = 0
    for name in list(waiting):
        task = find_task(name, names)
        if task is not None:
            linked += Submission.objects.filter(task=None, task_name=name).update(task_id=task)
    return linked


_linked_at: tuple[int, int, int] | None = None  # the catalogue's stamp when this process linked last


def do_link_when_tasks_came() -> int:
    """`do_link_submissions`, where the catalogue has changed since this process did it last."""
    global _linked_at
    if not Submission.objects.filter(task=None).exists():
        return 0
    stamp = names_stamp()
    if stamp == _linked_at:
        return 0
    _linked_at = stamp
    return do_link_submissions()


def do_feed(device: str) -> int:
    """Queues the next evaluations of imports on a device, a few at a time and in the lane behind people."""
    waiting = Run.objects.filter(device=device, lane=Lane.BACKGROUND, state__in=OPEN_STATES).count()
    wanted = Submission.objects.filter(wanted_on=device, task__isnull=False).order_by("pk")
    fed = 0
    for pk in wanted.values_list("pk", flat=True)[: max(0, AT_ONCE - waiting)]:
        if Submission.objects.filter(pk=pk, wanted_on=device).update(wanted_on="") == 1:
            fed += _evaluate(Submission.objects.select_related("author", "task").get(pk=pk), device)
    return fed


def _evaluate(submission: Submission, device: str) -> int:
    task = submission.task
    if not isinstance(task, Task):
        return 0
    try:
        run = do_request_run(submission.author, task, submission.files, device, Lane.BACKGROUND)
    except Refused as refused:
        Submission.objects.filter(pk=submission.pk).update(problem=safe_text(refused.message)[:500])
        enrol_submissions(Submission.objects.filter(pk=submission.pk, review_item=None).select_related("task"))
        return 0
    Submission.objects.filter(pk=submission.pk).update(revision=run.revision)
    return 1
