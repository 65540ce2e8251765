"""Tasks by the names that run folders and manifests call them: kept in memory, since a name may be one of many."""

import threading
from pathlib import PurePosixPath

from django.db import connection
from django.db.models import Max

from graphs.actions import make_slug
from graphs.models import Folder, Task

_lock = threading.Lock()
_known: dict[str, tuple[tuple[int, int, int], dict[str, int]]] = {}  # by database: tests have others than the server


def tasks_by_name() -> dict[str, int]:
    """Folder's name, slug, content hash, and the eight digits at the end of a captured task's slug → the task's row."""
    stamp = names_stamp()
    database = str(connection.settings_dict["NAME"])
    with _lock:
        kept = _known.get(database)
        if kept is None or kept[0] != stamp:
            kept = (stamp, _read())
            _known[database] = kept
        return kept[1]


def names_stamp() -> tuple[int, int, int]:
    """Changes when a task or a folder comes or goes."""
    newest = Task.objects.aggregate(one=Max("pk"))["one"] or 0
    return Task.objects.count(), newest, Folder.objects.aggregate(one=Max("pk"))["one"] or 0


def find_task(name: str, names: dict[str, int]) -> int | None:
    """The row of the task that a run folder calls `name`."""
    return names.get(name) or names.get(make_slug(name))


def _read() -> dict[str, int]:
    found: dict[str, int] = {}
    tasks = Task.objects.order_by("pk").values_list("pk", "slug", "content_hash")
    for pk, slug, content in tasks:
        found.setdefault(slug, pk)
        found.setdefault(content, pk)
    for path, task in Folder.objects.order_by("pk").values_list("path", "task_id"):
        found.setdefault(PurePosixPath(str(path)).name, task)
    for pk, slug, _ in tasks:
        found.setdefault(slug.rpartition("-")[2], pk)
    return found
