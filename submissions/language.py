"""The web server's side of the language servers: connections to the language lane, speaking LSP.

Nothing here waits in a thread, and nothing of an author's is executed: the lane has the servers shut in.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings

TYPES, LINT = "types", "lint"
KINDS = (TYPES, LINT)
NOBODY = "the language servers do not answer; it is tried again by itself"
CONNECT_SECONDS, START_SECONDS = 5.0, 20.0
_MAX_LINE = 4 << 20
_MAX_ANSWER = 8 << 20  # bytes of one message of a server
_MAX_HEADER = 1 << 12

# What the page can do with an answer. Neither pulled diagnostics nor edits of files that are not open.
_CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"workspaceFolders": True},
    "textDocument": {
        "synchronization": {"didSave": False},
        "publishDiagnostics": {"versionSupport": True},
        "completion": {"completionItem": {"documentationFormat": ["markdown"], "deprecatedSupport": True}},
        "hover": {"contentFormat": ["markdown"]},
        "definition": {"linkSupport": False},
        "signatureHelp": {
            "signatureInformation": {
                "documentationFormat": ["markdown"],
                "parameterInformation": {"labelOffsetSupport": True},
                "activeParameterSupport": True,
            }
        },
    },
}


class Unavailable(Exception):
    """There is no language server at the moment; the text says why."""


class Gone(Exception):
    """The server has ended."""


@dataclass
class Server:
    """One server that is being spoken to. `root` is the folder of the author's files as it sees it."""

    kind: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    root: str
    versions: dict[str, int] = field(default_factory=dict)

    @staticmethod
    async def open(kind: str, who: str, page: str, files: dict[str, str]) -> "Server":
        """Start one for these files and open them in it. Raises Unavailable."""
        said, reader, writer = await _call({"op": "start", "server": kind, "who": who, "page": page, "files": files})
        server = Server(kind, reader, writer, str(said["root"]))
        try:
            async with asyncio.timeout(START_SECONDS):
                await server._introduce(files)
        except (Gone, TimeoutError) as error:
            server.close()
            raise Unavailable("the language server did not start; it is tried again by itself") from error
        return server

    async def _introduce(self, files: dict[str, str]) -> None:
        root = Path(self.root).parent.as_uri()
        folders = [{"uri": root, "name": "pass"}]
        options = {"pyrefly": {"displayTypeErrors": "force-on"}} if self.kind == TYPES else {}
        parameters = {
            "processId": None, "rootUri": root, "workspaceFolders": folders, "capabilities": _CAPABILITIES,
            "initializationOptions": options,
        }  # fmt: skip
        await self.ask("start", "initialize", parameters)
        while (await self.read()).get("id") != "start":
            pass
        await self.tell("initialized", {})
        for name, text in files.items():
            if name.endswith(".py"):
                self.versions[name] = 1
                document = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
                await self.tell("textDocument/didOpen", {"textDocument": document})

    async def change(self, name: str, version: int, changes: list[Any]) -> None:
        """Say what was typed: LSP's content changes. A file that is not open, or an older version, is left alone."""
        if version > self.versions.get(name, version):
            self.versions[name] = version
            document = {"uri": self.uri(name), "version": version}
            await self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    async def ask(self, number: int | str, method: str, parameters: Any) -> None:
        await self._send({"id": number, "method": method, "params": parameters})

    async def tell(self, method: str, parameters: Any) -> None:
        await self._send({"method": method, "params": parameters})

    async def read(self) -> dict[str, Any]:
        """The next answer or announcement; what the server asks is answered here. Raises Gone."""
        while True:
            message = await self._receive()
            if "method" in message and "id" in message:
                await self._send({"id": message["id"], "result": _answer(message)})
            else:
                return message

    def close(self) -> None:
        self.writer.close()

    def uri(self, name: str) -> str:
        """The address of one of the author's files."""
        return f"file://{quote(self.root)}/{quote(name)}"

    def name(self, uri: str) -> str | None:
        """The author's file at an address; None for any other."""
        path = path_of(uri)
        return path[len(self.root) + 1 :] if path.startswith(self.root + "/") else None

    async def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        try:
            self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            await self.writer.drain()
        except OSError as error:
            raise Gone from error

    async def _receive(self) -> dict[str, Any]:
        try:
            header = await self.reader.readuntil(b"\r\n\r\n")
            if len(header) > _MAX_HEADER:
                raise Gone
            lengths = [
                line.partition(b":")[2] for line in header.split(b"\r\n") if line[:15].lower() == b"content-length:"
            ]
            length = int(lengths[0])
            if not 0 <= length <= _MAX_ANSWER:
                raise Gone
            message = json.loads(await self.reader.readexactly(length))
        except (OSError, ValueError, StopIteration, EOFError, asyncio.LimitOverrunError, RecursionError) as error:
            raise Gone from error
        if not isinstance(message, dict):
            raise Gone
        return message


async def page_of(who: str) -> str | None:
    """The page that has an author's servers at this moment; None when none has, or the lane does not answer."""
    try:
        said, _, writer = await _call({"op": "page", "who": who})
    except Unavailable:
        return None
    writer.close()
    return str(said["page"]) if said["page"] else None


async def source(path: str) -> tuple[str, str] | None:
    """Name and text of a file of the packages, as the lane shows it; None when it does not."""
    try:
        said, _, writer = await _call({"op": "source", "path": path})
    except Unavailable:
        return None
    writer.close()
    return str(said["name"]), str(said["text"])


def path_of(uri: str) -> str:
    """The path of a file's address; "" for another address."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return unquote(parts.path) if parts.scheme == "file" else ""


async def _call(request: dict[str, Any]) -> tuple[dict[str, Any], asyncio.StreamReader, asyncio.StreamWriter]:
    """Say one thing to the lane and hear its answer. Raises Unavailable."""
    writer = None
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            path = str(settings.LANGUAGE_SOCKET)
            reader, writer = await asyncio.open_unix_connection(path, limit=_MAX_LINE)
            writer.write(json.dumps(request).encode() + b"\n")
            await writer.drain()
            said = json.loads(await reader.readline())
            why = None if said["say"] != "refused" else str(said["message"])
    except (OSError, TimeoutError, ValueError, KeyError, TypeError) as error:
        if writer is not None:
            writer.close()
        raise Unavailable(NOBODY) from error
    if why is not None:
        writer.close()
        raise Unavailable(why)
    return said, reader, writer


def _answer(message: dict[str, Any]) -> Any:
    """What a server that asks us something is told: nothing is configured here, and nothing is done for it."""
    if message["method"] == "workspace/configuration":
        items = message.get("params", {}).get("items", [])
        return [None for _ in items]
    return None
