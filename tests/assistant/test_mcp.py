"""The tools for an agent outside: the protocol's own client on our server's standard input and output."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from judging_thread import judging
from mcp import StdioServerParameters
from mcp.client import Client
from small_daemon import graph_result, run_done, start
from task_of_two import store_task

from assistant.mcp_server import BadName, main, write_files
from assistant.models import TaskMark
from assistant.tools import tool_specs
from submissions.actions.tokens import do_make_token
from submissions.models import Run
from submissions.tokens import Scope

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


def judge(connection, job):
    connection.say("run_done", **run_done({name: graph_result("correct", -6) for name in start(connection, job)}))


async def _use(parameters, steps):
    async with Client(parameters) as client:
        listed = await client.list_tools()
        found = [await client.call_tool(name, arguments) for name, arguments in steps]
    return [tool.name for tool in listed.tools], [(one.content[0].text, one.is_error) for one in found]


def use(url, token, folder, *steps):
    environment = {**os.environ, "PASSNET_URL": url, "PASSNET_TOKEN": token}
    arguments = ["-m", "assistant.mcp_server", "--task", "doubled-relu", "--folder", str(folder)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=str(ROOT))
    return asyncio.run(_use(parameters, steps))


@pytest.mark.django_db(transaction=True)
def test_an_agent_writes_a_file_and_has_it_judged(live_server, author, tmp_path, monkeypatch, capsys):
    task = store_task()
    token = do_make_token(author, "agent", Scope.RUN, 1)[1]
    folder = tmp_path / "pass"
    with judging(tmp_path / "cpu.sock", judge):
        names, said = use(
            live_server.url, token, folder,
            ("write_file", {"name": "P.py", "text": "x = 1\n"}),
            ("view_file", {"name": "P.py"}),
            ("edit_file", {"name": "P.py", "old": "y", "new": "z"}),
            ("write_file", {"name": "../out.py", "text": "x = 1\n"}),
            ("run_shell", {"command": "id"}),
            ("evaluate", {}),
        )  # fmt: skip
    assert names == [spec.name for spec in tool_specs()]
    assert said[0] == ("P.py is written.", False) and "x = 1" in said[1][0]
    assert said[2][1] and "occurs 0 times" in said[2][0]
    assert said[3][1] and said[4][1] and "There is no tool 'run_shell'" in said[4][0]
    assert not said[5][1] and "correct on 2 of 2 graphs" in said[5][0]
    assert (folder / "P.py").read_text() == "x = 1\n" and not (tmp_path / "out.py").exists()
    assert Run.objects.get().revision.files == {"P.py": "x = 1\n"}
    TaskMark.objects.create(author=author, task=task, never_send=True)
    monkeypatch.setenv("PASSNET_URL", live_server.url)
    reads = do_make_token(author, "reads", Scope.READ, 1)[1]
    for key, name, words in ((token, task.slug, "never send"), (token, "none", "no task"), (reads, task.slug, "scope")):
        monkeypatch.setenv("PASSNET_TOKEN", key)
        assert main(["--task", name, "--folder", str(folder)]) == 2 and words in capsys.readouterr().err


def test_files_stay_in_the_folder(tmp_path):
    for name in ("../a.py", "/a.py", "b/../../a.py", "", "..\\a.py"):
        with pytest.raises(BadName):
            write_files(tmp_path, {}, {name: "x"})
    write_files(tmp_path, {}, {"a/b.py": "1", "c.py": "2"})
    write_files(tmp_path, {"a/b.py": "1", "c.py": "2"}, {"a/b.py": "3"})
    assert (tmp_path / "a" / "b.py").read_text() == "3" and not (tmp_path / "c.py").exists()


def test_without_a_token(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("PASSNET_TOKEN", raising=False)
    assert main(["--task", "x", "--folder", str(tmp_path)]) == 2 and "PASSNET_TOKEN" in capsys.readouterr().err
