"""Tests an endpoint step by step and says what is wrong, for the person who has just entered it."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assistant.providers.call import converse
from assistant.providers.endpoint import Endpoint, address_problem
from assistant.providers.failures import ProviderFailure, explained
from assistant.providers.kinds import adapter_of
from assistant.providers.words import Ask, Stop, Text, ToolSpec, Turn

_SECONDS = 60.0
_TOKENS = 512  # enough for a model that thinks before it says a word
_LISTED = 12
_ECHO = ToolSpec(
    "report",
    "Report a word to the person who asks.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_SAY = {"role": "user", "content": "Say the word: ready"}
_CALL = {"role": "user", "content": "Call the tool `report` with the word: ready"}


@dataclass(frozen=True)
class Check:
    """One step. `ok` None: it could not be told, and need not matter."""

    name: str
    ok: bool | None
    message: str


def examine(endpoint: Endpoint) -> tuple[list[Check], list[Turn]]:
    """The steps that were taken, in order, the last one says why there are no more where one has failed; and the
    answers that were given, for the account.

    It costs a few hundred tokens. Takes at most three minutes with an endpoint that answers slowly.
    """
    bounded = replace(
        endpoint,
        attempts=1,
        idle_seconds=min(endpoint.idle_seconds, _SECONDS),
        total_seconds=min(endpoint.total_seconds, _SECONDS),
        max_output_tokens=min(endpoint.max_output_tokens, _TOKENS),
    )
    turns: list[Turn] = []
    return list(_steps(bounded, turns)), turns


def _steps(endpoint: Endpoint, turns: list[Turn]) -> Iterator[Check]:
    problem = address_problem(endpoint.base_url)
    if problem:
        yield Check("address", False, problem)
        return
    plain = endpoint.base_url.startswith("http://") and endpoint.host not in ("localhost", "127.0.0.1", "::1")
    warning = " The key and the code travel unencrypted: use https:// unless the network is your own."
    yield Check("address", True, f"{endpoint.base_url} can be read.{warning if plain else ''}")
    try:
        listed = asyncio.run(_models(endpoint))
    except Exception as error:
        failure = explained(error, endpoint)
        if failure.code in ("unreachable", "key", "redirect", "timeout", "payment"):
            yield Check("connection", False, failure.message)
            return
        yield Check("connection", None, f"It answers, but lists no models: {failure.message}")
    else:
        yield _listed(endpoint, listed)
    yield from _answers(endpoint, turns)


def _listed(endpoint: Endpoint, models: list[str]) -> Check:
    if endpoint.model in models:
        return Check("connection", True, f"It answers and has the model {endpoint.model}.")
    names = ", ".join(models[:_LISTED]) or "none"
    more = f" and {len(models) - _LISTED} more" if len(models) > _LISTED else ""
    return Check("connection", None, f"It answers; {endpoint.model!r} is not among its models: {names}{more}.")


async def _models(endpoint: Endpoint) -> list[str]:
    async with asyncio.timeout(endpoint.total_seconds), adapter_of(endpoint.kind).client_of(endpoint) as client:
        page = await client.models.list()
        return [str(model.id)[:100] for model in page.data or ()]


def _answers(endpoint: Endpoint, turns: list[Turn]) -> Iterator[Check]:
    started, first = time.monotonic(), 0.0
    try:
        for piece in converse(endpoint, Ask([_SAY])):
            if isinstance(piece, Text) and not first:
                first = time.monotonic() - started
            if isinstance(piece, Turn):
                turns.append(piece)
    except ProviderFailure as failure:
        yield Check("answer", False, failure.message)
        return
    turn = turns[-1]
    if turn.stop is Stop.LENGTH and not turn.text:
        message = f"It used {_TOKENS} tokens without a word: a model that thinks at length. It should work."
        yield Check("answer", None, message)
    elif not turn.stop.is_whole or not turn.text:
        yield Check("answer", False, turn.problem or "The answer is empty.")
        return
    else:
        yield Check("answer", True, f"The first word came after {first:.2f} s, the whole after {turn.seconds:.2f} s.")
    if turn.usage.estimated:
        yield Check("usage", None, "It does not say how many tokens were used: they are estimated, and marked so.")
    else:
        yield Check("usage", True, f"{turn.usage.input} tokens in, {turn.usage.output} out.")
    yield _calls_tools(endpoint, turns)


def _calls_tools(endpoint: Endpoint, turns: list[Turn]) -> Check:
    try:
        turns += [piece for piece in converse(endpoint, Ask([_CALL], [_ECHO])) if isinstance(piece, Turn)]
    except ProviderFailure as failure:
        return Check("tools", False, f"Without tools it answers, with them it does not: {failure.message}")
    turn = turns[-1]
    if not turn.calls:
        return Check("tools", None, "It did not call the tool that it was asked to call. It can chat, but hardly work.")
    call = turn.calls[0]
    if call.problem:
        return Check("tools", False, f"It calls tools, but not readably. {call.problem}")
    return Check("tools", True, f"It calls tools: {call.name}({str(call.arguments)[:60]}).")
