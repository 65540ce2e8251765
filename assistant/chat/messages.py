"""What a model is sent: the prompt, what was said, what the person has in view; and no more than it can take."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.models import Conversation
from assistant.prompts import Prompt, prompt
from assistant.providers.words import Stop, ToolCall, Turn

COMMANDS = {  # what may begin a message → the prompt that it stands for
    "explain": "explain",
    "fix": "fix",
    "optimise": "optimise",
    "why_no_match": "why_no_match",
    "why_slower": "why_slower",
}
MOST_CHARACTERS = 300_000  # of a chat; older results of tools are left out beyond
_SHOWN_FILES = 12_000  # characters of files that go along without being asked for
_LEFT_OUT_ARGUMENTS = '{"left_out": true}'
_LONG_ARGUMENTS = 500  # characters: shorter ones are never left out
_CUT_OFF = "Your answer was cut off. Go on."
_SAID_MEANWHILE = "Something was said to you while you answered. Read it and go on."
_LEFT_OUT = "(This result is left out here because the conversation is long. Call the tool again if you need it.)"


@dataclass(frozen=True)
class View:
    """What the person has open."""

    file: str = ""
    graph: str = ""
    nodes: Sequence[str] = ()
    run: str = ""
    selection: str = ""
    files: dict[str, str] = field(default_factory=dict)


def said_by_person(conversation: Conversation, text: str, command: str, view: View) -> tuple[str, list[Prompt]]:
    """The message's text as the model gets it, and the prompts that went into it."""
    used = [prompt(COMMANDS[command])] if command else []
    parts = [*(one.text for one in used), text.strip(), _in_view(conversation, view)]
    return "\n\n".join(part for part in parts if part), used


def _in_view(conversation: Conversation, view: View) -> str:
    task = conversation.task
    rows = [f"task: {task.slug} ({task.title}), {task.graph_count} graphs"]
    rows += [f"{what}: {value}" for what, value in (("open file", view.file), ("graph in view", view.graph)) if value]
    if view.nodes:
        rows.append(f"selected nodes: {', '.join(view.nodes[:100])}")
    if view.run:
        rows.append(f"last run: {view.run} (run_summary, kernels and roofline tell about it)")
    if view.selection:
        rows.append(f"selected text:\n{view.selection[:4000]}")
    rows.append(f"files: {', '.join(sorted(view.files)) or 'none'}")
    texts = "\n".join(f"--- {name}\n{text}" for name, text in sorted(view.files.items()))
    if len(texts) <= _SHOWN_FILES:
        rows.append(texts)
    return "<in_view>\n" + "\n".join(rows) + "\n</in_view>"


def chat_so_far(conversation: Conversation, system: Prompt) -> list[dict[str, Any]]:
    """The messages that were said, as the next question repeats them, with the system's prompt first."""
    rows = list(conversation.events.filter(kind="message").order_by("seq").values_list("payload", flat=True))
    kept = [{key: row[key] for key in ("role", "content", "tool_calls", "tool_call_id") if key in row} for row in rows]
    if kept and kept[-1]["role"] == "assistant" and "tool_calls" not in kept[-1]:  # endpoints want another's word last
        whole = Stop(rows[-1]["stop"]).is_whole
        kept.append({"role": "user", "content": _SAID_MEANWHILE if whole else _CUT_OFF})
    return [{"role": "system", "content": system.text}, *shortened(_answered(kept), MOST_CHARACTERS)]


def answer_message(turn: Turn, used: Sequence[Prompt]) -> dict[str, Any]:
    """An answer as it is kept. Calls of an answer that is not whole are not: they may be cut off, and are not made."""
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    if turn.calls and turn.stop.is_whole:
        message["tool_calls"] = [_call_json(call) for call in turn.calls]
    labels = [one.label for one in used]
    return {**message, "stop": turn.stop.value, "problem": turn.problem, "model": turn.model, "prompts": labels}


def _call_json(call: ToolCall) -> dict[str, Any]:
    # Some servers parse the arguments of earlier calls again and fail on those that are no JSON.
    arguments = {"unreadable": call.raw} if call.arguments is None else call.arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(arguments)}}


def _answered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every call is followed by its result, as endpoints demand: a turn may have been cut off in the middle of its
    tools, and a person may have said something between a call and its result."""
    found: list[dict[str, Any]] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            continue
        found.append(message)
        results = _results_after(messages, index) if message.get("tool_calls") else {}
        for call in message.get("tool_calls", ()):
            missing = {"role": "tool", "tool_call_id": call["id"], "content": "(The tool was not run.)"}
            found.append(results.get(call["id"], missing))
    return found


def _results_after(messages: list[dict[str, Any]], asking: int) -> dict[str, dict[str, Any]]:
    """The results up to the next answer: some servers number the calls of each answer from the same number on."""
    found: dict[str, dict[str, Any]] = {}
    for message in messages[asking + 1 :]:
        if message["role"] == "assistant":
            break
        if message["role"] == "tool":
            found[message["tool_call_id"]] = message
    return found


def shortened(messages: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Leaves the oldest results of tools, and the longest arguments, out until the chat has at most so many characters,
    or there are none left."""
    excess = sum(len(json.dumps(message)) for message in messages) - most
    found = list(messages)
    for index, message in enumerate(found[:-2]):
        if excess <= 0:
            break
        if message["role"] == "tool" and len(message["content"]) > len(_LEFT_OUT):
            excess -= len(message["content"]) - len(_LEFT_OUT)
            found[index] = {**message, "content": _LEFT_OUT}
        elif message.get("tool_calls"):
            found[index] = {**message, "tool_calls": [_without_arguments(call) for call in message["tool_calls"]]}
            excess -= len(json.dumps(message)) - len(json.dumps(found[index]))
    return found


def _without_arguments(call: dict[str, Any]) -> dict[str, Any]:
    if len(call["function"]["arguments"]) <= _LONG_ARGUMENTS:
        return call
    return {**call, "function": {**call["function"], "arguments": _LEFT_OUT_ARGUMENTS}}
