"""From what a model wrote to a call that can be made, or to a sentence that says why it can not."""

import json
import re
import uuid
from dataclasses import replace

from assistant.providers.words import Partial, PartialCall, ToolCall

_LONGEST = 400_000  # characters of arguments: a submission's files are smaller


def finished_calls(partial: Partial) -> tuple[ToolCall, ...]:
    """The calls in the order in which the model began them."""
    found: list[ToolCall] = []
    for index in sorted(partial.calls):
        call = _finished(partial.calls[index])
        if any(call.id == other.id for other in found):  # each result must have a call of its own
            call = replace(call, id=_own_id())
        found.append(call)
    return tuple(found)


def _own_id() -> str:
    return f"call_{uuid.uuid4().hex[:12]}"


def _finished(call: PartialCall) -> ToolCall:
    raw = "".join(call.raw)
    # The name goes back with the chat, and endpoints refuse a whole chat for a name of another form.
    name = re.sub(r"[^A-Za-z0-9_-]", "_", call.name)[:64]
    identity = call.id or _own_id()  # some servers send none; the answer must name one
    if not name:
        return ToolCall(identity, "unnamed", None, raw, "The call names no tool.")
    if len(raw) > _LONGEST:
        return ToolCall(identity, name, None, raw[:_LONGEST], f"The arguments are longer than {_LONGEST:,} characters.")
    try:
        value = json.loads(raw or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        return ToolCall(identity, name, None, raw, f"The arguments are no JSON: {error}.")
    if not isinstance(value, dict):
        return ToolCall(identity, name, None, raw, "The arguments are JSON, but no object.")
    return ToolCall(identity, name, value, raw)
