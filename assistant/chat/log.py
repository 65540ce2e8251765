"""A conversation's log: append, read by number, announce. What was said is in the rows; the socket says there is more.

Kinds of events:
    state     {state, message}
    message   one message of the chat in OpenAI's form; an answer has `stop`, `problem`, `model`, `prompts` as well
    delta     {text}: a piece of the answer that is being written; its `message` has the whole
    waits     {why, seconds}: the endpoint is asked again after this
    doing     {tool, what}: what a tool does while it works
    usage     {input, cached, output, estimated, cost, currency, seconds, model}
    proposal  {proposal, name, problem}
"""

from collections.abc import Sequence
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from assistant.models import Conversation, ConversationEvent
from submissions.announce import Announcer, log
from submissions.safe_json import safe_json

Event = tuple[str, dict[str, Any]]
MAX_PAGE = 500


class NotHeld(Exception):
    """Somebody else writes this turn by now, or it has been ended: nothing was written."""


def append(conversation_id: Any, events: Sequence[Event], *, holder: str | None = None, **changes: Any) -> int:
    """Appends events and returns the number of the last one; `changes` are fields of the row that change with them.

    With `holder`, nothing is written unless that thread still holds the running turn (raises NotHeld).
    """
    rows = Conversation.objects.filter(pk=conversation_id)
    if holder is not None:
        rows = rows.filter(holder=holder, state=Conversation.State.RUNNING)
    now = timezone.now()
    with transaction.atomic():
        if rows.update(seq=F("seq") + len(events), changed_at=now, **changes) != 1:
            raise NotHeld(f"conversation {conversation_id} is not held by {holder}")
        last, state = Conversation.objects.values_list("seq", "state").get(pk=conversation_id)
        first = last - len(events) + 1
        ConversationEvent.objects.bulk_create(
            ConversationEvent(
                conversation_id=conversation_id, seq=first + index, kind=kind, payload=safe_json(payload), at=now
            )
            for index, (kind, payload) in enumerate(events)
        )
        transaction.on_commit(lambda: announce(str(conversation_id), last, state))
    return last


def read(conversation: Conversation, after: int, limit: int) -> list[ConversationEvent]:
    """Events with numbers greater than `after`, never more than the row knows of."""
    newer = conversation.events.filter(seq__gt=after, seq__lte=conversation.seq).order_by("seq")
    return list(newer[: max(1, min(limit, MAX_PAGE))])


def state_event(state: Conversation.State, message: str = "") -> Event:
    """The event that says whether a turn is going on, and why not."""
    return ("state", {"state": state.value, "message": message})


def group_name(conversation_id: str) -> str:
    """The channel layer's group of everybody who watches a conversation."""
    return f"conversation.{conversation_id}"


def _send(conversation_id: str, seq: int, state: str) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        message = {"type": "conversation.news", "seq": seq, "state": state}
        async_to_sync(layer.group_send)(group_name(conversation_id), message)
    except Exception as error:
        log.warning("news about conversation %s was not sent: %s", conversation_id, error)


announce = Announcer(_send).news
