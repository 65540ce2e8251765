"""The WebSocket on which a text is matched while it is typed, against a lane that says what a test wants."""

import asyncio
import json
import socket as sockets
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from passnet_web.asgi import application
from submissions import floods
from submissions.files import ORDER_FILE
from submissions.matching import Allowance

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {"A.py": "import torch\n", ORDER_FILE: '["A"]'}


class SmallLane:
    """Speaks as evaluator.runner.match_lane does; `answer` is what it says to a text."""

    def __init__(self, path: Path) -> None:
        self.heard: list[dict[str, Any]] = []
        self.answer: Callable[[dict[str, Any]], list[dict[str, Any]]] = lambda asked: [
            {"say": "graph", "graph": asked["first"], "matches": 1, "nodes": [["tmp_0"]], "near_misses": []},
            {"say": "done"},
        ]
        self.connections: list[sockets.socket] = []
        self._listener = sockets.socket(sockets.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections.append(sock)
            threading.Thread(target=self._serve, args=[sock], daemon=True).start()

    def _serve(self, sock: sockets.socket) -> None:
        for line in sock.makefile("rb"):
            asked = json.loads(line)
            self.heard.append(asked)
            said = [{"say": "ready", "version": None}] if asked["op"] == "graphs" else self.answer(asked)
            for one in said:
                sock.sendall(json.dumps({"version": asked.get("version"), **one}).encode() + b"\n")

    def hang_up(self) -> None:
        for sock in self.connections:
            sock.shutdown(sockets.SHUT_RDWR)
        self.connections.clear()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def lane(tmp_path, settings) -> Iterator[SmallLane]:
    settings.MATCH_SOCKET = tmp_path / "m.sock"
    made = SmallLane(settings.MATCH_SOCKET)
    yield made
    made.close()


def page(task, client=None, origin: bytes = b"http://localhost") -> WebsocketCommunicator:
    headers = [(b"host", b"localhost"), (b"origin", origin)]
    if client is not None:
        headers.append((b"cookie", b"sessionid=" + client.cookies["sessionid"].value.encode()))
    return WebsocketCommunicator(application, f"/ws/tasks/{task.slug}/match", headers=headers)


def text(version: int, files: dict[str, str] = FILES) -> dict[str, Any]:
    return {"type": "match", "version": version, "files": files, "graph": "f32"}


async def close_code(watching: WebsocketCommunicator) -> int:
    said = await watching.receive_output(10)
    while said["type"] != "websocket.close":
        said = await watching.receive_output(10)
    return said["code"]


async def test_what_the_lane_says_comes_through_with_its_version(lane, task, client):
    open_page = page(task, client)
    assert (await open_page.connect())[0]
    await open_page.send_json_to(text(7))
    said = await open_page.receive_json_from(10)
    assert (said["type"], said["version"], said["graph"], said["nodes"]) == ("graph", 7, "f32", [["tmp_0"]])
    assert (await open_page.receive_json_from(10))["type"] == "done"
    graphs, asked = lane.heard
    assert [one["name"] for one in graphs["graphs"]] == ["f32", "f16"] and "relu" in graphs["graphs"][0]["source"]
    assert (asked["version"], asked["files"], asked["first"]) == (7, FILES, "f32")
    await open_page.send_json_to(text(8))
    assert (await open_page.receive_json_from(10))["version"] == 8
    assert [one["op"] for one in lane.heard] == ["graphs", "match", "match"]  # the graphs were said once
    await open_page.disconnect()


async def test_a_lane_that_went_is_said_and_found_again(lane, task, client):
    open_page = page(task, client)
    await open_page.connect()
    await open_page.send_json_to(text(1))
    await open_page.receive_json_from(10)
    await open_page.receive_json_from(10)
    lane.hang_up()
    said = await open_page.receive_json_from(10)
    assert said["type"] == "offline" and "a run matches as always" in said["message"]
    await open_page.send_json_to(text(2))
    assert (await open_page.receive_json_from(10))["version"] == 2
    await open_page.disconnect()


async def test_without_a_lane_the_page_is_told(task, client, settings, tmp_path):
    settings.MATCH_SOCKET = tmp_path / "nobody.sock"
    open_page = page(task, client)
    await open_page.connect()
    await open_page.send_json_to(text(1))
    assert (await open_page.receive_json_from(10))["type"] == "offline"
    await open_page.disconnect()


async def test_nobody_without_a_session(lane, task):
    refused = page(task)
    await refused.send_input({"type": "websocket.connect"})
    assert await close_code(refused) == 4401


async def test_no_task_of_that_name(lane, task, client):
    task.slug = "none"
    refused = page(task, client)
    await refused.send_input({"type": "websocket.connect"})
    assert await close_code(refused) == 4404


async def test_after_a_logout_nothing_is_matched(lane, task, client):
    open_page = page(task, client)
    await open_page.connect()
    await sync_to_async(client.post)("/logout/")
    await open_page.send_json_to(text(1))
    assert await close_code(open_page) == 4401
    assert lane.heard == []


async def test_after_a_logout_an_answer_that_comes_late_ends_the_socket(lane, task, client):
    lane.answer = lambda asked: []
    open_page = page(task, client)
    await open_page.connect()
    await open_page.send_json_to(text(1))
    while len(lane.heard) < 2:
        await asyncio.sleep(0.01)
    await sync_to_async(client.logout)()
    lane.connections[0].sendall(json.dumps({"say": "graph", "version": 1, "graph": "f32"}).encode() + b"\n")
    assert await close_code(open_page) == 4401


async def test_pages_of_other_sites_get_no_socket(lane, task, client):
    refused = page(task, client, b"http://evil.example")
    await refused.send_input({"type": "websocket.connect"})
    assert (await refused.receive_output(10))["type"] == "websocket.close"


@pytest.mark.parametrize("files", [{}, {"../A.py": ""}, {"A.py": "a\0"}, {"A.py": "x" * 1_000_001}])
async def test_files_that_no_draft_may_have_are_refused_with_the_reason(lane, task, client, files):
    open_page = page(task, client)
    await open_page.connect()
    await open_page.send_json_to(text(3, files))
    said = await open_page.receive_json_from(10)
    assert (said["type"], said["version"]) == ("refused", 3) and said["message"]
    assert lane.heard == []
    await open_page.disconnect()


async def test_a_message_of_any_size_ends_the_socket_and_nonsense_is_not_answered(lane, task, client):
    open_page = page(task, client)
    await open_page.connect()
    for nonsense in ("[]", "no json", '{"type": "match"}', '{"type": "match", "version": 1, "files": 3, "graph": ""}'):
        await open_page.send_to(nonsense)
    assert await open_page.receive_nothing(0.3)
    await open_page.send_to("x" * 8_000_001)
    assert await close_code(open_page) == floods.TOO_LARGE


def test_an_author_may_ask_in_bursts_and_then_steadily():
    allowance = Allowance(burst=3, seconds=2.0)
    assert [allowance.take(1, now=100.0) for _ in range(4)] == [0, 0, 0, 2.0]
    assert allowance.take(2, now=100.0) == 0  # somebody else
    assert allowance.take(1, now=102.0) == 0
    assert allowance.take(1, now=102.0) == 2.0
