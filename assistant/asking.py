"""Asking a provider: within its rate, by its endpoint, on its account."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from assistant.access import address_refusal
from assistant.actions.providers import do_account
from assistant.endpoints import endpoint_of
from assistant.models import Provider, ProviderCall
from assistant.providers import Ask, Piece, ProviderFailure, Stop, Turn, Usage, Waits, converse
from assistant.providers.call import LOOK_SECONDS
from graphs.refused import Refused
from submissions import limits
from submissions.models import Author

MOST_WAITING = 300.0  # seconds for a place in the provider's rate


def ask_provider(
    author: Author,
    provider: Provider,
    ask: Ask,
    purpose: str,
    cancelled: Callable[[], bool] = lambda: False,
    accounted: Callable[[ProviderCall], None] = lambda call: None,
) -> Iterator[Piece]:
    """As `converse`, and every call gets a row, whatever becomes of it; `accounted` is told before the last piece.

    Raises ProviderFailure.
    """
    began = time.monotonic()
    turn: Turn | None = None
    failure: ProviderFailure | None = None
    done = False
    try:
        endpoint = endpoint_of(provider)
        # A right may have been taken away since the provider was added.
        refusal = None if provider.owner_id is None else address_refusal(author, endpoint)
        if refusal:
            raise ProviderFailure("not_allowed", refusal)
        yield from _in_turn(provider, cancelled)
        if cancelled():
            done = True  # nothing was asked, nothing is owed
            nothing = Usage(0, 0, estimated=True)
            yield Turn("", (), Stop.CANCELLED, nothing, provider.model, 0, time.monotonic() - began, "Cancelled.")
            return
        for piece in converse(endpoint, ask, cancelled):
            if isinstance(piece, Turn):
                turn = piece
                done = True
                accounted(do_account(author, provider, purpose, turn, None, turn.seconds))
            yield piece
    except ProviderFailure as problem:
        failure = problem
        raise
    finally:
        if not done:
            do_account(author, provider, purpose, turn, failure, time.monotonic() - began)


def _in_turn(provider: Provider, cancelled: Callable[[], bool]) -> Iterator[Waits]:
    """Waits until the provider's own limit lets another request through; counted for all processes together."""
    if not provider.requests_per_minute:
        return
    rate = limits.Rate("model", provider.requests_per_minute, 60 / provider.requests_per_minute)
    until = time.monotonic() + MOST_WAITING
    said = False
    while not cancelled():
        with suppress(Refused):
            limits.take(rate, provider.pk)
            return
        if not said:
            said = True
            yield Waits(f"{provider.requests_per_minute} requests a minute are the limit set here.", 1, 0)
        if time.monotonic() > until:
            raise ProviderFailure("rate", "The limit on requests a minute left no place for this one. Raise it.")
        time.sleep(LOOK_SECONDS)
