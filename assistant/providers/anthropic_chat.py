"""Anthropic's messages, streamed, through its SDK. Chats are kept in OpenAI's form and translated here."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anthropic

from assistant.providers.endpoint import Endpoint
from assistant.providers.words import Ask, Message, Partial, PartialCall, Stop, Usage, token_count

_STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "tool_use": Stop.TOOLS,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.FILTER,
}
_NO_KEY = "none"


def client_of(endpoint: Endpoint) -> anthropic.AsyncAnthropic:
    """A client that neither repeats a request by itself nor follows a redirect with the key in hand."""
    return anthropic.AsyncAnthropic(
        api_key=endpoint.key or _NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=anthropic.Timeout(endpoint.idle_seconds, connect=min(10.0, endpoint.idle_seconds)),
        http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False),
    )


async def stream(endpoint: Endpoint, ask: Ask, partial: Partial) -> AsyncIterator[str]:
    """The answer's text, piece by piece; everything else goes into `partial`. Raises what the SDK raises."""
    system, messages = translated(ask.messages)
    request: dict[str, Any] = {
        "model": endpoint.model,
        "max_tokens": endpoint.max_output_tokens,
        "messages": messages,
        "stream": True,
    }
    if system:
        # The prompt stays the same from one step to the next: read from the cache it costs a tenth.
        request["system"] = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
    if ask.tools:
        request["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in ask.tools
        ]
    async with client_of(endpoint) as client:
        events: Any = await client.messages.create(**request)
        async with events:
            async for event in events:
                text = _take(event, partial)
                if text:
                    partial.texts.append(text)
                    yield text


def translated(messages: Sequence[Message]) -> tuple[str, list[dict[str, Any]]]:
    """The system's text, and the chat in Anthropic's form, in which user and assistant take turns."""
    system = "\n\n".join(str(message["content"]) for message in messages if message["role"] == "system")
    found: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "system":
            continue
        role, blocks = _blocks(message)
        if found and found[-1]["role"] == role:
            found[-1]["content"] += blocks
        elif blocks:
            found.append({"role": role, "content": blocks})
    return system, found


def _blocks(message: Message) -> tuple[str, list[dict[str, Any]]]:
    text = str(message.get("content") or "")
    said = [{"type": "text", "text": text}] if text.strip() else []
    if message["role"] == "tool":
        return "user", [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text or "(nothing)"}]
    if message["role"] == "user":
        return "user", said
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": _input(call["function"]["arguments"]),
        }
        for call in message.get("tool_calls") or ()
    ]
    return "assistant", [*said, *calls]


def _input(arguments: str) -> dict[str, Any]:
    """Arguments that were no JSON are given back as they were, in an object, for the model to see."""
    try:
        value = json.loads(arguments or "{}", strict=False)
    except (ValueError, RecursionError):
        return {"unreadable": arguments}
    return value if isinstance(value, dict) else {"unreadable": arguments}


def _take(event: Any, partial: Partial) -> str:
    match event.type:
        case "message_start":
            partial.model = event.message.model or ""
            partial.usage = _usage(event.message.usage, None)
        case "content_block_start" if event.content_block.type == "tool_use":
            block = event.content_block
            partial.calls[event.index] = PartialCall(str(block.id or ""), str(block.name or ""))
            partial.grow(str(block.id or ""), str(block.name or ""))
        case "content_block_delta" if event.delta.type == "text_delta":
            return str(event.delta.text or "")
        case "content_block_delta" if event.delta.type == "input_json_delta":
            part = str(event.delta.partial_json or "")
            partial.calls[event.index].raw.append(part)
            partial.grow(part)
        case "message_delta":
            if event.delta.stop_reason:
                partial.stop = _STOPS.get(event.delta.stop_reason, Stop.END)
            if event.usage is not None:
                partial.usage = _usage(event.usage, partial.usage)
    return ""


def _usage(said: Any, before: Usage | None) -> Usage:
    """Counts are cumulative; the last event has the final ones, but may leave out those of the input."""
    cached, written, fresh = (
        getattr(said, name, None) for name in ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
    )
    was = before or Usage(0, 0)
    cached = was.cached if cached is None else token_count(cached)
    written = was.written if written is None else token_count(written)
    total = was.input if fresh is None else token_count(token_count(fresh) + cached + written)
    return Usage(total, token_count(getattr(said, "output_tokens", None)), cached, written)
