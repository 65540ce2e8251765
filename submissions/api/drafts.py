"""Drafts: what an author is working on, saved all the time."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from graphs.access import access_task
from submissions import limits
from submissions.actions.drafts import do_save_draft
from submissions.authors import current_author
from submissions.files import starter_files
from submissions.hashing import files_hash
from submissions.models import Draft

router = Router(tags=["drafts"])


class DraftOut(Schema):
    files: dict[str, str]
    version: int  # 0: nothing has been saved yet, the files are a template
    updated_at: datetime | None
    hash: str


class DraftIn(Schema):
    files: dict[str, str]
    version: Annotated[int, Field(ge=0, lt=2**31 - 1)]  # the one that these files were made from


class Saved(Schema):
    version: int
    hash: str
    updated_at: datetime


class Conflict(Schema):
    error: str
    code: str
    files: dict[str, str]
    version: int
    hash: str


@router.get("/tasks/{slug}/draft", response=DraftOut, summary="The author's draft for a task")
def get_draft(request: HttpRequest, slug: str) -> dict[str, Any]:
    task = access_task(slug)
    draft = Draft.objects.filter(author=current_author(request), task=task).first()
    files = starter_files() if draft is None else draft.files
    return {
        "files": files,
        "version": 0 if draft is None else draft.version,
        "updated_at": None if draft is None else draft.updated_at,
        "hash": files_hash(files),
    }


@router.put("/tasks/{slug}/draft", response={200: Saved, 409: Conflict}, summary="Save the draft")
def put_draft(request: HttpRequest, slug: str, body: DraftIn) -> dict[str, Any]:
    """Names the version that was edited; 409 with the stored files when another tab has saved since."""
    author = current_author(request)
    limits.take(limits.DRAFTS, author.pk)
    draft = do_save_draft(author, access_task(slug), body.files, body.version)
    return {"version": draft.version, "hash": files_hash(draft.files), "updated_at": draft.updated_at}
