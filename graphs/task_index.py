"""Which tasks have some words, in the catalogue's order: kept in memory, no database looks inside of texts fast.

Rows that are new or changed are read when somebody asks; what was deleted shows in their number, and all is read anew.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Max, Q

from graphs.models import Task

_ORIGINS = {"shipped": 0, "imported": 1, "captured": 2}

_Key = tuple[bool, int, str, int]
_lock = threading.Lock()


@dataclass
class _Index:
    """Keys that order tasks, and (task, text) in that order. `stamp` is what the table said when it was read."""

    stamp: tuple[int, datetime | None, int] = (0, None, 0)
    keys: dict[int, _Key] = field(default_factory=dict)
    ordered: list[tuple[int, str]] = field(default_factory=list)


_indexes: dict[str, _Index] = {}  # by database: tests have others than the server


def find_tasks(words: Sequence[str]) -> list[int]:
    """Ids of the tasks whose text has every word (lower case): those with a worked example first, then what ships, what
    was imported, what was captured, each by title."""
    found = _current().ordered
    for word in sorted(words, key=len, reverse=True):  # the rarest first, most likely
        found = [one for one in found if word in one[1]]
    return [task for task, _ in found]


def _current() -> _Index:
    tasks = Task.objects.order_by()
    # Each by itself comes out of an index; together they would be a walk through the whole table.
    newest, last = tasks.aggregate(one=Max("updated_at"))["one"], tasks.aggregate(one=Max("pk"))["one"]
    stamp = (tasks.count(), newest, last or 0)
    name = str(connection.settings_dict["NAME"])
    with _lock:
        index = _indexes.get(name, _Index())
        if index.stamp != stamp:
            index = _read_on(index, stamp)
            _indexes[name] = index
        return index


def _read_on(index: _Index, stamp: tuple[int, datetime | None, int]) -> _Index:
    """A new index: whoever holds the old one goes on with it."""
    keys, texts = dict(index.keys), dict(index.ordered)
    newest = index.stamp[1]
    _read(keys, texts, Q(updated_at__gte=newest) if newest else Q())
    if len(keys) != stamp[0]:  # some were deleted
        keys, texts = {}, {}
        _read(keys, texts, Q())
    return _Index(stamp, keys, [(task, texts[task]) for task in sorted(keys, key=keys.__getitem__)])


def _read(keys: dict[int, _Key], texts: dict[int, str], which: Q) -> None:
    plain = ExpressionWrapper(Q(example_files__isnull=True), output_field=BooleanField())
    rows = Task.objects.order_by().filter(which).annotate(plain=plain)
    for task, plainly, origin, title, text in rows.values_list("pk", "plain", "origin", "title", "search_text"):
        keys[task] = (bool(plainly), _ORIGINS.get(origin, len(_ORIGINS)), title, task)
        texts[task] = text
