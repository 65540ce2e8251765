"""An attempt step by step: what was said, tools with their results, how files changed, what came of it."""

import difflib
import json
from dataclasses import dataclass, field
from typing import Any

from assistant.models import Attempt

_LONGEST = 20_000  # characters of one text that is shown
_CHANGING = frozenset({"write_file", "edit_file", "delete_file"})


@dataclass
class ToolUse:
    """A tool call, its result, and for one that changes a file the difference, a line each as (kind, text)."""

    name: str
    arguments: str
    result: str = ""
    ok: bool = True
    diff: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Step:
    """One message. `evaluation` is what the run in it came to, as the attempt's curve has it."""

    number: int
    role: str
    text: str
    model: str = ""
    prompts: str = ""
    problem: str = ""
    tools: list[ToolUse] = field(default_factory=list)
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def searched(self) -> str:
        """All of its words, in lower case."""
        parts = [self.role, self.text, self.problem]
        parts += [part for tool in self.tools for part in (tool.name, tool.arguments, tool.result)]
        return "\n".join(parts).lower()


def steps_of(attempt: Attempt) -> list[Step]:
    """All steps, in their order."""
    steps: list[Step] = []
    open_calls: dict[str, ToolUse] = {}
    files: dict[str, str] = dict(attempt.first_files)
    answers = 0
    used: dict[str, int] = {}
    for event in attempt.conversation.events.filter(kind__in=["message", "usage"]).order_by("seq"):
        said = event.payload
        if event.kind == "usage":
            used = {"tokens_in": int(said["input"]), "tokens_out": int(said["output"])}
            if steps and steps[-1].role == "assistant" and not steps[-1].tokens_in:
                _add_usage(steps[-1], used)
                used = {}
            continue
        if said["role"] == "tool":
            _take_result(open_calls, files, said)
            continue
        step = _step(event.seq, said)
        if step.role == "assistant":
            answers += 1
            _add_usage(step, used)
            used = {}
            step.evaluations = [one for one in attempt.evaluations if one["step"] == answers]
            for call in said.get("tool_calls") or []:
                use = ToolUse(call["function"]["name"], call["function"]["arguments"][:_LONGEST])
                open_calls[call["id"]] = use
                step.tools.append(use)
        steps.append(step)
    return steps


def _step(seq: int, said: dict[str, Any]) -> Step:
    prompts = ", ".join(f"{one['name']} {one['version']}" for one in said.get("prompts") or [])
    text = str(said.get("content") or "")[:_LONGEST]
    return Step(seq, said["role"], text, str(said.get("model") or ""), prompts, str(said.get("problem") or ""))


def _add_usage(step: Step, used: dict[str, int]) -> None:
    step.tokens_in, step.tokens_out = used.get("tokens_in", 0), used.get("tokens_out", 0)


def _take_result(open_calls: dict[str, ToolUse], files: dict[str, str], said: dict[str, Any]) -> None:
    use = open_calls.pop(str(said.get("tool_call_id")), None)
    if use is None:
        return
    use.result, use.ok = str(said.get("content") or "")[:_LONGEST], said.get("ok") is True
    if use.ok and use.name in _CHANGING:
        use.diff = _apply(files, use)


def _apply(files: dict[str, str], use: ToolUse) -> list[tuple[str, str]]:
    """Does to `files` what the tool did, and says what changed."""
    try:
        given = json.loads(use.arguments)
        name = str(given["name"])
        before = files.get(name, "")
        match use.name:
            case "write_file":
                after = str(given["text"])
            case "edit_file":
                after = before.replace(str(given["old"]), str(given["new"]), 1)
            case _:
                after = ""
    except (ValueError, KeyError, TypeError):
        return []
    if use.name == "delete_file":
        files.pop(name, None)
    else:
        files[name] = after
    return difference(before, after)


def difference(before: str, after: str) -> list[tuple[str, str]]:
    """Lines of a unified difference as (kind, text): come, gone, place or same."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]
    kinds = {"+": "come", "-": "gone", "@": "place"}
    return [(kinds.get(line[:1], "same"), line) for line in lines[:2000]]
