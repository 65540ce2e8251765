"""The tools over the Model Context Protocol's streamable HTTP, for an agent that is given an address and a token.

Each message is a POST of its own and is answered with JSON: nothing is kept open, no session is needed, and any web
process can answer. Who may come in is settled before (passnet_web.gate: tokens, scopes, rates; a page of another site
is refused by its Origin). The files are kept here for each token and task.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from assistant.actions.agent_copies import Files, do_change_copy, files_of
from assistant.mcp_words import INSTRUCTIONS, NAME
from assistant.providers.words import ToolCall
from assistant.sending import never_send
from assistant.tools import ToolResult, Workplace, call_tool, tool_specs
from assistant.tools.evaluating import begin_run, run_summary
from assistant.tools.registry import TOOLS
from assistant.tools.workplace import ToolProblem
from evaluator.harness import harness_hash
from evaluator.verdicts import RunState
from graphs.access import access_task
from graphs.models import Task
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author
from submissions.devices import device_names
from submissions.models import ApiToken, Author

router = Router(tags=["assistant"])

CALLED = limits.Rate("tool called by an agent", 120, 0.25)
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")  # of the protocol, the newest first
_PARSE, _REQUEST, _METHOD, _PARAMS = -32700, -32600, -32601, -32602
_WAITS = "evaluate"
_LONGEST_ANSWER = 40.0  # seconds; proxies give up on an answer after a minute
_LOOK_SECONDS = 0.5
_CHANGING = frozenset(tool.name for tool in TOOLS if tool.changes) - {_WAITS}


class _Wrong(Exception):
    """A message that can not be answered as asked."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@router.post("/assistant/tasks/{slug}/mcp", summary="The tools over the Model Context Protocol")
def mcp(request: HttpRequest, slug: str, device: str = "cpu") -> HttpResponse:
    """Streamable HTTP without sessions. Needs an API token of the scope `run`; `device` is where runs are judged."""
    author, task = current_author(request), access_task(slug)
    token: ApiToken | None = getattr(request, "api_token", None)
    if token is None:
        raise Refused(401, "no_token", "Agents show an API token of the scope run. Make one at /account/.")
    if device not in device_names():
        raise Refused(400, "unknown_device", f"There is no device class {device[:60]!r} here.")
    try:
        said = _message(request.body)
    except _Wrong as wrong:
        return _error(None, wrong, 400)
    number = said.get("id")
    if number is None or "method" not in said:  # a notification, or an answer: nothing here waits for one
        return HttpResponse(status=202)
    try:
        result = _answer(request, said, author, token, task, device)
    except _Wrong as wrong:
        return _error(number, wrong, 400 if wrong.code == _REQUEST else 200)
    return JsonResponse({"jsonrpc": "2.0", "id": number, "result": result})


def _message(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        raise _Wrong(_PARSE, "The body is not JSON.") from None
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        raise _Wrong(_REQUEST, "The body is not one message of JSON-RPC 2.0.")
    if not isinstance(said.get("id"), str | int | None) or not isinstance(said.get("method", ""), str):
        raise _Wrong(_REQUEST, "The message's id is a text or a whole number, its method a text.")
    return said


def _answer(
    request: HttpRequest, said: Mapping[str, Any], author: Author, token: ApiToken, task: Task, device: str
) -> dict[str, Any]:
    params = said.get("params") or {}
    if not isinstance(params, dict):
        raise _Wrong(_PARAMS, "The params are not an object.")
    match said["method"]:
        case "initialize":
            return _welcome(str(params.get("protocolVersion")))
        case "ping":
            return {}
        case "tools/list":
            _check_version(request)
            return {"tools": [_described(one.name, one.description, one.parameters) for one in tool_specs()]}
        case "tools/call":
            _check_version(request)
            name, arguments = params.get("name"), params.get("arguments") or {}
            if not isinstance(name, str) or not isinstance(arguments, dict):
                raise _Wrong(_PARAMS, "A tool is called with its name, a text, and its arguments, an object.")
            result = _call(author, token, task, device, name, arguments)
            return {"content": [{"type": "text", "text": result.text}], "isError": not result.ok}
        case method:
            raise _Wrong(_METHOD, f"There is no method {method[:60]!r} here.")


def _welcome(wanted: str) -> dict[str, Any]:
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": NAME, "version": harness_hash()[:12]},
        "instructions": INSTRUCTIONS,
    }


def _check_version(request: HttpRequest) -> None:
    version = request.headers.get("MCP-Protocol-Version")
    if version is not None and version not in VERSIONS:
        raise _Wrong(_REQUEST, f"This server speaks {', '.join(VERSIONS)}, not {version[:40]}.")


def _described(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": dict(schema)}


def _call(author: Author, token: ApiToken, task: Task, device: str, name: str, arguments: dict[str, Any]) -> ToolResult:
    """What a tool says; a refusal is words for the agent, which may do better."""
    try:
        limits.take(CALLED, token.pk)
        if never_send(author, task):
            raise Refused(403, "never_send", "This task is marked “never send”: no model or agent is told of it.")
        call = ToolCall("", name, arguments, "")
        if name == _WAITS and not arguments:
            return _evaluate(Workplace(author, task, files_of(token, task), device))
        if name not in _CHANGING:
            return call_tool(Workplace(author, task, files_of(token, task), device), call)

        def change(files: Files) -> tuple[ToolResult, Files]:
            place = Workplace(author, task, files, device)
            return call_tool(place, call), place.files

        return do_change_copy(token, task, change)
    except (Refused, ToolProblem) as problem:
        return ToolResult(str(problem), False)


def _evaluate(place: Workplace) -> ToolResult:
    """Asks for a run and waits a while for its end. One that takes longer goes on, and is asked for by its id."""
    run = begin_run(place)
    until = time.monotonic() + _LONGEST_ANSWER
    while time.monotonic() < until:
        close_old_connections()
        run.refresh_from_db(fields=["state"])
        if RunState(run.state).is_final:
            return ToolResult(run_summary(place, str(run.pk)), True)
        time.sleep(_LOOK_SECONDS)
    return ToolResult(f"The run {run.pk} is {run.state}. Call run_summary with this id in a while.", True)


def _error(number: Any, wrong: _Wrong, status: int) -> JsonResponse:
    said = {"jsonrpc": "2.0", "id": number, "error": {"code": wrong.code, "message": str(wrong)}}
    return JsonResponse(said, status=status)
