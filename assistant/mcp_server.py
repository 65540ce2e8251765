"""The workbench's tools for an outside agent, over the Model Context Protocol on standard input and output.

    python -m assistant.mcp_server --task rms-norm --folder my_pass

It talks to a workbench over HTTP with an API token of the scope `run` (PASSNET_URL, PASSNET_TOKEN) and keeps the files
in a folder of this machine, where the agent and its person see them. Needs the package `mcp` and nothing else of ours.
"""

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from assistant.client import FINAL, Workbench, WorkbenchError, read_files
from assistant.mcp_words import INSTRUCTIONS, NAME

EVALUATE = "evaluate"
_LOOK_SECONDS = 1.0
_LONGEST_RUN = 900.0


class BadName(ValueError):
    """A file name that leads out of the folder."""


class Desk:
    """One task and one folder. Every call raises WorkbenchError or OSError."""

    def __init__(self, workbench: Workbench, task: str, folder: Path, device: str) -> None:
        self._workbench, self._folder, self._device = workbench, folder, device
        self._task = quote(task, safe="")

    def tools(self) -> list[types.Tool]:
        """The workbench's own list, so that an agent outside has what a model inside has."""
        listed = self._workbench.call("GET", "/api/assistant/tools")["tools"]
        return [
            types.Tool(name=one["name"], description=one["description"], input_schema=one["arguments"])
            for one in listed
        ]

    def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """The tool's words, and whether it did what it was asked. Changed files are written into the folder."""
        files = read_files(self._folder) if self._folder.is_dir() else {}
        if name == EVALUATE and not arguments:
            return self._evaluate(files)
        body = {"arguments": dict(arguments), "files": files, "device": self._device}
        path = f"/api/assistant/tasks/{self._task}/tools/{quote(name, safe='')}"
        answer = self._workbench.call("POST", path, body)
        if answer["files"] is not None:
            write_files(self._folder, files, answer["files"])
        return str(answer["text"]), bool(answer["ok"])

    def _evaluate(self, files: Mapping[str, str]) -> tuple[str, bool]:
        body = {"files": dict(files), "device": self._device}
        run = self._workbench.call("POST", f"/api/tasks/{self._task}/runs", body)["run"]
        until = time.monotonic() + _LONGEST_RUN
        while self._workbench.call("GET", f"/api/runs/{run}")["state"] not in FINAL:
            if time.monotonic() > until:
                return f"The run {run} has not ended yet. Call run_summary with its id later.", False
            time.sleep(_LOOK_SECONDS)
        return self.call("run_summary", {"run": run})


def write_files(folder: Path, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Writes what changed and removes what is gone. Raises BadName for a name that leads out of the folder."""
    for name in after:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name:
            raise BadName(name)
    for name, text in after.items():
        if before.get(name) != text:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    for name in set(before) - set(after):
        (folder / name).unlink(missing_ok=True)


def server_of(desk: Desk) -> Server[Any]:
    """The protocol's side. Calls wait for the workbench in a thread."""

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=await anyio.to_thread.run_sync(desk.tools))

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            text, ok = await anyio.to_thread.run_sync(desk.call, params.name, params.arguments or {})
        except (WorkbenchError, BadName, OSError) as problem:
            text, ok = f"{problem}", False
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=not ok)

    return Server(NAME, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve(desk: Desk) -> None:
    """Until the other side hangs up."""
    server = server_of(desk)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0; 2 without a token that may do this, a workbench that answers, or such a task."""
    parser = argparse.ArgumentParser(prog="python -m assistant.mcp_server", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--task", required=True, help="slug of the task")
    parser.add_argument("--folder", type=Path, required=True, metavar="PASS_DIR", help="where the files are kept")
    parser.add_argument("--device", default="cpu", help="where runs are judged (default: cpu)")
    options = parser.parse_args(arguments)
    token = os.environ.get("PASSNET_TOKEN", "")
    if not token:
        print("No token: set PASSNET_TOKEN to one of the scope run.", file=sys.stderr)
        return 2
    url = os.environ.get("PASSNET_URL", "http://127.0.0.1:8000")
    try:
        Desk(Workbench(url, token, patience=0.0), options.task, options.folder, options.device).call("list_graphs", {})
    except (WorkbenchError, OSError, UnicodeDecodeError) as problem:
        print(f"The agent would get no further than this: {problem}", file=sys.stderr)
        return 2
    anyio.run(serve, Desk(Workbench(url, token, patience=60.0), options.task, options.folder, options.device))
    return 0


if __name__ == "__main__":
    sys.exit(main())
