"""JSON API of the tools: what a model in the workbench can do, for programs and agents outside of it."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from assistant.mcp_http import router as agents
from assistant.providers.words import ToolCall
from assistant.sending import never_send
from assistant.tools import Workplace, call_tool, tool_specs
from graphs.access import access_task
from graphs.refused import Refused
from submissions import limits
from submissions.authors import current_author
from submissions.devices import device_names
from submissions.files import check_files, check_texts

router = Router(tags=["assistant"])
router.add_router("", agents)

CALLED = limits.Rate("tool called", 120, 0.25)
#: It waits for the queue: whoever calls from outside asks for a run and follows it, see assistant.mcp_server.
WAITS = "evaluate"


class ToolOut(Schema):
    name: str
    description: str
    arguments: dict[str, Any]  # a JSON Schema


class ToolList(Schema):
    tools: list[ToolOut]


class CallIn(Schema):
    arguments: dict[str, Any] = {}
    files: dict[str, str] = {}  # the working copy
    device: Annotated[str, Field(max_length=60)] = "cpu"


class CallOut(Schema):
    ok: bool
    text: str
    files: dict[str, str] | None  # the working copy as it is now; null: unchanged


@router.get("/assistant/tools", response=ToolList, summary="The tools and their arguments")
def tools(request: HttpRequest) -> dict[str, Any]:
    current_author(request)
    specs = tool_specs()
    return {"tools": [{"name": s.name, "description": s.description, "arguments": dict(s.parameters)} for s in specs]}


@router.post("/assistant/tasks/{slug}/tools/{name}", response=CallOut, summary="Call a tool on a working copy")
def call(request: HttpRequest, slug: str, name: str, body: CallIn) -> dict[str, Any]:
    """Nothing is stored: the changed files come back. `evaluate` is `POST /api/tasks/{slug}/runs` here, and then
    `run_summary`. A tool that can not do what it is asked says why with `ok` false."""
    author, task = current_author(request), access_task(slug)
    limits.take(CALLED, author.pk)
    if never_send(author, task):
        raise Refused(403, "never_send", "This task is marked “never send”: no model or agent is told of it.")
    if name == WAITS:
        raise Refused(400, "ask_for_a_run", "Ask for a run of the files, follow it, and call run_summary with its id.")
    check_files(body.files, may_be_empty=True)
    check_texts(body.files)
    if body.device not in device_names():
        raise Refused(400, "unknown_device", f"There is no device class {body.device!r} here.")
    place = Workplace(author, task, dict(body.files), body.device)
    result = call_tool(place, ToolCall("", name, body.arguments, ""))
    return {"ok": result.ok, "text": result.text, "files": None if place.files == body.files else place.files}
