"""Runs that ship with tasks as catalogue and graph pages mention them: where, how much is right, how fast."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from ninja import Schema

from evaluator.verdicts import Status
from submissions.models import ImportedRun, Run
from submissions.speed_in_short import mean_speedup


class ExampleInShort(Schema):
    run: UUID
    device: str
    hardware: str  # in the file's own words
    correct: int
    total: int
    speedup: dict[str, float]  # by method: geometric mean of eager / pass over the graphs that are correct


def shipped_runs(task_ids: Iterable[int]) -> dict[int, list[Run]]:
    """Task id → its shipped runs with their results, the newest of each device."""
    found = (
        Run.objects.filter(task_id__in=list(task_ids), imported__kind=ImportedRun.Kind.EXAMPLE, result__isnull=False)
        .select_related("imported")
        .order_by("device", "created_at")
    )
    newest = {(run.task_id, run.device): run for run in found}
    by_task: dict[int, list[Run]] = {}
    for (task, _), run in newest.items():
        by_task.setdefault(task, []).append(run)
    return by_task


def example_in_short(run: Run, graph: str | None = None) -> dict[str, Any]:
    """A shipped run in a few numbers: over all its graphs, or of the one called `graph`."""
    results = (run.result or {}).get("graphs", {})
    graphs = list(results.values()) if graph is None else [results[graph]] if graph in results else []
    right = [one for one in graphs if one.get("status") == Status.CORRECT]
    return {
        "run": run.pk,
        "device": run.device,
        "hardware": run.imported.hardware,
        "correct": len(right),
        "total": len(graphs),
        "speedup": mean_speedup(right),
    }
