"""JSON API of the providers. A key goes in and never comes out again."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.db.models import Count, Q, Sum
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from assistant.access import access_provider, access_provider_to_change, address_refusal, providers_of
from assistant.actions.providers import do_account, do_add_provider, do_change_provider, do_remove_provider
from assistant.cost import quantized
from assistant.endpoints import endpoint_of
from assistant.models import Provider, ProviderCall
from assistant.providers import ProviderFailure, examine
from graphs.refused import Refused
from submissions import limits
from submissions.access import is_admin, require_scope
from submissions.authors import current_author
from submissions.safe_json import safe_text
from submissions.tokens import Scope

router = Router(tags=["assistant"])

CHANGES = limits.Rate("provider changed", 30, 2)
CHECKS = limits.Rate("provider checked", 10, 6)

Price = Annotated[Decimal, Field(ge=0, lt=1_000_000, max_digits=12, decimal_places=6)]


class ProviderIn(Schema):
    name: Annotated[str, Field(min_length=1, max_length=80)]
    kind: Literal["openai", "anthropic"]
    base_url: Annotated[str, Field(min_length=1, max_length=300)]
    model: Annotated[str, Field(min_length=1, max_length=200)]
    key: Annotated[str, Field(max_length=1000)] = ""
    site: bool = False  # for everybody; admins only
    max_output_tokens: Annotated[int, Field(ge=16, le=1_000_000)] = 8192
    idle_seconds: Annotated[float, Field(ge=1, le=600)] = 60
    total_seconds: Annotated[float, Field(ge=5, le=3600)] = 600
    requests_per_minute: Annotated[int, Field(ge=0, le=100_000)] = 0
    currency: Annotated[str, Field(min_length=1, max_length=8)] = "USD"
    price_input: Price | None = None
    price_cached: Price | None = None
    price_written: Price | None = None
    price_output: Price | None = None


class ProviderChange(Schema):
    """What is left out stays as it is."""

    name: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    base_url: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    model: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    key: Annotated[str, Field(max_length=1000)] | None = None
    max_output_tokens: Annotated[int, Field(ge=16, le=1_000_000)] | None = None
    idle_seconds: Annotated[float, Field(ge=1, le=600)] | None = None
    total_seconds: Annotated[float, Field(ge=5, le=3600)] | None = None
    requests_per_minute: Annotated[int, Field(ge=0, le=100_000)] | None = None
    currency: Annotated[str, Field(min_length=1, max_length=8)] | None = None
    price_input: Price | None = None
    price_cached: Price | None = None
    price_written: Price | None = None
    price_output: Price | None = None


class ProviderOut(Schema):
    id: int
    name: str
    kind: str
    base_url: str
    model: str
    has_key: bool
    site: bool
    may_change: bool
    max_output_tokens: int
    idle_seconds: float
    total_seconds: float
    requests_per_minute: int
    currency: str
    price_input: Decimal | None  # of a million tokens
    price_cached: Decimal | None
    price_written: Decimal | None
    price_output: Decimal | None
    changed_at: datetime


class ProviderList(Schema):
    providers: list[ProviderOut]
    may_add_for_site: bool


class CheckOut(Schema):
    name: str
    ok: bool | None
    message: str


class Checks(Schema):
    checks: list[CheckOut]


class Used(Schema):
    model: str
    host: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    estimated: int  # calls whose tokens were not counted by the endpoint
    cost: Decimal | None  # of the calls whose price is known
    unpriced: int  # calls without a price
    currency: str


class UsedList(Schema):
    used: list[Used]


@router.get("/assistant/providers", response=ProviderList, summary="The site's providers and the author's own")
def list_providers(request: HttpRequest) -> dict[str, Any]:
    author = current_author(request)
    admin = is_admin(author)
    return {"providers": [_shown(row, admin) for row in providers_of(author)], "may_add_for_site": admin}


@router.post("/assistant/providers", response={201: ProviderOut}, summary="Add a provider")
def add_provider(request: HttpRequest, body: ProviderIn) -> Status[dict[str, Any]]:
    author = current_author(request)
    limits.take(CHANGES, author.pk)
    if body.site:
        require_scope(request, Scope.ADMIN)
        if not is_admin(author):
            raise Refused(403, "not_an_admin", "Only an admin adds a provider for everybody. Add one of your own.")
    values = _plain(body.dict(exclude={"key", "site"}))
    added = do_add_provider(author, None if body.site else author, values, body.key.strip())
    return Status(201, _shown(added, is_admin(author)))


@router.patch("/assistant/providers/{provider_id}", response=ProviderOut, summary="Change a provider")
def change_provider(request: HttpRequest, provider_id: int, body: ProviderChange) -> dict[str, Any]:
    """A new address needs the key again. An empty key removes it; without the field it stays."""
    author = current_author(request)
    limits.take(CHANGES, author.pk)
    provider = _to_change(request, provider_id)
    values = _plain(body.dict(exclude={"key"}, exclude_unset=True))
    empty = [name for name, value in values.items() if value is None and not name.startswith("price_")]
    if empty:
        raise Refused(400, "bad_provider", f"{empty[0]}: can not be null. Leave it out to keep it.")
    key = None if body.key is None else body.key.strip()
    return _shown(do_change_provider(author, provider, values, key), is_admin(author))


@router.delete("/assistant/providers/{provider_id}", response={204: None}, summary="Remove a provider with its key")
def remove_provider(request: HttpRequest, provider_id: int) -> Status[None]:
    author = current_author(request)
    limits.take(CHANGES, author.pk)
    do_remove_provider(author, _to_change(request, provider_id))
    return Status(204, None)


@router.post("/assistant/providers/{provider_id}/check", response=Checks, summary="Test a provider, step by step")
def check_provider(request: HttpRequest, provider_id: int) -> dict[str, Any]:
    """Asks the endpoint two short questions and says what is wrong with it. Costs a few hundred tokens."""
    author = current_author(request)
    limits.take(CHECKS, author.pk)
    provider = access_provider(author, provider_id)
    try:
        endpoint = endpoint_of(provider)
    except ProviderFailure as failure:
        return {"checks": [{"name": "key", "ok": False, "message": failure.message}]}
    refusal = None if provider.owner_id is None else address_refusal(author, endpoint)
    if refusal:
        return {"checks": [{"name": "address", "ok": False, "message": refusal}]}
    checks, turns = examine(endpoint)
    for turn in turns:
        do_account(author, provider, "check", turn, None, turn.seconds)
    return {"checks": [{"name": step.name, "ok": step.ok, "message": step.message} for step in checks]}


@router.get("/assistant/usage", response=UsedList, summary="What the author's questions to models used and cost")
def usage(request: HttpRequest) -> dict[str, Any]:
    rows = (
        ProviderCall.objects.filter(author=current_author(request))
        .order_by("model", "host", "currency")
        .values("model", "host", "currency")
        # Under other names than the columns, which the filters mean.
        .annotate(
            calls=Count("id"),
            sum_in=Sum("input_tokens"),
            sum_cached=Sum("cached_tokens"),
            sum_out=Sum("output_tokens"),
            sum_cost=Sum("cost"),
            guessed=Count("id", filter=Q(estimated=True)),
            unpriced=Count("id", filter=Q(cost=None)),
        )
    )
    return {"used": [_used(row) for row in rows]}


def _used(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("model", "host", "currency", "calls", "unpriced")},
        "input_tokens": row["sum_in"],
        "cached_tokens": row["sum_cached"],
        "output_tokens": row["sum_out"],
        "estimated": row["guessed"],
        "cost": None if row["sum_cost"] is None else quantized(row["sum_cost"]),
    }


def _to_change(request: HttpRequest, provider_id: int) -> Provider:
    provider = access_provider_to_change(current_author(request), provider_id)
    if provider.owner_id is None:
        require_scope(request, Scope.ADMIN)
    return provider


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: safe_text(" ".join(value.split())) if isinstance(value, str) else value for name, value in values.items()
    }


def _shown(provider: Provider, admin: bool) -> dict[str, Any]:
    fields = [name for name in ProviderOut.model_fields if name not in ("has_key", "site", "may_change")]
    return {
        **{name: getattr(provider, name) for name in fields},
        "has_key": bool(provider.sealed_key),
        "site": provider.owner_id is None,
        "may_change": provider.owner_id is not None or admin,
    }
