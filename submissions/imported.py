"""What pages say about a run that was measured elsewhere, and which of them everybody may see."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from ninja import Schema

from evaluator.harness import harness_hash
from graphs.models import Task
from submissions.models import ImportedRun, Run


class ImportedOut(Schema):
    kind: str  # "bundle": brought back by its author; "example": ships with the workbench
    hardware: str  # in the file's own words, like all that follows
    versions: dict[str, str]
    harness: str  # hash of the harness there; empty where the file does not say
    same_harness: bool | None  # as here; null where the file does not say
    note: str
    imported_at: Any


def imported_of(runs: Iterable[Run]) -> dict[UUID, dict[str, Any]]:
    """Run id → where it was measured, of those that were not measured here."""
    marks = ImportedRun.objects.filter(run__in=[run.pk for run in runs])
    return {mark.run_id: _shown(mark) for mark in marks}


def example_runs(task: Task) -> list[Run]:
    """The runs that ship with the task, newest first, one for each device."""
    shipped = Run.objects.filter(task=task, imported__kind=ImportedRun.Kind.EXAMPLE).select_related("revision")
    newest: dict[str, Run] = {}
    for run in shipped.defer("result", "revision__files").order_by("-created_at")[:20]:
        newest.setdefault(run.device, run)
    return list(newest.values())


def is_example(run: Run) -> bool:
    """Whether a run ships with the workbench, so that everybody may look into it."""
    return ImportedRun.objects.filter(run=run, kind=ImportedRun.Kind.EXAMPLE).exists()


def _shown(mark: ImportedRun) -> dict[str, Any]:
    parts = (str(mark.origin.get(key) or "") for key in ("measured", "note"))
    return {
        "kind": mark.kind,
        "hardware": mark.hardware,
        "versions": {name: str(version) for name, version in mark.versions.items()},
        "harness": mark.harness,
        "same_harness": mark.harness == harness_hash() if mark.harness else None,
        "note": "; ".join(part for part in parts if part),
        "imported_at": mark.imported_at,
    }
