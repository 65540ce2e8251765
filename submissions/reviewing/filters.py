"""What the queue is narrowed to: in the address of the page, of the API, and of actions on all that fits."""

from typing import Annotated

from django.db.models import Q, QuerySet
from ninja import Schema
from pydantic import Field

from graphs.refused import Refused
from submissions.access import visible_items
from submissions.models import Author, ReviewItem

Word = Annotated[str, Field(max_length=300)]
ANY, DECIDED = "any", "decided"


class Filters(Schema):
    """All of them hold at once; an empty one does not narrow."""

    state: Word = ""  # "" open; "decided"; "any"; or a decision: confirm, overturn, harness_fault, duplicate
    group: Word = ""
    kind: Word = ""
    signature: Word = ""
    author: Word = ""  # a name
    task: Word = ""  # a slug, or the name of a task that is not here
    device: Word = ""  # "none": not evaluated
    assignee: Word = ""  # "me", "nobody", a name
    label: Word = ""
    mentions: Word = ""  # "me"
    q: Word = ""  # words in cause, task or author


def filtered(reader: Author, filters: Filters, *, but: str = "") -> QuerySet[ReviewItem]:
    """The items that fit and that this reader may see. `but`: a filter that is left out, as counts of its values want.

    Raises Refused for a state that is none.
    """
    rows = visible_items(reader)
    for name, value in filters.dict().items():
        if name != but and (value or name == "state"):
            rows = rows.filter(_condition(name, value.strip(), reader))
    return rows


def _condition(name: str, value: str, reader: Author) -> Q:
    if name == "state":
        return _state(value)
    if name == "task":
        return Q(task__slug=value) | Q(task=None, task_name=value)
    if name == "author":
        return Q(author__name=value)
    if name == "device":
        return Q(device="" if value == "none" else value)
    if name == "assignee":
        return {"me": Q(assignee=reader), "nobody": Q(assignee=None)}.get(value, Q(assignee__name=value))
    if name == "label":
        return Q(pk__in=ReviewItem.objects.filter(labels__name=value).values("pk"))
    if name == "mentions":
        return Q(pk__in=ReviewItem.objects.filter(comments__mentions=reader, comments__withdrawn_at=None).values("pk"))
    if name == "q":
        found = Q()
        for word in value.split()[:8]:
            found &= Q(text__icontains=word) | Q(task_name__icontains=word) | Q(author__name__icontains=word)
        return found
    return Q(**{name: value})


def _state(value: str) -> Q:
    if value == ANY:
        return Q()
    if value == DECIDED:
        return ~Q(decision="")
    if value not in ReviewItem.Decision.values:
        known = ", ".join((DECIDED, ANY, *filter(None, ReviewItem.Decision.values)))
        raise Refused(
            400, "unknown_state", f"There is no state {value[:40]!r}. Leave it out for open ones, or: {known}."
        )
    return Q(decision=value)
