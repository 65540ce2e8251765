"""Graphs through the browser: archives of folders, and modules to be captured."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema, Status
from pydantic import Field

from graphs.models import Task
from submissions import limits
from submissions.access import access_task_to_remove, access_upload
from submissions.actions.uploads import (
    LOST,
    PATIENCE,
    do_remove_task,
    do_request_capture,
    do_upload_archive,
)
from submissions.authors import current_author
from submissions.models import Upload

router = Router(tags=["uploads"])

MOST_LISTED = 50


class UploadedTask(Schema):
    slug: str
    title: str


class UploadOut(Schema):
    id: UUID
    kind: str  # archive or module
    title: str
    state: str  # queued, running, done, failed
    problem: str  # why it failed
    file: str  # where, when that is known
    line: int | None
    said: list[str]  # folders that were left out, warnings, graph breaks
    tasks: list[UploadedTask]  # that it became; they are its author's
    known: list[str]  # slugs of tasks that had been here before
    created_at: datetime
    finished_at: datetime | None


class UploadWithText(UploadOut):
    text: str  # of a module, as it was pasted


class Uploads(Schema):
    uploads: list[UploadOut]


class ModuleIn(Schema):
    title: Annotated[str, Field(max_length=200)] = ""
    text: str


ARCHIVE_BODY = {
    "requestBody": {
        "required": True,
        "description": "A zip, tar or tar.gz of at most 4 MB with sample and task folders",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post(
    "/uploads/archive",
    response={201: UploadOut, 422: UploadOut},
    summary="Upload sample and task folders in an archive",
    openapi_extra=ARCHIVE_BODY,
)
def upload_archive(
    request: HttpRequest, name: Annotated[str, Field(max_length=200)] = "archive"
) -> Status[dict[str, Any]]:
    """Read and stored before the answer; nothing in it is executed. 422: nothing of it could be read, and why."""
    author = current_author(request)
    limits.take(limits.UPLOADS, author.pk)
    upload = do_upload_archive(author, name, request.body)
    return Status(201 if upload.state == Upload.State.DONE else 422, _shown(upload))


@router.post("/uploads/module", response={202: UploadOut}, summary="Upload a module, to be captured in isolation")
def upload_module(request: HttpRequest, body: ModuleIn) -> Status[dict[str, Any]]:
    """The text has a function `make()` that returns `(module, inputs)`, or one class of a `torch.nn.Module` with
    `example_inputs`. It runs in a process without network and files of ours; ask `/uploads/{id}` what became of it."""
    author = current_author(request)
    limits.take(limits.UPLOADS, author.pk)
    return Status(202, _shown(do_request_capture(author, body.title, body.text)))


@router.get("/uploads", response=Uploads, summary="Your own uploads, the newest first")
def upload_list(request: HttpRequest) -> dict[str, Any]:
    author = current_author(request)
    found = list(Upload.objects.filter(author=author).defer("text").prefetch_related("tasks__task")[:MOST_LISTED])
    still_here = _still_here({slug for upload in found for slug in upload.known})
    return {"uploads": [{**_shown(one), "known": [slug for slug in one.known if slug in still_here]} for one in found]}


@router.get("/uploads/{upload_id}", response=UploadWithText, summary="One of your uploads, with its text")
def upload_detail(request: HttpRequest, upload_id: UUID) -> dict[str, Any]:
    upload = access_upload(current_author(request), upload_id)
    return {**_shown(upload), "text": upload.text}


@router.delete("/uploads/tasks/{slug}", response={204: None}, summary="Remove a task that you have uploaded")
def remove_task(request: HttpRequest, slug: str) -> Status[None]:
    """Its owner may, and admins, as long as nothing was handed in for it, and its owner while no others have drafts."""
    author = current_author(request)
    do_remove_task(author, access_task_to_remove(author, slug))
    return Status(204, None)


def _still_here(slugs: set[str]) -> set[str]:
    return set(Task.objects.filter(slug__in=slugs).values_list("slug", flat=True))


def _shown(upload: Upload) -> dict[str, Any]:
    open_states = (Upload.State.QUEUED, Upload.State.RUNNING)
    lost = upload.state in open_states and upload.created_at < timezone.now() - PATIENCE
    return {
        "id": upload.pk,
        "kind": upload.kind,
        "title": upload.title,
        "state": Upload.State.FAILED if lost else upload.state,
        "problem": LOST if lost else upload.problem,
        "file": upload.file,
        "line": upload.line,
        "said": upload.said,
        "tasks": [{"slug": one.task.slug, "title": one.task.title} for one in upload.tasks.all()],
        "known": upload.known,
        "created_at": upload.created_at,
        "finished_at": upload.finished_at,
    }
