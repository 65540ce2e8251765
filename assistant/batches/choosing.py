"""Which tasks a batch is over: named ones, those of a benchmark's manifest, or all."""

import json
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from graphs.models import Task
from graphs.refused import Refused

_LIGHT = ("pk", "slug", "title", "content_hash")


def named_tasks(slugs: Sequence[str]) -> list[Task]:
    """In this order, each once. Raises Refused for one that is not there."""
    wanted = list(dict.fromkeys(slugs))
    found = {task.slug: task for task in Task.objects.filter(slug__in=wanted).only(*_LIGHT)}
    missing = [slug for slug in wanted if slug not in found]
    if missing:
        raise Refused(404, "unknown_task", f"There is no task {missing[0][:100]!r}. The catalogue lists all there are.")
    return [found[slug] for slug in wanted]


def shipped_benchmark() -> list[Task]:
    """The tasks of the benchmark that ships with the captured catalogue. Raises Refused where it is not loaded."""
    return tasks_of_manifest(settings.CAPTURED / "benchmark.json")


def tasks_of_manifest(path: Path) -> list[Task]:
    """Tasks of a benchmark's manifest in its order, found by their content or, as captured ones are named, by the
    beginning of their id at the end of the slug. Raises Refused for a file that is none, and for missing tasks."""
    try:
        ids = [str(one["id"]) for one in json.loads(path.read_text("utf-8"))["benchmark"]]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        message = f"{path.name} can not be read as a benchmark's manifest: {problem}"
        raise Refused(400, "bad_manifest", message) from problem
    by_name: dict[str, Task] = {}
    for task in Task.objects.only(*_LIGHT):
        for name in (task.content_hash, task.slug, task.slug.rpartition("-")[2]):
            by_name.setdefault(name, task)
    tasks = [by_name.get(name) or by_name.get(name[:8]) for name in ids]
    missing = sum(task is None for task in tasks)
    if missing:
        message = (
            f"{missing} of the benchmark's {len(ids)} tasks are not in the catalogue. Load them first: "
            "`manage.py load_captured` for the shipped ones."
        )
        raise Refused(409, "tasks_missing", message)
    return [task for task in tasks if task is not None]
