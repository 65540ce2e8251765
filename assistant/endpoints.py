"""From a provider's row to the endpoint that is asked. The one place where a stored key becomes readable."""

from assistant.models import Provider
from assistant.providers import Endpoint, ProviderFailure
from assistant.sealing import Unreadable, unseal


def endpoint_of(provider: Provider, *, with_key: bool = True) -> Endpoint:
    """Raises ProviderFailure when the key can not be read any more."""
    try:
        key = unseal(provider.sealed_key) if with_key else ""
    except Unreadable as error:
        raise ProviderFailure("key", str(error)) from error
    return Endpoint(
        kind=provider.kind,
        base_url=provider.base_url,
        model=provider.model,
        key=key,
        max_output_tokens=provider.max_output_tokens,
        idle_seconds=provider.idle_seconds,
        total_seconds=provider.total_seconds,
    )
