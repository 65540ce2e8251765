"""Stored baselines put together by graph: one case for each, within one context, which is never mixed with another.

They are kept in memory by what the table says of itself, so that a page costs one small query: medians and shares over
any choice of graphs are more than SQL has.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Sum

from graphs.folder_facets import one_name
from graphs.models import Graph
from graphs.plain_text import plain_line
from submissions.models import Baseline
from submissions.slower.reasons import WAYS, Verdict, verdict

CONTEXT = ("device", "hardware", "torch", "harness", "backend", "threads", "origin")
NOT_SAID = "not said"
_MANIFEST = settings.BASE_DIR / "graphs" / "captured" / "manifest.json"
_KEPT = 8  # contexts whose cases are in memory
_FEW = 500  # graphs that are named one by one in a query


@dataclass(frozen=True)
class Context:
    """What was measured alike: machine, versions, compiler, file. `stamp` changes whenever its figures do."""

    device: str
    hardware: str
    torch: str
    harness: str
    backend: str
    threads: int
    origin: str
    graphs: int
    figures: int
    measured_at: datetime
    stamp: tuple[Any, ...]

    @property
    def key(self) -> str:
        """Twelve digits that name it in an address."""
        return hashlib.sha256("\0".join(map(str, self._fields().values())).encode()).hexdigest()[:12]

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in CONTEXT}


@dataclass(frozen=True)
class Facts:
    """What a graph is, as far as it is filtered by. Texts are its folder's; what it leaves out is "not said"."""

    identity: str
    name: str
    model: str
    kind: str
    family: str
    domain: str
    operators: tuple[tuple[str, str], ...]  # label, class
    dtypes: tuple[str, ...]
    node_count: int
    text: str  # lower case; what words are looked for in


@dataclass(frozen=True)
class Figure:
    """Eager against the compiler by one way: medians in µs, and eager / compiler with its 95 % interval."""

    eager_us: float
    median_us: float
    ratio: float
    low: float
    high: float
    word: str


@dataclass(frozen=True)
class Case:
    """One graph in one context."""

    facts: Facts
    figures: dict[str, Figure]  # way → figure
    eager_kernels: int | None
    kernels: int | None
    verdict: Verdict
    measured_at: datetime


def contexts() -> list[Context]:
    """All there are, the one with most graphs first, GPUs before CPUs."""
    rows = (
        Baseline.objects.order_by()
        .values_list(*CONTEXT)
        .annotate(
            Count("graph", distinct=True), Count("id"), Max("measured_at"), Max("id"), Sum("ratio"), Sum("median_us")
        )
    )
    found = [
        Context(
            **dict(zip(CONTEXT, row, strict=False)),
            graphs=row[7],
            figures=row[8],
            measured_at=row[9],
            stamp=tuple(row[8:]),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (one.device == "cpu", -one.graphs, one.origin != "", one.key))


_lock = threading.Lock()
_cases: OrderedDict[str, tuple[tuple[Any, ...], tuple[Case, ...]]] = OrderedDict()
_facts: dict[tuple[int, str], Facts] = {}
_MOST_FACTS = 200_000


def cases(context: Context) -> tuple[Case, ...]:
    """Its graphs, by name."""
    with _lock:  # two requests for the same new figures read them once
        kept = _cases.get(context.key)
        if kept is None or kept[0] != context.stamp:
            kept = (context.stamp, tuple(_read(context)))
            _cases[context.key] = kept
        _cases.move_to_end(context.key)
        while len(_cases) > _KEPT:
            _cases.popitem(last=False)
        return kept[1]


def _read(context: Context) -> list[Case]:
    rows = Baseline.objects.order_by().filter(**{name: getattr(context, name) for name in CONTEXT})
    figures: dict[tuple[int, str], dict[str, Figure]] = {}
    launches: dict[tuple[int, str], tuple[int | None, int | None]] = {}
    newest: dict[tuple[int, str], datetime] = {}
    columns = ("graph_id", "graph__identity", "method", "entry", "eager_kernels", "kernels", "measured_at")
    numbers = ("eager_us", "median_us", "ratio", "ratio_low", "ratio_high", "word")
    for graph, identity, method, entry, eager_kernels, kernels, at, *figure in rows.values_list(*columns, *numbers):
        way = f"{method}-{entry}"
        if way not in WAYS:
            continue
        key = (graph, identity)
        figures.setdefault(key, {})[way] = Figure(*figure)
        before = launches.get(key, (None, None))
        launches[key] = (
            before[0] if eager_kernels is None else eager_kernels,
            before[1] if kernels is None else kernels,
        )
        newest[key] = max(at, newest.get(key, at))
    _read_facts(context, [key for key in figures if key not in _facts])
    found = [
        Case(facts, ways, *launches[key], _verdict(ways, launches[key]), newest[key])
        for key, ways in figures.items()
        if (facts := _facts.get(key)) is not None  # else it was deleted just now
    ]
    return sorted(found, key=lambda case: (case.facts.name.lower(), case.facts.identity))


def _verdict(ways: dict[str, Figure], launches: tuple[int | None, int | None]) -> Verdict:
    return verdict({way: figure.word for way, figure in ways.items()}, *launches)


def _read_facts(context: Context, missing: list[tuple[int, str]]) -> None:
    if not missing:
        return
    if len(_facts) + len(missing) > _MOST_FACTS:
        _facts.clear()
    graphs = Graph.objects.order_by().only("identity", "name", "operators", "dtypes", "node_count", "sample")
    if len(missing) <= _FEW:
        graphs = graphs.filter(pk__in=[graph for graph, _ in missing])
    else:
        of_context = Baseline.objects.filter(**{name: getattr(context, name) for name in CONTEXT})
        graphs = graphs.filter(pk__in=of_context.values("graph_id"))
    for graph in graphs.iterator(chunk_size=1000):
        _facts[graph.pk, graph.identity] = facts_of(graph)


def facts_of(graph: Graph) -> Facts:
    """What a graph's row and its folder's graph_net.json say."""
    net = graph.sample.get("graph_net") or {}

    def said(key: str) -> str:
        value = net.get(key)
        return plain_line(value)[:80] if isinstance(value, str) and value else NOT_SAID

    model = said("model_name")
    labels = tuple((one["label"], one["class"]) for one in graph.operators)
    words = [graph.name, model, said("source"), *(label for label, _ in labels)]
    return Facts(
        identity=graph.identity,
        name=graph.name,
        model=model,
        kind=said("subgraph_kind"),
        family=said("model_family")
        if "model_family" in net
        else _families().get(f"{said('source')}/{model}", NOT_SAID),
        domain=one_name("domain", said("heuristic_tag")),
        operators=labels,
        dtypes=tuple(graph.dtypes),
        node_count=graph.node_count,
        text=" ".join(words).lower(),
    )


@lru_cache(maxsize=1)
def _families() -> dict[str, str]:
    """Family by "library/model", of the models that the shipped catalogue was captured from."""
    try:
        manifest = json.loads(_MANIFEST.read_text("utf-8"))
        return {one["folder"]: one["family"] for one in manifest["models"]}
    except (OSError, ValueError, KeyError, TypeError):  # it need not ship; then folders speak for themselves
        return {}
