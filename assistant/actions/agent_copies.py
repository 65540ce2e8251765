"""The files of an agent that comes over HTTP: read, changed by a tool, kept."""

from collections.abc import Callable
from typing import TypeVar

from django.db import transaction
from django.utils import timezone

from assistant.models import AgentCopy
from graphs.models import Task
from submissions.files import check_files, check_texts
from submissions.models import ApiToken

Files = dict[str, str]
T = TypeVar("T")


def files_of(token: ApiToken, task: Task) -> Files:
    """What this token has for the task; nothing at first."""
    found = AgentCopy.objects.filter(token=token, task=task).first()
    return {} if found is None else dict(found.files)


@transaction.atomic
def do_change_copy(token: ApiToken, task: Task, change: Callable[[Files], tuple[T, Files]]) -> T:
    """`change` gets the files and gives back what they are to be. Two calls at a time come one after the other. Raises
    Refused, and keeps nothing, where no submission may hold such files."""
    AgentCopy.objects.get_or_create(token=token, task=task, defaults={"files": {}})
    row = AgentCopy.objects.select_for_update().get(token=token, task=task)
    result, files = change(dict(row.files))
    if files != row.files:
        check_files(files, may_be_empty=True)
        check_texts(files)
        row.files, row.changed_at = files, timezone.now()
        row.save(update_fields=["files", "changed_at"])
    return result
