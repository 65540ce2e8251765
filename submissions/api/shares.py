"""Shares: links to a run or a revision. Also the draft as a folder for the published harness."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from graphs.access import access_task
from graphs.refused import Refused
from submissions import limits
from submissions.access import access_run_to_share
from submissions.actions.shares import do_revoke_share, do_share_files, do_share_run
from submissions.authors import current_author
from submissions.checking import portability_apart
from submissions.files import check_files
from submissions.models import Revision, Share
from submissions.pass_dir import pass_dir_zip
from submissions.safe_json import safe_json

router = Router(tags=["shares"])

LISTED = 200


class ShareIn(Schema):
    run: UUID | None = None  # or
    files: dict[str, str] | None = None  # which are handed in
    device: str = "cpu"  # of the files
    graph: str = ""  # the one to show
    public: bool = False  # for people without an account, too


class ShareOut(Schema):
    id: int
    hint: str
    title: str
    task: str | None  # null: gone
    public: bool  # as its owner wanted; `visible_to` says what that comes to here
    visible_to: Literal["anybody", "accounts"]
    run: UUID | None
    revision: str
    created_at: datetime
    revoked_at: datetime | None


class ShareMade(ShareOut):
    path: str  # holds the secret; not shown again


class ShareList(Schema):
    shares: list[ShareOut]
    public_allowed: bool


class FilesIn(Schema):
    files: dict[str, str]


class PortabilityOut(Schema):
    findings: list[dict[str, Any]]  # evaluator.portability: rule, level, basis, file, line, found, theirs, instead
    problem: str  # why there may be more than these; empty when everything was looked at


@router.post("/tasks/{slug}/shares", response={201: ShareMade}, summary="Make a link to a run or to files")
def share(request: HttpRequest, slug: str, body: ShareIn) -> Status[dict[str, Any]]:
    """Only its author shares a run. Files are handed in as for a run; the share shows that revision."""
    author = current_author(request)
    limits.take(limits.SHARES_MADE, author.pk)
    task = access_task(slug)
    if body.run is not None:
        run = access_run_to_share(author, body.run)
        if run.task_id != task.pk:
            raise Refused(404, "unknown_run", f"The task {slug} has no such run.")
        made, secret = do_share_run(author, run, body.graph, public=body.public)
    elif body.files is not None:
        made, secret = do_share_files(author, task, body.files, body.device, body.graph, public=body.public)
    else:
        raise Refused(400, "nothing_to_share", "Name a run, or send the files.")
    return Status(201, {**_row(made), "path": f"/s/{secret}/"})


@router.get("/shares", response=ShareList, summary="The author's shares, newest first")
def shares(request: HttpRequest, task: str = "") -> dict[str, Any]:
    mine = Share.objects.filter(author=current_author(request)).select_related("task")
    found = mine.filter(task__slug=task) if task else mine
    return {"shares": [_row(one) for one in found[:LISTED]], "public_allowed": settings.PUBLIC_SHARES}


@router.post("/shares/{share_id}/revoke", response=ShareList, summary="End a share at once")
def revoke(request: HttpRequest, share_id: int) -> dict[str, Any]:
    do_revoke_share(current_author(request), share_id)
    return shares(request)


@router.post("/tasks/{slug}/portability", response=PortabilityOut, summary="What the published harness would refuse")
def portability(request: HttpRequest, slug: str, body: FilesIn) -> dict[str, Any]:
    """From the text of the files: nothing is stored, imported or run."""
    limits.take(limits.CHECKS, current_author(request).pk)
    access_task(slug)
    check_files(body.files, may_be_empty=True)
    found = portability_apart(body.files)
    return {"findings": safe_json(found.findings), "problem": found.problem}


@router.post("/tasks/{slug}/pass_dir", summary="Files as a zip of pass_dir, for the published harness")
def export(request: HttpRequest, slug: str, body: FilesIn) -> HttpResponse:
    """Equal files give equal bytes."""
    limits.take(limits.CHECKS, current_author(request).pk)
    return zip_response(f"{access_task(slug).slug}-pass_dir.zip", pass_dir_zip(body.files))


@router.get("/tasks/{slug}/revisions/{number}/pass_dir", summary="An own revision as a zip of pass_dir")
def export_revision(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    author = current_author(request)
    task = access_task(slug)
    known = -(2**31) < number < 2**31  # what a column holds
    revision = Revision.objects.filter(task=task, author=author, number=number).first() if known else None
    if revision is None:
        raise Refused(404, "unknown_revision", f"You have no revision {number} of the task {task.slug}.")
    return zip_response(f"{task.slug}-r{number}-pass_dir.zip", pass_dir_zip(revision.files))


def zip_response(name: str, content: bytes) -> HttpResponse:
    """A download. `name` is made of a slug and of numbers."""
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(content, content_type="application/zip", headers={"Content-Disposition": disposition})


def _row(share: Share) -> dict[str, Any]:
    return {
        "id": share.pk,
        "hint": share.hint,
        "title": share.title,
        "task": share.task.slug if share.task else None,
        "public": share.public,
        "visible_to": "anybody" if share.public and settings.PUBLIC_SHARES else "accounts",
        "run": share.run_id,
        "revision": share.files_hash,
        "created_at": share.created_at,
        "revoked_at": share.revoked_at,
    }
