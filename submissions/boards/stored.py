"""Runs, baselines and submissions as a board wants them. Results never change, so each is read once and kept as the few
numbers that count."""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from evaluator.scoring import CORRECT_AT, GraphScore, graph_score
from evaluator.verdicts import Integrity, RunState, Status
from graphs.models import TaskGraph
from submissions.boards.outcome import Outcome, outcome_of, outcome_of_result
from submissions.models import Author, Baseline, Run

HERE, FILES = "here", "files"
_MOST_KEPT = 100_000
_AT_ONCE = 400  # ids in one query


@dataclass(frozen=True)
class Context:
    """What may stand in one ranking: device class, versions, profile, and whether it was measured here or came as a
    file."""

    device: str
    torch: str
    harness: str
    profile: str
    origin: str  # HERE or FILES

    @property
    def key(self) -> str:
        """What an address calls it."""
        return "~".join((self.device, self.torch, self.harness, self.profile, self.origin))

    @property
    def timed(self) -> bool:
        """Whether speed counts there."""
        return self.device != "cpu"


@dataclass(frozen=True)
class Scored:
    """One run."""

    author: int
    task: int
    context: Context
    outcome: Outcome
    at: datetime  # when it ended


_lock = threading.Lock()
_kept: OrderedDict[tuple[UUID, str], Scored] = OrderedDict()


def scored_runs(tasks: Iterable[int]) -> list[Scored]:
    """The finished runs of these tasks, oldest first. A reviewer's verdict goes before the judge's."""
    runs = Run.objects.filter(task_id__in=list(tasks), state=RunState.DONE, baseline_run=None, correct__isnull=False)
    rows = runs.order_by("created_at", "pk").values_list("pk", "verdict", "reviewed_verdict")
    keys = [(pk, reviewed or verdict) for pk, verdict, reviewed in rows]
    with _lock:
        missing = [key for key in keys if key not in _kept]
        for start in range(0, len(missing), _AT_ONCE):
            _read(dict(missing[start : start + _AT_ONCE]))
        found = [_kept[key] for key in keys if key in _kept]  # else its run was deleted just now
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _read(verdicts: Mapping[UUID, str]) -> None:
    columns = ("pk", "author_id", "task_id", "device", "imported__run_id", "result", "finished_at", "created_at")
    for pk, author, task, device, imported, result, finished, created in Run.objects.filter(
        pk__in=verdicts
    ).values_list(*columns):
        said = result or {}
        context = context_of(device, imported is not None, said)
        exploit = verdicts[pk] == Integrity.VIOLATION
        outcome = outcome_of_result(said, exploit=exploit, run=str(pk))
        _kept[pk, verdicts[pk]] = Scored(author, task, context, outcome, finished or created)


def context_of(device: str, from_file: bool, result: Mapping[str, Any]) -> Context:
    """Where a run was measured, by its `run_done`."""
    versions = result.get("versions") or {}
    return Context(
        device=device,
        torch=str(versions.get("torch") or "unknown"),
        harness=str(versions.get("harness") or "unknown"),
        profile=str(result.get("profile") or "precise"),
        origin=FILES if from_file else HERE,
    )


def inductor_contexts(tasks: Sequence[int]) -> list[Context]:
    """Where Inductor was measured on graphs of these tasks, called directly, by `e2e`."""
    rows = _figures(tasks).order_by().values_list("device", "torch", "harness", "origin").distinct()
    found = {
        Context(device, torch, harness, "precise", FILES if origin else HERE) for device, torch, harness, origin in rows
    }
    return sorted(found, key=lambda one: one.key)


def inductor_outcomes(tasks: Sequence[int], context: Context) -> dict[int, Outcome]:
    """Task → what Inductor comes to on it, where all of its graphs were measured and compared with eager."""
    graphs = inductor_scores(tasks, context)
    entries: dict[int, list[int]] = defaultdict(list)
    for task, graph in TaskGraph.objects.filter(task_id__in=tasks).values_list("task_id", "graph_id"):
        entries[task].append(graph)
    return {
        task: outcome_of([graphs[one] for one in own], timed=context.timed)
        for task, own in entries.items()
        if all(one in graphs for one in own)
    }


def inductor_scores(tasks: Sequence[int], context: Context) -> dict[int, GraphScore]:
    """Graph → what Inductor comes to on it, of the graphs of these tasks that were measured and compared with eager."""
    rows = _figures(tasks).filter(device=context.device, torch=context.torch, harness=context.harness, compared=True)
    rows = rows.filter(origin="") if context.origin == HERE else rows.exclude(origin="")
    return {
        graph: _score(ratio, first_t)
        for graph, ratio, first_t in rows.order_by("measured_at").values_list("graph_id", "ratio", "first_t")
    }


def _figures(tasks: Sequence[int]) -> Any:
    of_tasks = TaskGraph.objects.filter(task_id__in=tasks).values("graph_id")
    return Baseline.objects.filter(graph_id__in=of_tasks, backend="inductor", entry="direct", method="e2e")


def _score(ratio: float, first_t: int | None) -> GraphScore:
    right = first_t is not None and first_t <= CORRECT_AT
    return graph_score(Status.CORRECT if right else Status.ACCURACY, None, None, first_t, ratio)


def authors_of(ids: Iterable[int]) -> dict[int, Author]:
    """By row."""
    return {one.pk: one for one in Author.objects.filter(pk__in=list(ids)).only("name", "kind", "version", "settings")}
