"""What goes to a model and what comes back, in one form for all kinds of endpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assistant.providers.failures import ProviderFailure

LONGEST_ANSWER = 2_000_000  # characters, of its text and of its calls
MOST_CALLS = 64  # tool calls in one answer
MOST_TOKENS = 2**31 - 1  # that an account's column holds

Message = Mapping[str, Any]  # one message of a chat, in the form of OpenAI's chat completions


@dataclass(frozen=True)
class ToolSpec:
    """A tool that the model may call; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """One question: the whole chat so far, and the tools there are."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()


@dataclass(frozen=True)
class ToolCall:
    """A call that the model asks for. `arguments` is None when what it wrote is no JSON object: `problem` says why."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    raw: str
    problem: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call. `cached` of the input ones were read from, `written` into, the provider's cache."""

    input: int
    output: int
    cached: int = 0
    written: int = 0
    estimated: bool = False  # the endpoint did not say: four characters are taken for a token


class Stop(StrEnum):
    """Why an answer ended. Only `end` and `tools` are whole answers."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"  # the limit on output tokens, or the model's context
    FILTER = "filter"  # refused, by the model or by a filter
    CUT = "cut"  # the connection ended, fell silent or sent nonsense in the middle
    CANCELLED = "cancelled"

    @property
    def is_whole(self) -> bool:
        """Whether the model said all that it wanted to say."""
        return self in (Stop.END, Stop.TOOLS)


@dataclass(frozen=True)
class Text:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True)
class Waits:
    """Nothing came yet; it is asked again after `seconds`."""

    why: str
    seconds: float
    attempt: int


@dataclass(frozen=True)
class Turn:
    """The end of an answer. `problem` says in a sentence why it is not whole."""

    text: str
    calls: tuple[ToolCall, ...]
    stop: Stop
    usage: Usage
    model: str
    attempts: int
    seconds: float
    problem: str = ""


Piece = Text | Waits | Turn


@dataclass
class PartialCall:
    """A tool call while it is streamed."""

    id: str = ""
    name: str = ""
    raw: list[str] = field(default_factory=list)


@dataclass
class Partial:
    """An answer while it is streamed; what is there when the stream is cut is not lost."""

    texts: list[str] = field(default_factory=list)
    calls: dict[int, PartialCall] = field(default_factory=dict)
    stop: Stop | None = None
    usage: Usage | None = None
    model: str = ""
    length: int = 0  # characters

    @property
    def has_begun(self) -> bool:
        """Whether something of the answer came: it is paid for, though a model may think before it says a word."""
        return bool(self.texts or self.calls or self.stop or self.usage or self.model)

    def grow(self, *parts: str) -> None:
        """Counts what came. Raises ProviderFailure when there is more than any answer needs."""
        self.length += sum(map(len, parts))
        if self.length > LONGEST_ANSWER:
            raise ProviderFailure("too_long", f"The answer is longer than {LONGEST_ANSWER:,} characters.")
        if len(self.calls) > MOST_CALLS:
            raise ProviderFailure("too_long", f"The answer has more than {MOST_CALLS} tool calls.")


def token_count(said: Any) -> int:
    """A count of tokens as a server says it; nothing where it says nonsense, and never more than fits a column."""
    try:
        return min(max(int(said or 0), 0), MOST_TOKENS)
    except (TypeError, ValueError, OverflowError):
        return 0
