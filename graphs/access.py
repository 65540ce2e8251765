"""Reading tasks and graphs with permission: every page and API call gets its rows here, or a Refused that says why."""

import difflib
import re
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from graphs.models import Graph, Task
from graphs.refused import Refused


def access_task(slug: str) -> Task:
    """A task by its slug. Everybody sees every task."""
    task = Task.objects.filter(slug=slug).first()
    if task is None:
        message = f"There is no task named {slug[:100]}. The catalogue lists all tasks."
        raise Refused(404, "unknown_task", message, suggestion=_nearest_slug(slug))
    return task


@dataclass(frozen=True)
class GraphKey:
    """Which graph it is, without its megabytes. `annotated`: the evaluator has found its shapes."""

    name: str
    identity: str
    annotated: bool


def access_graph(slug: str, name: str) -> GraphKey:
    """A graph of a task by its name there."""
    task = access_task(slug)
    annotated = Exists(Graph.objects.filter(pk=OuterRef("graph_id"), shapes__isnull=False))
    found = task.entries.filter(name=name).values_list("graph__identity", annotated).first()
    if found is None:
        names = ", ".join(task.entries.values_list("name", flat=True)[:20])
        raise Refused(404, "unknown_graph", f"The task {slug} has no graph named {name[:100]!r}. It has: {names}.")
    return GraphKey(name, *found)


_HASH = re.compile(r"[0-9a-f]{8,64}")


def access_any_graph(key: str) -> Graph:
    """A graph by its identity or by its code's hash, each in full or by its first eight digits or more, without what
    only a drawing needs. Everybody sees every graph. Of graphs with the same code the first one is given.
    """
    rows = Graph.objects.select_related("source").defer("layout", "shapes", "thumbnail", "source__packed")
    key = key.lower()
    if _HASH.fullmatch(key):
        for column in ("identity", "source_id"):
            found = _starting(rows, column, key).order_by("id").first()
            if found is not None:
                return found
    message = (
        f"There is no graph {key[:80]!r}. A graph is named by its identity or by the SHA-256 of its model.py, "
        "in full or by its first eight digits; the drawings in the catalogue lead to the graphs there are."
    )
    raise Refused(404, "unknown_graph", message)


def _starting(rows: QuerySet[Graph], column: str, key: str) -> QuerySet[Graph]:
    """As a range: an index answers it on every database."""
    return rows.filter(**{f"{column}__gte": key, f"{column}__lt": f"{key}g"})


def _nearest_slug(slug: str) -> str | None:
    known = Task.objects.values_list("slug", flat=True)[:5000]
    return next(iter(difflib.get_close_matches(slug, known, n=1)), None)
