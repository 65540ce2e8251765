"""The list of tools: name, words for the model, arguments, function. What is not in here a model can not do."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.chat.log import NotHeld
from assistant.providers.words import ToolCall, ToolSpec
from assistant.tools import earlier, evaluating, files, graph_text, matching, measured
from assistant.tools.workplace import ToolProblem, Workplace
from graphs.refused import Refused
from submissions.safe_json import safe_text

log = logging.getLogger(__name__)

MOST_CHARACTERS = 40_000  # of one result


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _None(_Arguments):
    pass


class _Name(_Arguments):
    name: str = Field(description="name of the file")


class _View(_Name):
    first_line: int = Field(default=1, ge=1)
    last_line: int | None = Field(default=None, ge=1)


class _Write(_Name):
    text: str = Field(description="the whole text")


class _Edit(_Name):
    old: str = Field(description="text that occurs exactly once in the file")
    new: str = Field(description="what takes its place")


class _Graph(_Arguments):
    name: str = Field(description="name of the graph")
    first_line: int = Field(default=1, ge=1, description="number of the first node to show")


class _Match(_Arguments):
    graph: str | None = Field(default=None, description="one graph only; all without it")


class _Run(_Arguments):
    run: str = Field(description="id of a finished run")


class _RunGraph(_Run):
    graph: str = Field(description="name of a graph of the run")


@dataclass(frozen=True)
class Tool:
    """`changes`: it writes into the working copy or asks for a run."""

    name: str
    description: str
    arguments: type[_Arguments]
    function: Callable[..., str]
    changes: bool = False


@dataclass(frozen=True)
class ToolResult:
    """What goes back to the model."""

    text: str
    ok: bool


TOOLS: tuple[Tool, ...] = (
    Tool("list_files", "List the files of the submission.", _None, files.list_files),
    Tool("view_file", "Show a file with line numbers.", _View, files.view_file),
    Tool("write_file", "Write a whole file, new or in the place of the old one.", _Write, files.write_file, True),
    Tool("edit_file", "Replace a piece of a file that occurs exactly once.", _Edit, files.edit_file, True),
    Tool("delete_file", "Remove a file.", _Name, files.delete_file, True),
    Tool("list_graphs", "List the task's graphs, all of which the passes must handle.", _None, graph_text.list_graphs),
    Tool("show_graph", "Show a graph's nodes with shapes, dtypes and users.", _Graph, graph_text.show_graph),
    Tool(
        "match",
        "Match the patterns of the files against the graphs, without running them; says the nearest miss. Quick.",
        _Match,
        matching.match,
    ),
    Tool(
        "evaluate",
        "Have the files judged on all graphs: matches, correctness, integrity, launches, speed. Takes a while.",
        _None,
        evaluating.evaluate,
        True,
    ),
    Tool("run_summary", "Show a finished run of this task again.", _Run, evaluating.run_summary),
    Tool("kernels", "Show which kernels were launched on a graph in a run.", _RunGraph, measured.kernels),
    Tool(
        "roofline",
        "Show the least possible time, how near everybody is, times, and what the device reaches.",
        _RunGraph,
        measured.roofline,
    ),
    Tool(
        "device_facts",
        "Show what the device is made of and reaches: multiprocessors, shared memory, L2, registers, bandwidth.",
        _None,
        measured.device_facts,
    ),
    Tool(
        "compiler_code",
        "Show the Triton code that Inductor wrote for a graph of a run on a GPU.",
        _RunGraph,
        measured.compiler_code,
    ),
    Tool("baselines", "Show eager against Inductor on the task's graphs.", _None, measured.baselines),
    Tool("earlier_passes", "Show passes that were right on similar graphs.", _None, earlier.earlier_passes),
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def tool_specs() -> list[ToolSpec]:
    """The tools as a provider is told about them."""
    return [ToolSpec(tool.name, tool.description, _schema(tool.arguments)) for tool in TOOLS]


def call_tool(place: Workplace, call: ToolCall) -> ToolResult:
    """Does what a model asks for. Whatever is wrong with the call comes back as words for the model."""
    tool = _BY_NAME.get(call.name)
    if tool is None:
        return ToolResult(f"There is no tool {call.name[:60]!r}. There are: {', '.join(_BY_NAME)}.", False)
    if call.arguments is None:
        return ToolResult(f"{call.problem} Call the tool again with a JSON object.", False)
    try:
        given = tool.arguments.model_validate(call.arguments)
        text = tool.function(place, **{name: getattr(given, name) for name in type(given).model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return ToolResult(f"The arguments do not fit: {where}: {first['msg']}.", False)
    except (ToolProblem, Refused) as problem:
        return ToolResult(safe_text(str(problem)), False)
    except NotHeld:
        raise
    except Exception:  # one tool's fault is no reason to lose what the others made
        log.exception("the tool %s failed", call.name)
        return ToolResult("The tool failed; that is a fault of the workbench.", False)
    text = safe_text(text)
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}\n… {len(text) - MOST_CHARACTERS} characters more are left out."
    return ToolResult(text, True)


def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    return {"type": "object", "properties": {}, **schema}
