"""The WebSocket on which a page has its text matched while it is typed; evaluator.runner.match_lane says what comes.

page → {"type": "match", "version": n, "files": {name: text}, "graph": name}
page ← {"type": "graph" | "unreadable" | "failed" | "done" | "refused", "version": n, …}
page ← {"type": "offline", "message": why}      nobody matches; the page goes on without and may ask again
"""

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from graphs.access import access_task
from graphs.models import Task
from graphs.refused import Refused
from submissions.authors import current_author
from submissions.consumers import close_code
from submissions.files import MAX_BYTES, check_files, check_texts
from submissions.floods import TOO_LARGE, TOO_MANY, Messages
from submissions.matching import Lane, LaneGone, allowance, graphs_line, line
from submissions.models import Author

_MAX_MESSAGE = 8 * MAX_BYTES  # characters; every one of a text may be written as an escape
_PASSED_ON = frozenset({"graph", "unreadable", "failed", "done", "refused"})


@dataclass(frozen=True)
class _Wanted:
    version: int
    files: dict[str, str]
    graph: str


class MatchConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """One page. Permission is asked before each text, from the session as it is then."""

    lane: Lane | None = None
    following: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        self.messages = Messages()
        await self.accept()  # a browser can not see why an upgrade was refused, but it can see a close code
        await self._admitted()

    async def disconnect(self, code: int) -> None:
        self._leave()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        if self.messages.are_too_many():
            await self.close(code=TOO_MANY)
            return
        if text_data is None or len(text_data) > _MAX_MESSAGE:
            await self.close(code=TOO_LARGE)
            return
        admitted = await self._admitted()
        wanted = _read(text_data)
        if admitted is None or wanted is None:
            return
        author, task = admitted
        try:
            check_files(wanted.files)
            check_texts(wanted.files)
        except Refused as refused:
            await self._say(wanted.version, "refused", message=refused.message)
            return
        wait = allowance.take(author.pk)
        if wait > 0:
            await self._say(wanted.version, "refused", message="Too many texts at once.", retry_after=round(wait, 2))
            return
        await self._ask(author, task, wanted)

    async def _ask(self, author: Author, task: Task, wanted: _Wanted) -> None:
        message = line({"op": "match", "version": wanted.version, "files": wanted.files, "first": wanted.graph})
        for _ in range(2):  # the evaluator may have been started again since the last text
            try:
                lane = self.lane or await self._open(author, task)
                await lane.send(message)
                return
            except LaneGone as gone:
                self._leave()
                problem = str(gone)
        await self.send_json({"type": "offline", "message": problem})

    async def _open(self, author: Author, task: Task) -> Lane:
        self.lane = await Lane.open(await _graphs_line(str(author.pk), task))
        self.following = asyncio.create_task(self._follow(self.lane))
        return self.lane

    async def _follow(self, lane: Lane) -> None:
        """Pass on what the lane says until it is gone."""
        try:
            while True:
                said = await lane.read()
                if said.get("say") not in _PASSED_ON:
                    continue
                if await self._admitted() is None:
                    return
                await self.send_json({**said, "type": said["say"]})
        except LaneGone as gone:
            if self.lane is lane:
                self.lane = None
                lane.close()
                await self.send_json({"type": "offline", "message": str(gone)})

    def _leave(self) -> None:
        if self.following is not None and self.following is not asyncio.current_task():
            self.following.cancel()  # who is in it himself has a socket to close yet
        if self.lane is not None:
            self.lane.close()
        self.lane = self.following = None

    async def _say(self, version: int, what: str, **more: Any) -> None:
        await self.send_json({"type": what, "version": version, **more})

    async def _admitted(self) -> tuple[Author, Task] | None:
        try:
            admitted: tuple[Author, Task] = await _admit(self.scope)
            return admitted
        except Refused as refused:
            self._leave()
            with contextlib.suppress(RuntimeError):  # it is closed already
                await self.close(code=close_code(refused))
            return None


@database_sync_to_async  # type: ignore[untyped-decorator]
def _admit(scope: Any) -> tuple[Author, Task]:
    return current_author(scope), access_task(scope["url_route"]["kwargs"]["slug"])


@database_sync_to_async  # type: ignore[untyped-decorator]
def _graphs_line(who: str, task: Task) -> bytes:
    return graphs_line(who, task)


def _read(text: str) -> _Wanted | None:
    """A text to be matched; None for anything else."""
    try:
        content = json.loads(text)
        files = content["files"]
        if content["type"] != "match" or not all(isinstance(value, str) for value in files.values()):
            return None
        return _Wanted(int(content["version"]), files, str(content["graph"]))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
