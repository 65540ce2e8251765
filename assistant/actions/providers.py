"""Adding, changing and removing providers, and the account of what they were asked."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from assistant.access import address_refusal
from assistant.cost import cost_of
from assistant.endpoints import endpoint_of
from assistant.models import Provider, ProviderCall
from assistant.providers import ProviderFailure, Turn
from assistant.providers.endpoint import address_problem
from assistant.sealing import seal
from graphs.refused import Refused
from submissions.audit import note
from submissions.models import Author

MOST_PROVIDERS = 30  # of one owner


def do_add_provider(author: Author, owner: Author | None, values: Mapping[str, Any], key: str) -> Provider:
    """A provider of an author, or with owner None the site's. `values` are the row's fields. Raises Refused."""
    if Provider.objects.filter(owner=owner).count() >= MOST_PROVIDERS:
        raise Refused(429, "too_many_providers", f"There are {MOST_PROVIDERS} already. Remove one first.")
    return _stored(author, Provider(owner=owner, sealed_key=seal(key), **values), "provider_added")


def do_change_provider(author: Author, provider: Provider, values: Mapping[str, Any], key: str | None) -> Provider:
    """Changes the named fields. A key stays as it is (None) only as long as the address does: else whoever may change
    the address could have the key sent to a host of theirs. Raises Refused."""
    moved = "base_url" in values and values["base_url"] != provider.base_url
    if moved and key is None and provider.sealed_key:
        message = "The address changes, and the key was given for the old one. Enter the key again with it."
        raise Refused(400, "key_needed", message)
    for name, value in values.items():
        setattr(provider, name, value)
    if key is not None:
        provider.sealed_key = seal(key)
    return _stored(author, provider, "provider_changed")


def do_remove_provider(author: Author, provider: Provider) -> None:
    """Removes it with its key. The account of what it was asked stays."""
    with transaction.atomic():
        subject = str(provider)
        provider.delete()
        note(author, "provider_removed", subject)


def do_account(
    author: Author, provider: Provider, purpose: str, turn: Turn | None, failure: ProviderFailure | None, seconds: float
) -> ProviderCall:
    """Writes down one call, whatever became of it."""
    row = ProviderCall(
        provider=Provider.objects.filter(pk=provider.pk).first(),  # it may have been removed while it answered
        author=author,
        model=provider.model,
        host=endpoint_of(provider, with_key=False).host[:255],
        purpose=purpose,
        seconds=seconds,
        attempts=1 if turn is None else turn.attempts,
        stop="failed" if turn is None else turn.stop.value,
        failure=failure.code if failure else "",
        currency=provider.currency,
    )
    if turn is not None:
        usage = turn.usage
        row.input_tokens, row.output_tokens = usage.input, usage.output
        row.cached_tokens, row.written_tokens, row.estimated = usage.cached, usage.written, usage.estimated
        row.cost = cost_of(usage, provider)
    row.save()
    return row


def _stored(author: Author, provider: Provider, action: str) -> Provider:
    problem = address_problem(provider.base_url) or address_refusal(author, endpoint_of(provider, with_key=False))
    if problem:
        raise Refused(400, "bad_address", problem)
    try:
        provider.clean_fields(exclude=["owner", "sealed_key"])
    except ValidationError as error:
        field, said = next(iter(error.message_dict.items()))
        raise Refused(400, "bad_provider", f"{field}: {said[0]}") from error
    try:
        with transaction.atomic():
            provider.save()
            note(author, action, str(provider), address=provider.base_url, site=provider.owner_id is None)
    except IntegrityError:
        message = f"There is a provider named {provider.name!r} already. Give this one another name."
        raise Refused(409, "name_taken", message) from None
    return provider
