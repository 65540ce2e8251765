"""What a matcher says, checked: it may be anything that the submission made of the process. Raises ProtocolError."""

from collections.abc import Callable
from typing import Any, TypeVar

from evaluator.runner import answers
from evaluator.runner.protocol import Message, ProtocolError

_MAX_TEXT = 4000
_MAX_NOTES = 50
_NOT_ASKED_FOR = {"new_nodes": [], "code": "", "successors": {}, "steps": []}

_Answer = TypeVar("_Answer")


def graph(value: Message, count: int) -> tuple[int, dict[str, Any]]:
    """The number of a graph, of `count`, and what matched there."""
    found = _checked(lambda: answers.applied({**value, **_NOT_ASKED_FOR}))
    return _index(value, count), {
        "matches": found.matches,
        "per_pass": found.per_pass,
        "nodes": found.nodes,
        "lines": found.lines,
        "near_misses": found.near_misses,
        "notes": [note[:_MAX_TEXT] for note in found.notes[:_MAX_NOTES]],
    }


def unreadable(value: Message, count: int) -> tuple[int, str]:
    """The number of a graph that can not be built, and why."""
    message = value.get("message")
    return _index(value, count), str(message)[:_MAX_TEXT]


def failure(value: Message) -> dict[str, str]:
    """Why nothing could be matched: `{"kind", "message"}`."""
    failed = _checked(lambda: answers.failed(value))
    return {"kind": failed.kind, "message": failed.message[:_MAX_TEXT]}


def _index(value: Message, count: int) -> int:
    index = value.get("graph")
    if type(index) is not int or not 0 <= index < count:
        raise ProtocolError("a graph that there is not")
    return index


def _checked(read: Callable[[], _Answer]) -> _Answer:
    try:
        return read()
    except (KeyError, ValueError, TypeError) as problem:
        raise ProtocolError(f"an answer that can not be read: {problem}") from problem
