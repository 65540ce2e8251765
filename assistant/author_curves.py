"""An author's evaluations of each task in their order, as curves."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from assistant.iteration import Curve, Point, curve
from evaluator.verdicts import RunState
from graphs.refused import Refused
from submissions.access import may_read_work
from submissions.models import Author, Run

_MOST_RUNS = 5_000  # the newest
_MOST_ROWS = 200
WIDTH, HEIGHT = 160, 32  # of a drawing, in its own units


@dataclass(frozen=True)
class Row:
    """One task on one device. `line` and `best_line` are points of an SVG polyline."""

    task: str
    title: str
    device: str
    curve: Curve
    line: str
    best_line: str


def author_to_show(reader: Author, name: str) -> Author:
    """The author of that name, or the reader; people see themselves, their models and programs, reviewers everybody."""
    if not name or name == reader.name:
        return reader
    found = Author.objects.filter(name=name).first()
    if found is None or not may_read_work(reader, found):
        raise Refused(404, "unknown_author", f"There is no author {name[:100]!r} whose evaluations you may see.")
    return found


def curves_of(author: Author) -> list[Row]:
    """The tasks with most evaluations first. Runs that were measured elsewhere are left out."""
    runs = Run.objects.filter(author=author, state=RunState.DONE, baseline_run=None, imported=None)
    newest = list(runs.order_by("-created_at").values_list("pk", flat=True)[:_MOST_RUNS])
    scores = _scores(newest)
    found: dict[tuple[str, str, str], list[Point]] = defaultdict(list)
    fields = ("pk", "task__slug", "task__title", "device", "correct", "total", "verdict", "reviewed_verdict")
    rows = Run.objects.filter(pk__in=newest).order_by("created_at").values_list(*fields)
    for pk, slug, title, device, correct, total, verdict, reviewed in rows:
        found[slug, title, device].append(Point(correct or 0, total or 0, scores.get(pk), reviewed or verdict))
    curves = [(key, curve(points)) for key, points in found.items()]
    curves.sort(key=lambda pair: (-len(pair[1].values), pair[0]))
    return [
        Row(*key, one, polyline(one.values, one.best), polyline(one.best_so_far, one.best))
        for key, one in curves[:_MOST_ROWS]
    ]


def _scores(runs: list[Any]) -> dict[Any, float | None]:
    """Aggregate scores of those that were judged where speed is measured: only their results are read."""
    timed = Run.objects.filter(pk__in=runs).exclude(device="cpu").values_list("pk", "result")
    return {pk: (result or {}).get("aggregate_score") for pk, result in timed.iterator(chunk_size=100)}


def polyline(values: tuple[float, ...], most: float) -> str:
    """Points from left to right, 0 at the bottom and `most` at the top; a single value is a level line."""
    shown = values if len(values) > 1 else values * 2
    step, top = WIDTH / (len(shown) - 1), most or 1.0
    return " ".join(f"{at * step:.1f},{HEIGHT - 2 - (HEIGHT - 4) * value / top:.1f}" for at, value in enumerate(shown))
