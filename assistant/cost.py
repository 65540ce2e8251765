"""What an answer costs, by the prices that somebody has entered. Without a price there is no figure."""

from decimal import Decimal

from assistant.models import Provider
from assistant.providers import Usage

_MILLION = Decimal(1_000_000)
_MOST = Decimal("99999999.999999")  # that a column holds


def cost_of(usage: Usage, provider: Provider) -> Decimal | None:
    """In the provider's currency, to the millionth; None where a price is missing. A cache without a price of its own
    costs what input costs."""
    if provider.price_input is None or provider.price_output is None:
        return None
    cached = provider.price_input if provider.price_cached is None else provider.price_cached
    written = provider.price_input if provider.price_written is None else provider.price_written
    fresh = max(0, usage.input - usage.cached - usage.written)
    total = (
        fresh * provider.price_input
        + usage.cached * cached
        + usage.written * written
        + usage.output * provider.price_output
    )
    return quantized(min(total / _MILLION, _MOST))


def quantized(cost: Decimal) -> Decimal:
    """To the millionth; a database's sum may have more places, or floating ones."""
    return cost.quantize(Decimal("0.000001"))
