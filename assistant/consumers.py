"""The WebSocket of a conversation. Like a run's it carries no row of the log, only "there is news up to n"."""

from typing import Any, TypedDict

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from assistant.access import access_conversation
from assistant.chat.log import group_name
from assistant.models import Conversation
from graphs.refused import Refused
from submissions.authors import current_author
from submissions.consumers import close_code
from submissions.floods import TOO_LARGE, TOO_MANY, Messages

_LONGEST = 1000  # characters: a page sends pings


class News(TypedDict):
    """`{"type": "conversation.news"}` on the channel layer, `{"type": "news"}` to the browser."""

    type: str
    seq: int
    state: str


class ConversationConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Says the newest event's number at connection and whenever it grows; any short message is answered as a ping.

    Permission is asked before each message, from the session as it is then.
    """

    watched: Conversation | None = None

    async def connect(self) -> None:
        self.messages = Messages()
        await self.accept()  # a browser can not see why an upgrade was refused, but it can see a close code
        found = await self._admitted()
        if found is None:
            return
        self.watched = found
        await self.channel_layer.group_add(group_name(str(found.pk)), self.channel_name)
        # Read after subscribing: whatever is appended from now on is either in this number or announced.
        again = await self._admitted()
        if again is not None:
            await self.send_json({"type": "news", "seq": again.seq, "state": again.state})

    async def disconnect(self, code: int) -> None:
        if self.watched is not None:
            await self.channel_layer.group_discard(group_name(str(self.watched.pk)), self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        if self.messages.are_too_many():
            await self.close(code=TOO_MANY)
        elif text_data is None or len(text_data) > _LONGEST:
            await self.close(code=TOO_LARGE)
        elif await self._admitted() is not None:
            await self.send_json({"type": "pong"})

    async def conversation_news(self, event: News) -> None:
        """A message of the channel layer."""
        if await self._admitted() is not None:
            await self.send_json({"type": "news", "seq": event["seq"], "state": event["state"]})

    async def _admitted(self) -> Conversation | None:
        try:
            found: Conversation = await _admit(self.scope)
        except Refused as refused:
            await self.close(code=close_code(refused))
            return None
        return found


@database_sync_to_async  # type: ignore[untyped-decorator]
def _admit(scope: Any) -> Conversation:
    return access_conversation(current_author(scope), scope["url_route"]["kwargs"]["conversation_id"])
