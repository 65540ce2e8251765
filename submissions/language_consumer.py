"""The WebSocket on which a page has its pass files completed, explained and checked while they are typed.

page → {"type": "start", "files": {name: text}}                 also again, when files come or go
page → {"type": "change", "file", "version": n, "changes"}      LSP's content changes; a start opens with version 1
page → {"type": "ask", "id": n, "method", "file", "params"}     one of METHODS; the file's address is put in here
page → {"type": "source", "id": n, "uri"}                       a file of the packages, to be read
page ← {"type": "ready"}
page ← {"type": "answer", "id": n, "result"}                    null also when there is none
page ← {"type": "diagnostics", "server", "file", "diagnostics"}
page ← {"type": "off", "message": why, "again": "never" | "later" | "focus" | "typing"}, and the end

An author has the servers in one page at a time: the one that was looked at last.
"""

import asyncio
import contextlib
import json
import time
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings

from graphs.refused import Refused
from submissions import language
from submissions.authors import current_author
from submissions.consumers import close_code
from submissions.files import MAX_BYTES, check_files, check_texts
from submissions.floods import TOO_LARGE, TOO_MANY, Messages
from submissions.language import KINDS, LINT, TYPES, Gone, Server, Unavailable
from submissions.matching import Allowance

OFF = 4503
MOST_MESSAGES = 400  # in ten seconds: a key is a change and a question or two
MAX_MESSAGE = 8 * MAX_BYTES  # characters; every one of a text may be written as an escape
IDLE_SECONDS = 600.0
_DEPTH = 16  # of what is passed on to a server
METHODS = {
    "textDocument/completion": TYPES,
    "textDocument/hover": TYPES,
    "textDocument/definition": TYPES,
    "textDocument/signatureHelp": TYPES,
    "textDocument/formatting": LINT,
}

_ELSEWHERE = "it is on in another page of yours, and comes back here with a click"
_TOO_OFTEN = "it was started very often just now; it is tried again by itself"
_IDLE = "nothing was typed for a while; it comes back with the next key"


starts = Allowance(burst=20, seconds=3.0)  # of an author: each is two processes


class LanguageConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """One page. Permission is asked before each message, from the session as it is then."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.messages = Messages(MOST_MESSAGES)
        self.servers: dict[str, Server] = {}
        self.following: list[asyncio.Task[None]] = []
        self.group: str | None = None
        self.heard_at = time.monotonic()
        self.watching: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        await self.accept()  # a browser can not see why an upgrade was refused, but it can see a close code
        author = await self._author()
        if author is None:
            return
        if not settings.LANGUAGE_SOCKET:
            await self._turn_off("this workbench runs no language servers (LANGUAGE_SOCKET is empty)", "never")
            return
        self.group = f"language.{author}"
        await self.channel_layer.group_add(self.group, self.channel_name)
        self.watching = asyncio.create_task(self._watch())

    async def disconnect(self, code: int) -> None:
        self._leave()
        if self.watching is not None:
            self.watching.cancel()
        if self.group is not None:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        if self.messages.are_too_many():
            await self.close(code=TOO_MANY)
            return
        if text_data is None or len(text_data) > MAX_MESSAGE:
            await self.close(code=TOO_LARGE)
            return
        author = await self._author()
        message = _read(text_data)
        if author is None or message is None or self.group is None:
            return
        self.heard_at = time.monotonic()
        # Who follows a server that is gone says so. A name that is no text is not answered.
        with contextlib.suppress(Gone, UnicodeError):
            await self._obey(author, message)

    async def _obey(self, author: int, message: dict[str, Any]) -> None:
        match message.get("type"):
            case "start" if _are_texts(message.get("files")):
                await self._start(author, message["files"])
            case "change" if isinstance(message.get("version"), int) and isinstance(message.get("changes"), list):
                for server in self.servers.values():
                    await server.change(str(message.get("file")), message["version"], message["changes"])
            case "ask" if isinstance(message.get("id"), int):
                await self._ask(message)
            case "source" if isinstance(message.get("id"), int):
                found = await language.source(language.path_of(str(message.get("uri"))))
                result = None if found is None else {"name": found[0], "text": found[1]}
                await self.send_json({"type": "answer", "id": message["id"], "result": result})

    async def _start(self, author: int, files: dict[str, str]) -> None:
        self._leave()
        assert self.group is not None
        if starts.take(author) > 0:
            await self._turn_off(_TOO_OFTEN, "later")
            return
        await self.channel_layer.group_send(self.group, {"type": "language.taken", "by": self.channel_name})
        try:
            check_files(files, may_be_empty=True)
            check_texts(files)
            opening = [Server.open(kind, str(author), self.channel_name, files) for kind in KINDS]
            opened = await asyncio.gather(*opening, return_exceptions=True)
            self.servers = {one.kind: one for one in opened if isinstance(one, Server)}
            problem = next((one for one in opened if isinstance(one, BaseException)), None)
            if problem is not None:
                raise problem
        except Refused as refused:
            await self._turn_off(f"the files can not be opened: {refused.message}", "typing")
        except Unavailable as why:
            await self._turn_off(str(why), "later")
        else:
            await self.send_json({"type": "ready"})
            self.following = [asyncio.create_task(self._follow(server, author)) for server in self.servers.values()]

    async def _ask(self, message: dict[str, Any]) -> None:
        method, parameters = str(message.get("method")), message.get("params")
        server = self.servers.get(METHODS.get(method, ""))
        if server is None or not isinstance(parameters, dict):
            await self.send_json({"type": "answer", "id": message["id"], "result": None})
            return
        document = {"uri": server.uri(str(message.get("file")))}
        await server.ask(message["id"], method, {**parameters, "textDocument": document})

    async def _follow(self, server: Server, author: int) -> None:
        """Pass on what a server says until it is gone."""
        try:
            while True:
                said = await server.read()
                if await self._author() is None:
                    return
                if isinstance(said.get("id"), int):
                    result = _with_names(server, said.get("result"))
                    await self.send_json({"type": "answer", "id": said["id"], "result": result})
                elif said.get("method") == "textDocument/publishDiagnostics":
                    await self._show(server, said.get("params", {}))
        except Gone:
            if self.servers.get(server.kind) is server:
                # The end of a server that another page has taken can arrive before the word that it was taken.
                elsewhere = await language.page_of(str(author)) not in (None, self.channel_name)
                why = _ELSEWHERE if elsewhere else "the language server has ended; it is started again by itself"
                await self._turn_off(why, "focus" if elsewhere else "later")

    async def _show(self, server: Server, published: dict[str, Any]) -> None:
        name = server.name(str(published.get("uri")))
        version = published.get("version")
        if name is None or (isinstance(version, int) and version < server.versions.get(name, 0)):
            return
        found = published.get("diagnostics", [])
        await self.send_json({"type": "diagnostics", "server": server.kind, "file": name, "diagnostics": found})

    async def language_taken(self, event: dict[str, str]) -> None:
        """A message of the channel layer: another page of the author has the servers now."""
        if event["by"] != self.channel_name and self.servers:
            await self._turn_off(_ELSEWHERE, "focus")

    async def _watch(self) -> None:
        while (left := self.heard_at + IDLE_SECONDS - time.monotonic()) > 0:
            await asyncio.sleep(left)
        await self._turn_off(_IDLE, "typing")

    async def _turn_off(self, why: str, again: str) -> None:
        self._leave()
        with contextlib.suppress(RuntimeError):  # it is closed already
            await self.send_json({"type": "off", "message": why, "again": again})
            await self.close(code=OFF)

    def _leave(self) -> None:
        me = asyncio.current_task()
        for task in self.following:
            if task is not me:
                task.cancel()
        for server in self.servers.values():
            server.close()
        self.servers, self.following = {}, []

    async def _author(self) -> int | None:
        try:
            number: int = await _admit(self.scope)
            return number
        except Refused as refused:
            self._leave()
            with contextlib.suppress(RuntimeError):
                await self.close(code=close_code(refused))
            return None


@database_sync_to_async  # type: ignore[untyped-decorator]
def _admit(scope: Any) -> int:
    return current_author(scope).pk


def _with_names(server: Server, result: Any) -> Any:
    """A result in which the author's own files have names instead of addresses (in definitions)."""
    places = result if isinstance(result, list) else [result]
    for place in places:
        if isinstance(place, dict) and isinstance(place.get("uri"), str) and "range" in place:
            name = server.name(place["uri"])
            if name is not None:
                place["file"] = name
    return result


def _are_texts(files: Any) -> bool:
    return isinstance(files, dict) and all(isinstance(text, str) for text in files.values())


def _read(text: str) -> dict[str, Any] | None:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and _is_shallow(message) else None


def _is_shallow(message: dict[str, Any]) -> bool:
    """Whether nothing lies deeper than any question of an editor does: servers end when they meet lists in lists."""
    level: list[Any] = [message]
    for _ in range(_DEPTH):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
        if not level:
            return True
    return False
