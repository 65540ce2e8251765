"""Models behind an HTTP endpoint, all asked alike. No Django in here."""

from assistant.providers.call import converse
from assistant.providers.doctor import Check, examine
from assistant.providers.endpoint import ANTHROPIC, KINDS, OPENAI, Endpoint
from assistant.providers.failures import ProviderFailure
from assistant.providers.words import Ask, Piece, Stop, Text, ToolCall, ToolSpec, Turn, Usage, Waits

__all__ = [
    "ANTHROPIC",
    "KINDS",
    "OPENAI",
    "Ask",
    "Check",
    "Endpoint",
    "Piece",
    "ProviderFailure",
    "Stop",
    "Text",
    "ToolCall",
    "ToolSpec",
    "Turn",
    "Usage",
    "Waits",
    "converse",
    "examine",
]
