"""A comparison as JSON: what the page and programs get."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from submissions.boards.shown import context_name
from submissions.comparing.differences import Difference, why_not
from submissions.comparing.entries import Chosen, Entry
from submissions.spending import Trajectory, cost_words, trajectories
from submissions.statistics import Estimate


def comparison_json(chosen: Chosen) -> dict[str, Any]:
    """The entries with their files and results. `why_not`: why an entry's speed is not compared with the first's."""
    paths = trajectories([one.run.pk for one in chosen.entries if one.run is not None])
    first = chosen.entries[0]
    return {
        "task": None if chosen.task is None else {"slug": chosen.task.slug, "title": chosen.task.title},
        "name": chosen.name,
        "entries": [_entry(one, why_not(first, one), paths) for one in chosen.entries],
    }


def _entry(one: Entry, why: str, paths: Mapping[UUID, Trajectory]) -> dict[str, Any]:
    run, submission = one.run, one.submission
    result = (run.result or {}) if run is not None else {}
    return {
        "key": one.key,
        "author": one.author.name,
        "kind": one.author.kind,
        "version": one.author.version,
        "run": None if run is None else run.pk,
        "revision_number": None if run is None else run.revision.number,
        "state": None if run is None else run.state,
        "created_at": None if run is None else run.created_at,
        "context": None if one.context is None else context_name(one.context),
        "hardware": one.hardware,
        "timed": one.context is not None and one.context.timed,
        "why_not": why,
        "verdict": (run.verdict or None) if run is not None else None,
        "reviewed_verdict": (run.reviewed_verdict or None) if run is not None else None,
        "correct": None if run is None else run.correct,
        "total": None if run is None else run.total,
        "aggregate_score": result.get("aggregate_score"),
        "es_t": result.get("es_t"),
        "findings": result.get("findings") or (submission.findings if submission is not None else None) or [],
        "submission": None if submission is None else submission.pk,
        "reported": None if submission is None else submission.reported,
        "problem": "" if submission is None else submission.problem,
        "trajectory": None if run is None else _trajectory(paths.get(run.pk)),
        "files": {name: text.encode("utf-8", "replace").decode() for name, text in one.files.items()},
    }


def _trajectory(one: Trajectory | None) -> dict[str, Any] | None:
    if one is None:
        return None
    spent = one.spent
    return {
        "step": one.step,
        "steps": spent.steps,
        "tokens": spent.tokens,
        "cost": cost_words(spent),
        "exit_reason": one.exit_reason,
    }


def differences_json(found: Iterable[Difference]) -> list[dict[str, Any]]:
    """As the API gives them."""
    return [
        {
            "key": one.key,
            "graph": one.graph,
            "ratio": estimate_json(one.ratio),
            "word": one.word,
            "basis": one.basis,
            "rounds": list(one.rounds),
            "why": one.why,
        }
        for one in found
    ]


def estimate_json(one: Estimate | None) -> dict[str, float] | None:
    """Value and interval."""
    return None if one is None else {"value": one.value, "low": one.low, "high": one.high}


COLUMNS = ("graph", "key", "author", "context", "status", "first_t", "reason", "eager_by_own", "low", "high", "rounds")
DIFFERENCE = ("times_as_fast_as_first", "times_low", "times_high", "word", "basis", "why")


def rows(chosen: Chosen, found: Sequence[Difference], speeds: Mapping[tuple[UUID, str], Any]) -> list[list[Any]]:
    """A line for each graph and entry, for the CSV: status, first t, speed, and the difference to the first entry."""
    by_place = {(one.key, one.graph): one for one in found}
    lines = []
    names = {name for one in chosen.entries if one.run for name in ((one.run.result or {}).get("graphs") or {})}
    for graph in sorted(names):
        for one in chosen.entries:
            said = ((one.run.result or {}).get("graphs") or {}).get(graph, {}) if one.run is not None else {}
            speed = speeds.get((one.run.pk, graph)) if one.run is not None else None
            differs = by_place.get((one.key, graph))
            context = None if one.context is None else one.context.key
            line: list[Any] = [graph, one.key, one.author.name, context]
            line += [said.get("status"), said.get("first_t"), said.get("reason")]
            line += _triple(speed.ratio if speed else None)
            line += [len(speed.rounds.own) if speed and speed.rounds else None]
            line += _triple(differs.ratio if differs else None)
            line += [differs.word, differs.basis, differs.why] if differs else [None, None, None]
            lines.append(line)
    return lines


def _triple(one: Estimate | None) -> list[float | None]:
    return [None, None, None] if one is None else [one.value, one.low, one.high]
