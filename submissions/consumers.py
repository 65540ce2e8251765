"""The WebSocket of a run. It never carries a row of the log, only "there is news up to n": rows are read by number."""

import json
from typing import Any, TypedDict

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from graphs.refused import Refused
from submissions.access import access_run
from submissions.announce import group_name
from submissions.authors import current_author
from submissions.floods import TOO_LARGE, TOO_MANY, Messages
from submissions.models import Run

UNKNOWN_RUN = 4404
NOT_LOGGED_IN = 4401
NOT_ALLOWED = 4403
_LONGEST = 1000  # characters: a page sends pings


class News(TypedDict):
    """`{"type": "run.news"}` on the channel layer, `{"type": "news"}` to the browser."""

    type: str
    seq: int
    state: str


class RunConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Says the newest event number at connection and whenever it grows; answers pings.

    Permission is asked before each message, from the session as it is then: a logout, a changed password, an account
    that was closed or a right that was taken away ends the socket.
    """

    run: Run

    async def connect(self) -> None:
        self.messages = Messages()
        try:
            self.run = await _admit(self.scope)
        except Refused as refused:
            # Accepted first: a browser can not see why an upgrade was refused, but it can see a close code.
            await self.accept()
            await self.close(code=close_code(refused))
            return
        await self.channel_layer.group_add(group_name(str(self.run.pk)), self.channel_name)
        await self.accept()
        # Read after subscribing: whatever is appended from now on is either in this number or announced.
        await self._send_news(*await _newest(self.run))

    async def disconnect(self, code: int) -> None:
        if hasattr(self, "run"):
            await self.channel_layer.group_discard(group_name(str(self.run.pk)), self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        if self.messages.are_too_many():
            await self.close(code=TOO_MANY)
        elif text_data is None or len(text_data) > _LONGEST:
            await self.close(code=TOO_LARGE)
        elif _is_ping(text_data) and await self._still_admitted():
            await self.send_json({"type": "pong"})

    async def run_news(self, event: News) -> None:
        """A message of the channel layer."""
        await self._send_news(event["seq"], event["state"])

    async def _send_news(self, seq: int, state: str) -> None:
        if await self._still_admitted():
            await self.send_json({"type": "news", "seq": seq, "state": state})

    async def _still_admitted(self) -> bool:
        if not hasattr(self, "run"):
            return False  # refused; the close is on its way
        try:
            await _admit(self.scope)
        except Refused as refused:
            await self.close(code=close_code(refused))
            return False
        return True


@database_sync_to_async  # type: ignore[untyped-decorator]
def _newest(run: Run) -> tuple[int, str]:
    return Run.objects.values_list("seq", "state").get(pk=run.pk)


@database_sync_to_async  # type: ignore[untyped-decorator]
def _admit(scope: Any) -> Run:
    return access_run(current_author(scope), scope["url_route"]["kwargs"]["run_id"])


def close_code(refused: Refused) -> int:
    """What a socket is closed with instead of an HTTP status."""
    return {401: NOT_LOGGED_IN, 404: UNKNOWN_RUN}.get(refused.status, NOT_ALLOWED)


def _is_ping(text: str) -> bool:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("type") == "ping"
