"""Whether the speeds of two runs really differ, graph by graph, from the rounds that their logs keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from evaluator.verdicts import Status
from submissions.comparing.entries import Entry
from submissions.models import RunEvent
from submissions.statistics import Estimate, Rounds, difference_of_estimates, difference_through_eager, word_of

_ENTRIES = ("direct", "published")  # what scores follow: a run has one of the two
_DRAWS = 500  # of each bootstrap: six runs of ten graphs take seconds with more
_MOST_ROUNDS = 400  # of one run on one graph that are looked at

Basis = Literal["rounds", "intervals"]


@dataclass(frozen=True)
class Speed:
    """A submission's speed on one graph: eager / submission with its interval; `rounds` is None where the log keeps
    only the interval."""

    ratio: Estimate
    rounds: Rounds | None


@dataclass(frozen=True)
class Difference:
    """`ratio` is how many times faster than the first one `key` is; `basis` says what the interval was made of.

    Without a ratio `why` says why there is none.
    """

    key: str
    graph: str
    ratio: Estimate | None
    word: str
    basis: Basis | None
    rounds: tuple[int, int]
    why: str


def differences(entries: Sequence[Entry], method: str) -> list[Difference]:
    """Each entry against the first, on each graph that both have. Contexts never mix: then `why` says so."""
    first, *others = entries
    speeds = speeds_of([one.run.pk for one in entries if one.run is not None], method)
    graphs = _graphs(first)
    found = []
    for place, one in enumerate(others, 1):
        own = _graphs(one)
        for name in graphs:
            if name in own:
                found.append(_difference(first, one, name, speeds, place))
    return found


def _graphs(one: Entry) -> Mapping[str, Any]:
    result = (one.run.result or {}) if one.run is not None else {}
    graphs: Mapping[str, Any] = result.get("graphs", {})
    return graphs


def _difference(
    first: Entry, one: Entry, graph: str, speeds: Mapping[tuple[UUID, str], Speed], place: int
) -> Difference:
    why = why_not(first, one)
    here = speeds.get((first.run.pk, graph)) if first.run is not None else None
    there = speeds.get((one.run.pk, graph)) if one.run is not None else None
    wrong = [side for side in (first, one) if _graphs(side)[graph].get("status") != Status.CORRECT]
    if not why and wrong:
        why = "not correct on this graph: its speed says nothing"
    if not why and (here is None or there is None):
        why = "not timed by this method"
    if why or here is None or there is None:
        return Difference(one.key, graph, None, "", None, (0, 0), why)
    if here.rounds is not None and there.rounds is not None:
        ratio = difference_through_eager(there.rounds, here.rounds, (place, 0), _DRAWS)
        counts = (len(here.rounds.own), len(there.rounds.own))
        return Difference(one.key, graph, ratio, _word(ratio), "rounds", counts, "")
    ratio = difference_of_estimates(there.ratio, here.ratio)
    return Difference(one.key, graph, ratio, _word(ratio), "intervals", (0, 0), "")


def _word(ratio: Estimate) -> str:
    """Of the later entry: evaluator.statistics' words for a speed."""
    return {"first": "faster", "second": "slower", "same": "same", "unclear": "inconclusive"}[word_of(ratio)]


def why_not(first: Entry, other: Entry) -> str:
    """Why the speeds of two entries must not be compared; empty where they may be."""
    if first.context is None or other.context is None:
        return "not evaluated"
    if first.context == other.context and first.hardware == other.hardware:
        return "" if first.context.timed else "no speed on a CPU"
    names = ("device", "torch", "harness", "profile", "origin")
    differ = [name for name in names if getattr(first.context, name) != getattr(other.context, name)]
    return f"measured elsewhere: other {', '.join(differ or ['hardware'])}"


def speeds_of(runs: Sequence[UUID], method: str) -> dict[tuple[UUID, str], Speed]:
    """What the logs of these runs say about the submission's speed by one method: run and graph → speed. One query."""
    rows = RunEvent.objects.filter(run__in=runs, kind="timed")
    found: dict[tuple[UUID, str], Speed] = {}
    for run, said in rows.order_by("run_id", "seq").values_list("run_id", "payload"):
        scored = said.get("method") == method and said.get("entry") in _ENTRIES
        speed = read_speed(said) if scored else None
        if speed is not None:
            found[run, str(said.get("graph"))] = speed
    return found


def read_speed(said: Mapping[str, Any]) -> Speed | None:
    """Of a `timed` event; None where it has no figure of the submission. A file may hold anything."""
    ratio = (said.get("ratios") or {}).get("candidate") or {}
    ends = [float(end) for name in ("value", "low", "high") if isinstance(end := ratio.get(name), int | float)]
    if len(ends) < 3 or min(ends) <= 0:
        return None
    samples = said.get("samples") or {}
    eager, own = (samples.get(who) or [] for who in ("eager", "candidate"))
    whole = len(eager) == len(own) > 1 and all(isinstance(one, int | float) and one > 0 for one in (*eager, *own))
    rounds = Rounds(tuple(eager[:_MOST_ROUNDS]), tuple(own[:_MOST_ROUNDS])) if whole else None
    return Speed(Estimate(*ends), rounds)
