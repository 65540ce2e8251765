"""From what a model wrote to a call that can be made, or to a sentence that says why it can not."""

import json
import uuid

from assistant.providers.words import Partial, PartialCall, ToolCall

_LONGEST = 400_000  # characters of arguments: a submission's files are smaller


def finished_calls(partial: Partial) -> tuple[ToolCall, ...]:
    """The calls in the order in which the model began them."""
    return tuple(_finished(partial.calls[index]) for index in sorted(partial.calls))


def _finished(call: PartialCall) -> ToolCall:
    raw = "".join(call.raw)
    name = call.name
    identity = call.id or f"call_{uuid.uuid4().hex[:12]}"  # some servers send none; the answer must name one
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
