"""Marks on tasks and consent to send."""

from django.db import transaction
from django.utils import timezone

from assistant.models import Consent, TaskMark
from graphs.models import Task
from submissions.audit import note
from submissions.models import Author


@transaction.atomic
def do_mark_task(
    actor: Author, task: Task, owner: Author | None, *, never_send: bool | None, held_out: bool | None
) -> TaskMark:
    """Sets the author's marks of a task, or with owner None those of the site. None leaves a mark as it is."""
    given = {"never_send": never_send, "held_out": held_out}
    values = {name: value for name, value in given.items() if value is not None}
    defaults = {**values, "changed_at": timezone.now()}
    mark, _ = TaskMark.objects.update_or_create(task=task, author=owner, defaults=defaults)
    note(actor, "task_marked", task.slug, never_send=mark.never_send, held_out=mark.held_out, site=owner is None)
    return mark


@transaction.atomic
def do_consent(author: Author, host: str, agrees: bool) -> None:
    """Agrees that work is sent to a host, or takes that back."""
    if agrees:
        Consent.objects.get_or_create(author=author, host=host)
    else:
        Consent.objects.filter(author=author, host=host).delete()
    note(author, "consent_given" if agrees else "consent_withdrawn", host)
