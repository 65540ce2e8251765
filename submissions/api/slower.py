"""Which graphs get slower under a compiler: a page of a list with the distributions over all of it, and its figures."""

from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from graphs.refused import Refused
from submissions.slower import cases as stored
from submissions.slower.cases import Case, Context
from submissions.slower.choice import SORTS, Choice, Chosen, choose, ordered
from submissions.slower.export import as_csv, as_json
from submissions.slower.shares import Share, shares

router = Router(tags=["baselines"])

PAGE = 200

Values = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=40)]


class ContextOut(Schema):
    """Figures that were measured alike. Two contexts are never put together."""

    key: str
    device: str
    hardware: str  # what the machine is, in its system's words
    torch: str
    harness: str
    backend: str  # inductor, inductor max-autotune, …
    threads: int  # of both, on a CPU; 0 where that means nothing
    origin: str  # the file it was imported from; empty: measured by this installation
    graphs: int
    figures: int
    measured_at: datetime  # the newest


class FigureOut(Schema):
    eager_us: float  # medians of one session, in µs
    median_us: float
    ratio: float  # eager / compiler, below 1: the compiler is slower
    low: float  # of the 95 % interval
    high: float
    word: str  # slower, faster, same, inconclusive: by the interval


class OperatorOut(Schema):
    label: str
    kind: str  # pointwise, reduction, …


class GraphRow(Schema):
    identity: str  # its page is /graphs/{identity}/
    name: str
    model: str
    kind: str
    family: str
    domain: str
    operators: list[OperatorOut]
    dtypes: list[str]
    node_count: int
    eager_kernels: int | None  # launches of one call; null: not counted
    kernels: int | None
    reason: str  # host, launches, kernels, unclear; empty: slower by no way
    why: str
    figures: dict[str, FigureOut]  # by way: method-entry
    measured_at: datetime


class ShareOut(Schema):
    """One way over all graphs that fit."""

    way: str  # e2e-compiled, e2e-direct, gpu-direct, graph-direct, kernel-direct
    measured: int
    slower: int
    faster: int
    same: int
    inconclusive: int
    below_one: int  # ratio below 1, whatever its interval
    median: float | None  # of eager / compiler
    curve: list[tuple[float, float]]  # (ratio, share of graphs at or below it)


class FacetValue(Schema):
    value: str
    count: int  # graphs that would be left with it


class SlowerOut(Schema):
    contexts: list[ContextOut]
    context: ContextOut | None  # null: nothing was measured yet
    graphs: int  # in the context
    total: int  # that fit
    shares: list[ShareOut]
    facets: dict[str, list[FacetValue]]
    rows: list[GraphRow]


class Filter(Schema):
    """`slower` names ways, all of which must be slower; an operator is one of those that must all be there."""

    context: Annotated[str, Field(max_length=12)] = ""  # empty: the one with most graphs
    q: Annotated[str, Field(max_length=200)] = ""
    reason: Values = []
    kind: Values = []
    family: Values = []
    domain: Values = []
    dtype: Values = []
    operator: Values = []
    slower: Values = []
    sort: Annotated[str, Field(max_length=40)] = "e2e-direct"  # "-" before it: downwards


@router.get("/slower", response=SlowerOut, summary="Which graphs get slower under a compiler, and why")
def slower(
    request: HttpRequest,
    filters: Query[Filter],
    limit: Annotated[int, Field(ge=1, le=PAGE)] = 100,
    offset: Annotated[int, Field(ge=0)] = 0,
) -> dict[str, Any]:
    """Of one context: a machine, its versions and one compiler. Shares and counts are over all graphs that fit."""
    known = stored.contexts()
    context = _context(known, filters.context)
    if context is None:
        return {"contexts": [], "context": None, "graphs": 0, "total": 0, "shares": [], "facets": {}, "rows": []}
    chosen, over_all = _choose(context, _choice(filters))
    rows = _sorted(chosen, filters.sort)[offset : offset + limit]
    return {
        "contexts": known,
        "context": context,
        "graphs": context.graphs,
        "total": len(chosen.cases),
        "shares": over_all,
        "facets": {
            name: [{"value": value, "count": count} for value, count in values]
            for name, values in chosen.facets.items()
        },
        "rows": [_row(case) for case in rows],
    }


@router.get("/slower/figures", summary="The figures of that list as a file")
def figures(request: HttpRequest, filters: Query[Filter], format: Literal["csv", "json"] = "csv") -> HttpResponse:
    """All that fit, one row for each graph and way."""
    context = _context(stored.contexts(), filters.context)
    if context is None:
        raise Refused(404, "nothing_measured", "No compiler was measured here yet, so that there is nothing to save.")
    found = _sorted(_choose(context, _choice(filters))[0], filters.sort)
    text, kind = (
        (as_csv(context, found), "text/csv; charset=utf-8")
        if format == "csv"
        else (
            as_json(context, found),
            "application/json",
        )
    )
    name = f'attachment; filename="slower-{context.key}.{format}"'
    return HttpResponse(text, content_type=kind, headers={"Content-Disposition": name})


def _context(known: list[Context], key: str) -> Context | None:
    if not key or not known:
        return next(iter(known), None)
    for one in known:
        if one.key == key:
            return one
    raise Refused(404, "unknown_context", f"No figures have the key {key!r}: they were replaced. /slower/ lists all.")


def _choice(filters: Filter) -> Choice:
    words = tuple(filters.q.lower().split())
    lists = {
        name: tuple(dict.fromkeys(getattr(filters, name))) for name in Choice.__dataclass_fields__ if name != "words"
    }
    return Choice(words, **lists)


@lru_cache(maxsize=32)
def _choose(context: Context, choice: Choice) -> tuple[Chosen, list[Share]]:
    """Kept for the next page, or another order, of the same list: the context's stamp changes with its figures."""
    chosen = choose(stored.cases(context), choice)
    return chosen, shares(chosen.cases)


def _sorted(chosen: Chosen, sort: str) -> list[Case]:
    if sort.removeprefix("-") not in SORTS:
        raise Refused(422, "unknown_order", f"There is no order {sort!r}. There is: {', '.join(SORTS)}.")
    return ordered(chosen.cases, sort)


def _row(case: Case) -> dict[str, Any]:
    facts = case.facts
    return {
        "identity": facts.identity,
        "name": facts.name,
        "model": facts.model,
        "kind": facts.kind,
        "family": facts.family,
        "domain": facts.domain,
        "operators": [{"label": label, "kind": kind} for label, kind in facts.operators],
        "dtypes": facts.dtypes,
        "node_count": facts.node_count,
        "eager_kernels": case.eager_kernels,
        "kernels": case.kernels,
        "reason": case.verdict.reason,
        "why": case.verdict.why,
        "figures": case.figures,
        "measured_at": case.measured_at,
    }
