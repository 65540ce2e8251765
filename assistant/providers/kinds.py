"""The two kinds of endpoints, loaded when the first one is asked: their SDKs take over a second to import."""

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any, Protocol, cast

from assistant.providers.endpoint import ANTHROPIC, OPENAI, Endpoint
from assistant.providers.words import Ask, Partial

_MODULES = {
    OPENAI: "assistant.providers.openai_chat",
    ANTHROPIC: "assistant.providers.anthropic_chat",
}


class Adapter(Protocol):
    """What a kind's module has."""

    def client_of(self, endpoint: Endpoint) -> Any: ...
    def stream(self, endpoint: Endpoint, ask: Ask, partial: Partial) -> AsyncIterator[str]: ...


def adapter_of(kind: str) -> Adapter:
    """The module that speaks to endpoints of a kind."""
    return cast(Adapter, import_module(_MODULES[kind]))
