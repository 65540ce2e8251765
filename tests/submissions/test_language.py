"""The language servers over their WebSocket: pyrefly and ruff themselves, shut in as they are for everybody."""

import json
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.test import Client

from passnet_web.asgi import application
from submissions import floods, language_consumer
from submissions.matching import Allowance
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)

PASS = """\
import os
import torch
import triton.language as tl
from pass_dir.helper import seven
x = torch.nn.functional.relu(torch.zeros(seven))
y = undefined_thing
z = tl.arange(0, 8)
"""
FILES = {"MyPass.py": PASS, "helper.py": "seven   =  7\n"}
PATIENCE = 60.0  # for one answer, on a machine that is busy


@dataclass
class Lane:
    process: subprocess.Popen[bytes]
    socket: Path

    def servers(self, name: str = "") -> list[psutil.Process]:
        """The servers that run; those of one program."""
        living = psutil.Process(self.process.pid).children(recursive=True)
        found = []
        for one in living:
            try:
                if one.status() != psutil.STATUS_ZOMBIE and one.name() in ("pyrefly", "ruff") and name in one.name():
                    found.append(one)
            except psutil.NoSuchProcess:
                continue
        return found


@pytest.fixture(scope="module")
def lane() -> Iterator[Lane]:
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        made = start_lane(Path(folder) / "l.sock")
        yield made
        made.process.terminate()
        assert made.process.wait(30) == 0
        assert not made.socket.exists()


def start_lane(path: Path) -> Lane:
    process = subprocess.Popen([sys.executable, "-m", "evaluator", "languages", "--socket", str(path)])
    wait_for(path.exists)
    return Lane(process, path)


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


class Page:
    """What a page does, without a page."""

    def __init__(self, client) -> None:
        headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
        if "sessionid" in client.cookies:
            headers.append((b"cookie", b"sessionid=" + client.cookies["sessionid"].value.encode()))
        self.socket = WebsocketCommunicator(application, "/ws/language", headers=headers)
        self.diagnostics: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.count = 0

    async def start(self, files: dict[str, str]) -> dict[str, Any]:
        await self.socket.connect(PATIENCE)
        await self.socket.send_json_to({"type": "start", "files": files})
        return await self.until("ready", "off")

    async def until(self, *types: str) -> dict[str, Any]:
        while True:
            said = await self.socket.receive_json_from(PATIENCE)
            if said["type"] == "diagnostics":
                self.diagnostics[said["server"], said["file"]] = said["diagnostics"]
            if said["type"] in types:
                return said

    async def ask(self, method: str, file: str, **params: Any) -> Any:
        self.count += 1
        question = {"type": "ask", "id": self.count, "method": method, "file": file, "params": params}
        await self.socket.send_json_to(question)
        return await self.answer()

    async def source(self, uri: str) -> Any:
        self.count += 1
        await self.socket.send_json_to({"type": "source", "id": self.count, "uri": uri})
        return await self.answer()

    async def answer(self) -> Any:
        while (said := await self.until("answer"))["id"] != self.count:
            pass
        return said["result"]

    async def marks(self, server: str, file: str) -> list[tuple[str, int]]:
        """Code and line of what a server has found, errors and warnings, once it has said so."""
        while (server, file) not in self.diagnostics:
            await self.until("diagnostics")
        found = self.diagnostics.pop((server, file))
        return sorted((one["code"], one["range"]["start"]["line"] + 1) for one in found if one["severity"] < 3)

    async def close_code(self) -> int:
        while (said := await self.socket.receive_output(PATIENCE))["type"] != "websocket.close":
            pass
        return said["code"]


@pytest.fixture
async def page(lane, settings, client, author) -> AsyncIterator[Page]:
    settings.LANGUAGE_SOCKET = str(lane.socket)
    made = Page(client)
    yield made
    await made.socket.disconnect()
    wait_for(lambda: lane.servers() == [])  # they end with the socket


async def test_torch_triton_and_the_authors_own_modules_are_known(page):
    assert await page.start(FILES) == {"type": "ready"}
    assert await page.marks("types", "MyPass.py") == [("unknown-name", 6)]
    assert await page.marks("lint", "MyPass.py") == [("F401", 1)]
    relu, seven = {"line": 4, "character": 25}, {"line": 3, "character": 30}
    assert (
        "rectified linear unit"
        in (await page.ask("textDocument/hover", "MyPass.py", position=relu))["contents"]["value"]
    )
    own = await page.ask("textDocument/definition", "MyPass.py", position=seven)
    assert (own["file"], own["range"]["start"]) == ("helper.py", {"line": 0, "character": 0})
    found = await page.ask("textDocument/definition", "MyPass.py", position=relu)
    source = await page.source(found["uri"])
    assert source["name"] == "torch/nn/functional.py"
    assert source["text"].splitlines()[found["range"]["start"]["line"]].startswith("def relu(")
    edits = await page.ask("textDocument/formatting", "helper.py", options={"tabSize": 4, "insertSpaces": True})
    assert "".join(edit["newText"] for edit in edits) in ("seven = 7\n", " = ", " ")

    typed = {"range": {"start": {"line": 5, "character": 4}, "end": {"line": 5, "character": 19}}, "text": "tl.aran"}
    await page.socket.send_json_to({"type": "change", "file": "MyPass.py", "version": 2, "changes": [typed]})
    offered = await page.ask("textDocument/completion", "MyPass.py", position={"line": 5, "character": 11})
    items = offered if isinstance(offered, list) else offered["items"]
    assert "arange" in [item["label"] for item in items]
    assert await page.ask("workspace/executeCommand", "MyPass.py", command="x") is None  # not one of ours
    for uri in ("file:///etc/passwd", "file:///proc/self/environ", f"file://{__file__}", "nonsense"):
        assert await page.source(uri) is None


def test_a_file_larger_than_a_socket_holds_arrives_whole(lane):
    path = Path(sysconfig.get_path("purelib"), "torch", "nn", "functional.py")
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(PATIENCE)
        asking.connect(str(lane.socket))
        asking.sendall(json.dumps({"op": "source", "path": str(path)}).encode() + b"\n")
        time.sleep(1.0)  # a reader that is late: what does not fit into the socket has to wait for it
        answer = b"".join(iter(lambda: asking.recv(65536), b""))
    assert path.stat().st_size > 200_000
    assert json.loads(answer)["text"] == path.read_text("utf-8")


async def test_nobody_else_s_files_are_in_reach(page, lane):
    await page.start(FILES)
    other, browser = await sync_to_async(account)("eve"), Client()
    await sync_to_async(browser.force_login)(other.user)
    theirs = Page(browser)
    text = "from pass_dir.helper import seven\nimport submissions\nimport torch\n"
    await theirs.start({"Eve.py": text})
    assert await theirs.marks("types", "Eve.py") == [("missing-import", 1), ("missing-import", 2)]
    pids = [one.pid for one in lane.servers("pyrefly")]
    assert len(pids) == 2
    for pid in pids:  # own network without a way out, own user, own files
        assert "eth" not in Path(f"/proc/{pid}/net/dev").read_text()
        assert Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
        assert not Path(f"/proc/{pid}/root{Path(__file__)}").exists()
    await theirs.socket.disconnect()
    assert (await page.ask("textDocument/hover", "helper.py", position={"line": 0, "character": 0})) is not None


async def test_a_server_that_is_lost_is_said_and_starts_again(page, lane, client):
    await page.start(FILES)
    lane.servers("pyrefly")[0].kill()
    assert (await page.until("off"))["again"] == "later"
    assert await page.close_code() == language_consumer.OFF
    again = Page(client)
    assert await again.start(FILES) == {"type": "ready"}
    await again.socket.disconnect()


async def test_an_author_has_one_of_each_in_the_page_looked_at_last(page, lane, client):
    await page.start(FILES)
    second = Page(client)
    assert await second.start(FILES) == {"type": "ready"}
    said = await page.until("off")
    assert (said["again"], "another page" in said["message"]) == ("focus", True)
    wait_for(lambda: len(lane.servers()) == 2)
    await second.socket.disconnect()


async def test_the_end_of_a_server_can_come_before_the_word_that_another_page_has_it(page, lane, client, monkeypatch):
    async def late(self, event):
        """The word is still on its way."""

    monkeypatch.setattr(language_consumer.LanguageConsumer, "language_taken", late)
    await page.start(FILES)
    second = Page(client)
    assert await second.start(FILES) == {"type": "ready"}
    assert (await page.until("off"))["again"] == "focus"
    await second.socket.disconnect()


async def test_what_is_too_large_or_too_often_ends_the_socket(page, monkeypatch):
    monkeypatch.setattr(language_consumer, "MAX_MESSAGE", 2000)
    assert await page.start(FILES) == {"type": "ready"}
    await page.socket.send_json_to({"type": "start", "files": {"A.py": "x" * 2001}})
    assert await page.close_code() == floods.TOO_LARGE


async def test_a_flood_ends_the_socket(page, monkeypatch):
    monkeypatch.setattr(language_consumer, "MOST_MESSAGES", 3)
    await page.socket.connect(PATIENCE)
    for _ in range(4):
        await page.socket.send_json_to({"type": "ask", "id": 1, "method": "none", "file": "", "params": {}})
    assert await page.close_code() == language_consumer.TOO_MANY


async def test_nonsense_is_not_answered_and_harms_nothing(page):
    assert (await page.start(FILES))["type"] == "ready"
    deep = "[" * 900 + "]" * 900
    for odd in (
        '{"type": "ask", "id": 1, "method": "textDocument/hover", "file": "\\ud800", "params": {}}',
        '{"type": "ask", "id": 1, "method": "textDocument/hover", "file": "MyPass.py", "params": {"x": ' + deep + "}}",
        '{"type": "change", "file": "\\ud800", "version": 99, "changes": []}',
        '{"type": "change", "file": "MyPass.py", "version": 99, "changes": ' + deep + "}",
        '{"type": "source", "id": 1, "uri": "file:///\\ud800%00"}',
    ):
        await page.socket.send_to(odd)
    page.count = 1  # the source has an answer
    found = await page.ask("textDocument/hover", "MyPass.py", position={"line": 1, "character": 8})
    assert found is not None


async def test_the_servers_are_not_started_again_and_again(page, monkeypatch):
    """Each start is two processes."""
    monkeypatch.setattr(language_consumer, "starts", Allowance(burst=2, seconds=60.0))
    assert (await page.start({"A.py": ""}))["type"] == "ready"
    await page.socket.send_json_to({"type": "start", "files": {"A.py": "", "B.py": ""}})
    assert (await page.until("ready", "off"))["type"] == "ready"
    await page.socket.send_json_to({"type": "start", "files": {"A.py": ""}})
    said = await page.until("ready", "off")
    assert (said["type"], said["again"]) == ("off", "later")


async def test_files_that_leave_their_folder_are_refused(page):
    said = await page.start({"../outside.py": ""})
    assert (said["type"], said["again"]) == ("off", "typing")
    assert "The file name" in said["message"]


async def test_nothing_was_typed_for_long(page, monkeypatch):
    monkeypatch.setattr(language_consumer, "IDLE_SECONDS", 0.0)
    await page.socket.connect(PATIENCE)
    assert (await page.until("off"))["again"] == "typing"


async def test_without_a_login_there_is_nothing(settings, client, lane, db):
    settings.LANGUAGE_SOCKET = str(lane.socket)
    await sync_to_async(client.logout)()
    stranger = Page(client)
    await stranger.socket.send_input({"type": "websocket.connect"})
    assert await stranger.close_code() == 4401
    assert lane.servers() == []


@pytest.mark.parametrize(("address", "again"), [("", "never"), ("/nonexistent/l.sock", "later")])
async def test_without_servers_the_page_is_told_so(settings, client, author, address, again):
    settings.LANGUAGE_SOCKET = address
    alone = Page(client)
    await alone.socket.connect(PATIENCE)
    await alone.socket.send_json_to({"type": "start", "files": FILES})
    assert (await alone.until("off"))["again"] == again


async def test_the_lane_killed_outright_leaves_no_server(settings, client, author, tmp_path):
    own = start_lane(tmp_path / "l.sock")
    settings.LANGUAGE_SOCKET = str(own.socket)
    alone = Page(client)
    await alone.start(FILES)
    servers = own.servers()
    assert len(servers) == 2
    own.process.kill()
    own.process.wait()
    wait_for(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in servers))
    assert (await alone.until("off"))["again"] == "later"
