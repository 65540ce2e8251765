"""Showing a run or a revision to others by a link, taking that back, and going on from what somebody has shared."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.drafts import do_save_draft
from submissions.actions.revisions import do_hand_in
from submissions.audit import note
from submissions.devices import device_names
from submissions.files import starter_files
from submissions.models import Author, Device, Draft, ImportedRun, Revision, Run, Share
from submissions.safe_json import safe_json, safe_text
from submissions.tokens import digest_of

MOST_SHARES = 200  # of one author, that still open something
HINT = 6


@transaction.atomic
def do_share_run(author: Author, run: Run, graph: str, *, public: bool) -> tuple[Share, str]:
    """A link to a run that `access_run_to_share` gave, and the secret in it. Raises Refused."""
    elsewhere = ImportedRun.objects.filter(run=run).first()
    versions = elsewhere.versions if elsewhere else (run.result or {}).get("versions") or {}
    return _share(author, run.revision, run, run.graphs, graph, run.device, versions, public)


@transaction.atomic
def do_share_files(
    author: Author, task: Task, files: Mapping[str, str], device: str, graph: str, *, public: bool
) -> tuple[Share, str]:
    """Hands the files in and makes a link to that revision, for a device of this workbench. Raises Refused."""
    if device not in device_names():
        raise Refused(400, "unknown_device", f"There is no device class {device[:60]!r} here. Choose another one.")
    revision = do_hand_in(author, task, files)
    said = Device.objects.filter(name=device).first()
    graphs = [list(pair) for pair in task.entries.values_list("name", "graph__identity")]
    return _share(author, revision, None, graphs, graph, device, said.versions if said else {}, public)


def _share(
    author: Author,
    revision: Revision,
    run: Run | None,
    graphs: list[list[str]],
    graph: str,
    device: str,
    versions: Mapping[str, object],
    public: bool,
) -> tuple[Share, str]:
    if public and not settings.PUBLIC_SHARES:
        message = "This workbench shows nothing to people without an account. Share it with people who have one."
        raise Refused(403, "no_public_shares", message)
    if Share.objects.filter(author=author, revoked_at=None).count() >= MOST_SHARES:
        raise Refused(429, "too_many_shares", f"There are {MOST_SHARES} open shares already. Revoke one first.")
    secret = secrets.token_urlsafe(32)  # 256 bits, as an API token has
    task = revision.task
    share = Share.objects.create(
        author=author,
        digest=digest_of(secret),
        hint=secret[:HINT],
        public=public,
        title=safe_text(f"{task.title}, revision {revision.number}")[:300],
        task=task,
        revision=revision,
        run=run,
        with_run=run is not None,
        files_hash=revision.hash,
        graphs=graphs,
        graph=graph if graph in {name for name, _ in graphs} else "",
        device=device,
        versions=safe_json({str(name): str(version)[:100] for name, version in versions.items()}),
    )
    note(author, "share_made", share.hint, public=public, run=str(run.pk) if run else "", revision=revision.hash)
    return share, secret


@transaction.atomic
def do_revoke_share(author: Author, share_id: int) -> None:
    """Ends one of the author's shares, at once. Raises Refused when there is none of that number."""
    share = Share.objects.filter(pk=share_id, author=author).first()
    if share is None:
        raise Refused(404, "unknown_share", "You have no such share. The list shows the ones there are.")
    if Share.objects.filter(pk=share.pk, revoked_at=None).update(revoked_at=timezone.now()) == 1:
        note(author, "share_revoked", share.hint, public=share.public)


@dataclass(frozen=True)
class Forked:
    """`kept` is the revision that the draft before became; None where there was nothing to keep."""

    draft: Draft
    kept: Revision | None


def draft_in_the_way(author: Author, task: Task, files: Mapping[str, str]) -> Draft | None:
    """The author's draft, if other files would replace work of theirs."""
    draft = Draft.objects.filter(author=author, task=task).first()
    if draft is None or not draft.files or draft.files in (dict(files), starter_files()):
        return None
    return draft


@transaction.atomic
def do_fork(author: Author, task: Task, files: Mapping[str, str], *, keep: bool) -> Forked:
    """Makes the files the author's draft. A draft that is in the way becomes a revision first, if `keep`; else Refused
    (409)."""
    before = draft_in_the_way(author, task, files)
    if before is not None and not keep:
        raise Refused(409, "draft_in_the_way", "You have a draft for this task already. Say what is to become of it.")
    kept = do_hand_in(author, task, before.files) if before is not None else None
    stored = Draft.objects.filter(author=author, task=task).first()
    return Forked(do_save_draft(author, task, files, stored.version if stored else 0), kept)
