"""Saving what an author is working on."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.utils import timezone

from graphs.models import Task
from graphs.refused import Refused
from submissions.files import check_files, check_texts
from submissions.hashing import files_hash
from submissions.models import Author, Draft


def do_save_draft(author: Author, task: Task, files: Mapping[str, str], version: int) -> Draft:
    """Saves the files over version `version` (0: there is no draft yet) and returns the draft with its new version.

    Raises Refused with the stored files when somebody else, another tab for instance, has saved meanwhile. Saving what
    is already stored is no conflict: it is how a save whose answer got lost is sent again.
    """
    check_files(files, may_be_empty=True)
    check_texts(files)
    wanted = {"files": dict(files), "version": version + 1, "updated_at": timezone.now()}
    if version == 0:
        try:
            with transaction.atomic():
                return Draft.objects.create(author=author, task=task, **wanted)
        except IntegrityError:
            pass
    elif Draft.objects.filter(author=author, task=task, version=version).update(**wanted) == 1:
        return Draft(author=author, task=task, **wanted)
    stored = Draft.objects.filter(author=author, task=task).first()
    if stored is not None and stored.files == dict(files):
        return stored
    raise _conflict(stored)


def _conflict(stored: Draft | None) -> Refused:
    message = "The draft was saved from another tab meanwhile. Compare both, keep what you want and save again."
    files, version = (stored.files, stored.version) if stored else ({}, 0)
    return Refused(409, "conflict", message, files=files, version=version, hash=files_hash(files))
