"""OpenAI's chat completions, streamed, through its SDK: spoken by vLLM, Ollama, llama.cpp's server and many more."""

from collections.abc import AsyncIterator
from typing import Any

import openai

from assistant.providers.endpoint import Endpoint
from assistant.providers.words import Ask, Partial, PartialCall, Stop, Usage, token_count

_STOPS = {
    "stop": Stop.END,
    "tool_calls": Stop.TOOLS,
    "function_call": Stop.TOOLS,
    "length": Stop.LENGTH,
    "content_filter": Stop.FILTER,
}
_NO_KEY = "none"  # the SDK wants one, a server of one's own may not
_FIRST_PARTY = "api.openai.com"


def client_of(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """A client that neither repeats a request by itself nor follows a redirect with the key in hand."""
    return openai.AsyncOpenAI(
        api_key=endpoint.key or _NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=openai.Timeout(endpoint.idle_seconds, connect=min(10.0, endpoint.idle_seconds)),
        http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
    )


async def stream(endpoint: Endpoint, ask: Ask, partial: Partial) -> AsyncIterator[str]:
    """The answer's text, piece by piece; everything else goes into `partial`. Raises what the SDK raises."""
    # Newer models of OpenAI's own refuse the old name, other servers may not know the new one.
    limit = "max_completion_tokens" if endpoint.host == _FIRST_PARTY else "max_tokens"
    request: dict[str, Any] = {
        "model": endpoint.model,
        "messages": list(ask.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
        limit: endpoint.max_output_tokens,
    }
    if ask.tools:
        request["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in ask.tools
        ]
    async with client_of(endpoint) as client:
        chunks: Any = await client.chat.completions.create(**request)
        async with chunks:
            async for chunk in chunks:
                text = _take(chunk, partial)
                if text:
                    partial.texts.append(text)
                    yield text


def _take(chunk: Any, partial: Partial) -> str:
    """One chunk. The SDK does not check what is in it: fields may be missing."""
    partial.model = getattr(chunk, "model", None) or partial.model
    usage = getattr(chunk, "usage", None)
    if usage is not None:
        details = getattr(usage, "prompt_tokens_details", None)
        cached = token_count(getattr(details, "cached_tokens", None))
        partial.usage = Usage(token_count(usage.prompt_tokens), token_count(usage.completion_tokens), cached)
    choices = chunk.choices
    if not choices:
        return ""
    choice = choices[0]
    if choice.finish_reason:
        partial.stop = _STOPS.get(choice.finish_reason, Stop.END)
    delta = choice.delta
    if delta is None:
        return ""
    for call in delta.tool_calls or ():
        _take_call(call, partial)
    if getattr(delta, "refusal", None):
        partial.stop = Stop.FILTER
        return str(delta.refusal)
    return str(delta.content or "")


def _take_call(call: Any, partial: Partial) -> None:
    index = call.index if isinstance(call.index, int) else max(partial.calls, default=0)
    known = partial.calls.get(index)
    if known is not None and call.id and known.id and call.id != known.id:
        index = max(partial.calls) + 1  # some servers give every call the same number
        known = None
    if known is None:
        known = partial.calls[index] = PartialCall()
    known.id = known.id or str(call.id or "")
    function = call.function
    if function is not None:
        known.name = known.name or str(function.name or "")
        known.raw.append(str(function.arguments or ""))
        partial.grow(str(function.name or ""), known.raw[-1])
    partial.grow(str(call.id or ""))
