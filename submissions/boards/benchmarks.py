"""Which sets of tasks there are boards for: the shipped ones, those of the captured catalogue's manifests, and all that
run folders name."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from graphs.models import Task
from submissions.boards.board import BoardTask
from submissions.models import Submission
from submissions.task_names import tasks_by_name

SHIPPED, HANDED_IN = "shipped", "handed-in"


@dataclass(frozen=True)
class Benchmark:
    """`missing`: tasks of a manifest that are not in the catalogue and so stand on no board."""

    key: str
    title: str
    tasks: tuple[BoardTask, ...]
    missing: int = 0


def benchmarks() -> list[Benchmark]:
    """Those that have tasks here. One that run folders name has every task they name, with its graphs or not."""
    manifests = sorted(settings.CAPTURED.glob("benchmark*.json"), key=lambda path: path.stem)  # the fusible one first
    found = [_handed_in(), *map(_of_manifest, manifests)]
    found.append(
        _made(SHIPPED, "Shipped tasks", list(Task.objects.filter(origin="shipped").values_list("pk", flat=True)))
    )
    return [one for one in found if one.tasks]


def _of_manifest(path: Path) -> Benchmark:
    names = tasks_by_name()
    ids = _manifest_ids(path, path.stat().st_mtime_ns)
    rows = [names.get(one) or names.get(one[:8]) for one in ids]
    here = [row for row in rows if row is not None]
    title = path.stem.replace("_", " ").replace("-", " ").removeprefix("benchmark").strip() or "fusible"
    return _made(path.stem, f"Captured: {title} tasks", here, len(rows) - len(here))


@lru_cache(maxsize=16)
def _manifest_ids(path: Path, changed: int) -> tuple[str, ...]:
    try:
        return tuple(str(one["id"]) for one in json.loads(path.read_text("utf-8"))["benchmark"])
    except (OSError, ValueError, KeyError, TypeError):  # `build_benchmark` may be writing it just now
        return ()


def _handed_in() -> Benchmark:
    rows = Submission.objects.order_by("task_name").values_list("task_name", "task_id").distinct()
    linked = _rows([task for _, task in rows if task is not None])
    tasks: dict[object, BoardTask] = {}
    for name, task in rows:
        one = linked.get(task) if task is not None else None
        tasks.setdefault(task or name, one or BoardTask(name, name, 0))
    return Benchmark(HANDED_IN, "Tasks of imported run folders", tuple(tasks.values()))


def _made(key: str, title: str, tasks: list[int], missing: int = 0) -> Benchmark:
    rows = _rows(tasks)
    return Benchmark(key, title, tuple(rows[task] for task in dict.fromkeys(tasks) if task in rows), missing)


def _rows(tasks: list[int]) -> dict[int, BoardTask]:
    found = Task.objects.filter(pk__in=tasks).values_list("pk", "slug", "title", "graph_count")
    return {pk: BoardTask(slug, title, graphs, pk, slug) for pk, slug, title, graphs in found}
