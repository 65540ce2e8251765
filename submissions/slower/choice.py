"""Which cases fit what was chosen, in which order, and how many would fit one choice more. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from submissions.slower.cases import Case
from submissions.slower.reasons import REASONS, SLOWER, WAYS

#: Of one facet any of the chosen values will do; of operators and of `slower` all have to be there.
ANY = ("reason", "kind", "family", "domain", "dtype")
ALL = ("operator", "slower")
FACETS = (*ANY, *ALL)
_MOST_VALUES = 200  # of one facet that are offered

#: For the reason "", which an address can not tell from none at all.
NO_REASON = "not slower"


@dataclass(frozen=True)
class Choice:
    """What was chosen; nothing of a facet means that it does not matter."""

    words: tuple[str, ...] = ()  # lower case; each has to occur in the name, the model or an operator
    reason: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    dtype: tuple[str, ...] = ()
    operator: tuple[str, ...] = ()
    slower: tuple[str, ...] = ()  # ways

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class Chosen:
    """The cases that fit, and for each facet (value, how many would fit with it)."""

    cases: tuple[Case, ...]
    facets: dict[str, list[tuple[str, int]]]


def values_of(case: Case, facet: str) -> Iterable[str]:
    """What a case has of a facet."""
    match facet:
        case "reason":
            return (case.verdict.reason or NO_REASON,)
        case "operator":
            return dict.fromkeys(label for label, _ in case.facts.operators)
        case "dtype":
            return dict.fromkeys(case.facts.dtypes)
        case "slower":
            return [way for way, figure in case.figures.items() if figure.word == SLOWER]
    return (getattr(case.facts, facet),)


def choose(cases: Sequence[Case], choice: Choice) -> Chosen:
    """Alternatives of a facet are counted as if none of them were chosen, what must all be there with what is."""
    wanted = {facet: frozenset(getattr(choice, facet)) for facet in FACETS if getattr(choice, facet)}
    counts: dict[str, Counter[str]] = {facet: Counter() for facet in FACETS}
    found = []
    for case in cases:
        values = {facet: tuple(values_of(case, facet)) for facet in FACETS}
        for facet in FACETS:
            for value in values[facet]:
                counts[facet].setdefault(value, 0)
        if not all(word in case.facts.text for word in choice.words):
            continue
        failing = [facet for facet, asked in wanted.items() if not _fits(facet, values[facet], asked)]
        if not failing:
            found.append(case)
        for facet in FACETS if not failing else failing if len(failing) == 1 and failing[0] in ANY else ():
            counts[facet].update(values[facet])
    return Chosen(tuple(found), {facet: _listed(facet, counts[facet], wanted.get(facet)) for facet in FACETS})


def _fits(facet: str, values: Sequence[str], asked: frozenset[str]) -> bool:
    return asked.issubset(values) if facet in ALL else not asked.isdisjoint(values)


def _listed(facet: str, counts: Counter[str], chosen: frozenset[str] | None) -> list[tuple[str, int]]:
    """Most frequent first; ways and reasons in their own order. What is chosen is always among them."""
    if facet == "slower":
        return [(way, counts[way]) for way in WAYS]
    if facet == "reason":
        return [(value, counts[value]) for value in (reason or NO_REASON for reason in REASONS)]
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    kept = ordered[:_MOST_VALUES] + [one for one in ordered[_MOST_VALUES:] if chosen and one[0] in chosen]
    missing = [(value, 0) for value in sorted(chosen or ()) if value not in counts]
    return kept + missing


def _ratio(way: str, case: Case) -> float | None:
    return case.figures[way].ratio if way in case.figures else None


def _more_launches(case: Case) -> int | None:
    return None if case.kernels is None or case.eager_kernels is None else case.kernels - case.eager_kernels


SORTS: dict[str, Callable[[Case], Any]] = {
    "graph": lambda case: case.facts.name.lower(),
    "model": lambda case: case.facts.model.lower(),
    "kind": lambda case: case.facts.kind,
    "operators": lambda case: case.facts.node_count,
    "reason": lambda case: REASONS.index(case.verdict.reason),
    "launches": _more_launches,
    **{way: partial(_ratio, way) for way in WAYS},
}


def ordered(cases: Sequence[Case], sort: str) -> list[Case]:
    """By a key of SORTS, with "-" before it downwards. What has no value comes last; equals keep their place."""
    key = SORTS[sort.removeprefix("-")]
    known: list[tuple[Any, Case]] = []
    without: list[tuple[Any, Case]] = []
    for case in cases:
        value = key(case)
        (without if value is None else known).append((value, case))
    known.sort(key=lambda pair: pair[0], reverse=sort.startswith("-"))
    return [case for _, case in (*known, *without)]
