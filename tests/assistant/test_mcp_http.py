"""The tools for an agent over HTTP: the protocol's own client on our address; what is refused before and after."""

import asyncio
import json

import httpx2
import pytest
from django.test import Client as Browser
from judging_thread import judging
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from small_daemon import graph_result, run_done, start
from task_of_two import store_task

from assistant import mcp_http
from assistant.models import AgentCopy, TaskMark
from assistant.tools import tool_specs
from submissions import limits
from submissions.actions.tokens import do_make_token
from submissions.models import Run
from submissions.tokens import Scope

PATH = "/api/assistant/tasks/doubled-relu/mcp"


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


def judge(connection, job):
    connection.say("run_done", **run_done({name: graph_result("correct", -6) for name in start(connection, job)}))


def use(url, token, *steps):
    async def talk():
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as agent,
        ):
            listed = await agent.list_tools()
            found = [await agent.call_tool(name, arguments) for name, arguments in steps]
        return [tool.name for tool in listed.tools], [(one.content[0].text, one.is_error) for one in found]

    return asyncio.run(talk())


@pytest.mark.django_db(transaction=True)
def test_an_agent_writes_a_file_and_has_it_judged(live_server, author, tmp_path):
    task = store_task()
    token = do_make_token(author, "agent", Scope.RUN, 1)[1]
    url = live_server.url + PATH
    with judging(tmp_path / "cpu.sock", judge):
        names, said = use(
            url, token,
            ("write_file", {"name": "P.py", "text": "x = 1\n"}),
            ("view_file", {"name": "P.py"}),
            ("write_file", {"name": "../out.py", "text": "x = 1\n"}),
            ("run_shell", {"command": "id"}),
            ("evaluate", {}),
        )  # fmt: skip
    assert names == [spec.name for spec in tool_specs()]
    assert said[0] == ("P.py is written.", False) and "x = 1" in said[1][0]
    assert said[2][1] and said[3][1] and "There is no tool 'run_shell'" in said[3][0]
    assert not said[4][1] and "correct on 2 of 2 graphs" in said[4][0]
    assert Run.objects.get().revision.files == {"P.py": "x = 1\n"} == AgentCopy.objects.get().files
    other = do_make_token(author, "another", Scope.RUN, 1)[1]  # its files are its own
    assert "P.py" not in use(url, other, ("list_files", {}))[1][0][0]
    TaskMark.objects.create(author=author, task=task, never_send=True)
    text, wrong = use(url, token, ("list_graphs", {}))[1][0]
    assert wrong and "never send" in text


@pytest.fixture
def post(author, db):
    store_task()
    token = do_make_token(author, "agent", Scope.RUN, 1)[1]
    browser = Browser()

    def send(body, path=PATH, **headers):
        headers = {"Authorization": f"Bearer {token}", **headers}
        body = body if isinstance(body, str) else json.dumps(body)
        return browser.post(path, body, content_type="application/json", headers=headers)

    return send


def asks(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_what_is_no_message_is_refused(post):
    for body, code in (("{", -32700), ([], -32600), ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, -32600)):
        answer = post(body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert post("[" * 100_000).status_code == 400
    assert post(asks("server/discover")).json()["error"]["code"] == -32601
    assert post(asks("tools/call", name=1)).json()["error"]["code"] == -32602
    assert post({**asks("ping"), "params": [1]}).json()["error"]["code"] == -32602
    assert post(asks("ping")).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert post(asks("initialize", protocolVersion="1999-01-01")).json()["result"]["protocolVersion"] == "2025-11-25"
    assert post(asks("tools/list"), **{"MCP-Protocol-Version": "1999-01-01"}).status_code == 400


def test_who_is_let_in(post, client, author, monkeypatch):
    assert post(asks("ping"), Origin="http://evil.example").status_code == 403
    assert post(asks("ping"), Origin="http://testserver").status_code == 200
    assert post(asks("ping"), Authorization="Bearer passnet_wrong").status_code == 401
    reads = do_make_token(author, "reads", Scope.READ, 1)[1]
    assert post(asks("ping"), Authorization=f"Bearer {reads}").status_code == 403
    assert client.post(PATH, asks("ping"), content_type="application/json").status_code == 401  # a session is no token
    assert post(asks("ping"), PATH.replace("doubled-relu", "none")).status_code == 404
    assert post(asks("ping"), PATH + "?device=cuda:none").status_code == 400
    assert client.get(PATH).status_code == 405
    monkeypatch.setattr(mcp_http, "CALLED", limits.Rate("tool called by an agent", 1, 60))
    said = [post(asks("tools/call", name="list_files")).json()["result"] for _ in range(2)]
    assert [one["isError"] for one in said] == [False, True] and "Too many" in said[1]["content"][0]["text"]
