"""What may be sent to a model, and what it may be shown: asked before each message, in this one place."""

from collections.abc import Iterable

from django.db.models import Q

from assistant.models import Consent, TaskMark
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Author


def never_send(author: Author, task: Task) -> bool:
    """Whether the site or the author has said that nothing of this task goes to a model."""
    return TaskMark.objects.filter(Q(author=None) | Q(author=author), task=task, never_send=True).exists()


def not_to_be_shown(author: Author, tasks: Iterable[int]) -> set[int]:
    """Of these tasks, those whose passes no model is shown: held out, or never sent."""
    marked = TaskMark.objects.filter(Q(author=None) | Q(author=author), task_id__in=list(tasks))
    return set(marked.filter(Q(held_out=True) | Q(never_send=True)).values_list("task_id", flat=True))


def has_agreed(author: Author, host: str) -> bool:
    """Whether the author has agreed that their work is sent to this host."""
    return Consent.objects.filter(author=author, host=host).exists()


def check_may_send(author: Author, task: Task, host: str) -> None:
    """Raises Refused with the reason when nothing may be sent."""
    if author.user is None or not author.user.is_active:
        raise Refused(403, "not_active", "This account is not active any more: nothing is sent for it.")
    if never_send(author, task):
        message = "This task is marked “never send”: nothing of it goes to a model. Remove the mark first."
        raise Refused(403, "never_send", message)
    if not has_agreed(author, host):
        message = f"Graphs, files and results of this task would be sent to {host}. Agree to that first."
        raise Refused(403, "consent_needed", message, host=host)
