"""Where a model is, and within which bounds it is asked."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

OPENAI = "openai"  # chat completions: vLLM, Ollama, llama.cpp's server and many commercial ones speak it
ANTHROPIC = "anthropic"  # messages
KINDS = (OPENAI, ANTHROPIC)


@dataclass(frozen=True)
class Endpoint:
    """`idle_seconds` is the longest silence, before the first byte or between two; `total_seconds` bounds an answer."""

    kind: str
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    max_output_tokens: int = 8192
    idle_seconds: float = 60.0
    total_seconds: float = 600.0
    attempts: int = 4

    @property
    def host(self) -> str:
        """The host's name, without port."""
        return urlsplit(self.base_url).hostname or ""


def address_problem(url: str) -> str | None:
    """What is wrong with a base URL, in a sentence; None when nothing is."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (raises for a port that is none)
    except ValueError:
        return "The address can not be read. Write it like https://api.example.com/v1."
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "The address must begin with https:// or http:// and name a host, like https://api.example.com/v1."
    if parts.username or parts.password:
        return "The address holds a name or a password. The key has a field of its own, where it is encrypted."
    if parts.query or parts.fragment:
        return "The address must end with its path: leave out what follows '?' or '#'."
    if any(character.isspace() or not character.isprintable() for character in url):
        return "The address holds a space or a character that can not be seen."
    return None
