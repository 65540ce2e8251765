"""Bringing in folders and modules through the browser, and taking a task away again."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from graphs.actions import do_store_folders
from graphs.models import Task
from graphs.plain_text import plain_line
from graphs.problems import ReadProblem
from graphs.refused import Refused
from submissions.access import is_admin
from submissions.audit import note
from submissions.devices import device_names
from submissions.dispatch import send_capture
from submissions.models import Author, Draft, OwnedTask, Upload
from submissions.safe_json import safe_json, safe_text
from submissions.uploading.capturing import MODULE, SECONDS, capture
from submissions.uploading.folders import ORIGIN, ReadUpload, read_archive

MAX_TEXT = 256 << 10  # characters of a module
_MOST_SAID = 200
_MOST_WAITING = 5  # modules of one author that wait to be captured
PATIENCE = timedelta(seconds=4 * SECONDS)  # after which nobody is going to capture it any more
CAPTURED_ON = "cpu"
_HANDED_IN = "Something was handed in for this task, which its results belong to. It stays."

LOST = "No worker captured it: the one that should was stopped, or there is none for cpu. Try it again."
FAULT = "Its graphs could not be captured or stored, by a fault of the workbench; its log says more. Try it again."


def do_upload_archive(author: Author, name: str, content: bytes) -> Upload:
    """Reads an archive now and stores its samples and tasks. One that can not be read is a failed upload, with why."""
    name = safe_text(plain_line(name))[:200] or "archive"
    upload = Upload(author=author, kind=Upload.Kind.ARCHIVE, title=name)
    try:
        read = read_archive(content, name)
    except ReadProblem as problem:
        return _failed(upload, problem.why, problem.file, problem.line)
    if not read.folders:
        return _failed(upload, f"Nothing of it can be read. {read.failed[0]}", name, said=read.failed[1:])
    return _stored(upload, read, [*read.failed, *read.said])


@transaction.atomic
def do_request_capture(author: Author, title: str, text: str) -> Upload:
    """Keeps the text and asks a worker to capture it. Raises Refused."""
    title = safe_text(plain_line(title))[:200] or "Uploaded module"
    if not text.strip():
        raise Refused(400, "no_text", "There is no text. Paste a module with a function make() that returns it.")
    if len(text) > MAX_TEXT:
        raise Refused(413, "too_long", f"The text has {len(text):,} characters; {MAX_TEXT:,} are taken.")
    if CAPTURED_ON not in device_names():
        message = "No worker of this installation has the device class cpu, which captures. Add it to WORKER_DEVICES."
        raise Refused(400, "unknown_device", message)
    Author.objects.select_for_update().get(pk=author.pk)
    waiting = Upload.objects.filter(author=author, state__in=(Upload.State.QUEUED, Upload.State.RUNNING))
    if waiting.filter(created_at__gt=timezone.now() - PATIENCE).count() >= _MOST_WAITING:
        raise Refused(
            429, "too_many_uploads", f"{_MOST_WAITING} modules wait to be captured. Wait for one.", retry_after=10
        )
    upload = Upload.objects.create(
        author=author, kind=Upload.Kind.MODULE, title=title, text=safe_text(text), state=Upload.State.QUEUED
    )
    transaction.on_commit(lambda: _send(upload))
    return upload


def do_capture(upload_id: str) -> None:
    """Captures an upload that waits, in the worker. Harmless when asked for twice. What it raises, the upload shows."""
    taken = Upload.objects.filter(pk=upload_id, state=Upload.State.QUEUED).update(state=Upload.State.RUNNING)
    if not taken:
        return
    upload = Upload.objects.get(pk=upload_id)
    try:
        found = capture(upload.text, upload.title)
        if found.problem:
            _failed(upload, found.problem, MODULE, found.line, found.said)
        else:
            _stored(upload, found.read, found.said)
    except Exception:
        _failed(Upload.objects.get(pk=upload_id), FAULT)
        raise


@transaction.atomic
def do_remove_task(author: Author, owned: OwnedTask) -> None:
    """Takes an uploaded task away, with its drafts; only admins take away drafts of others.

    Raises Refused then, and when something was handed in for it.
    """
    task: Task = owned.task
    if task.revisions.exists():
        raise Refused(409, "in_use", _HANDED_IN)
    if not is_admin(author) and Draft.objects.filter(task=task).exclude(author=author).exists():
        message = "Others have drafts for this task, which would go with it. It stays; an admin can remove it."
        raise Refused(409, "in_use", message)
    note(author, "task removed", task.slug, title=task.title)
    try:
        task.delete()
    except ProtectedError:
        raise Refused(409, "in_use", _HANDED_IN) from None


def _send(upload: Upload) -> None:
    if not send_capture(str(upload.pk), CAPTURED_ON):
        Upload.objects.filter(pk=upload.pk, state=Upload.State.QUEUED).update(
            state=Upload.State.FAILED,
            problem="The queue can not be reached. The text is kept: try it again.",
            finished_at=timezone.now(),
        )


@transaction.atomic
def _stored(upload: Upload, read: ReadUpload, said: list[str]) -> Upload:
    """Tasks that are new belong to the author; those that had been here before stay whose they are."""
    tasks = do_store_folders(read.folders, ORIGIN)
    upload.state, upload.finished_at = Upload.State.DONE, timezone.now()
    upload.said = safe_json(said[:_MOST_SAID])
    upload.known = sorted({task.slug for task, is_new in tasks if not is_new})
    upload.save()
    for task, is_new in tasks:
        if is_new:
            OwnedTask.objects.get_or_create(task=task, defaults={"author": upload.author, "upload": upload})
    return upload


def _failed(upload: Upload, why: str, file: str = "", line: int | None = None, said: Any = ()) -> Upload:
    upload.state, upload.finished_at = Upload.State.FAILED, timezone.now()
    upload.problem, upload.file, upload.line = safe_text(why)[:4000], safe_text(file)[:300], line
    upload.said = safe_json(list(said)[:_MOST_SAID])
    upload.save()
    return upload
