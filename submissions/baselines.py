"""Baselines as they are read: one measured line, a task's rows, the run that measures them, a summary for lists."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from django.db.models import F
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from graphs.models import Graph, Task
from submissions.access import may_watch
from submissions.models import Author, Baseline, BaselineRun, Run
from submissions.queue import place_in_queue

Text = Field(max_length=200)
Microseconds = Field(gt=0, allow_inf_nan=False)


class Interval(BaseModel):
    """eager / compiler with its 95 % interval."""

    value: float = Microseconds
    low: float = Microseconds
    high: float = Microseconds


class Line(BaseModel):
    """One line of `python -m evaluator baseline --json`, one `baseline` event. Unknown keys are left out."""

    model_config = ConfigDict(frozen=True)

    graph: str = Field(max_length=300)
    identity: str | None = None
    device: str = Field(max_length=60)
    processor: str = Text
    versions: dict[str, str]
    backend: str = Field(default="inductor", max_length=60)
    entry: Literal["direct", "compiled"] = "direct"
    method: Literal["e2e", "gpu", "graph", "kernel"] = "e2e"
    threads: int = Field(default=0, ge=0, le=4096)
    eager_us: float = Microseconds
    inductor_us: float = Microseconds
    ratio: Interval
    word: Literal["faster", "slower", "same", "inconclusive"]
    inductor_kernels: int | None = Field(default=None, ge=0, le=10**6)
    eager_kernels: int | None = Field(default=None, ge=0, le=10**6)
    first_t: int | None = Field(default=None, ge=-99, le=10)  # as it stands there; left out: outputs were not compared
    flags: dict[str, bool | str] = {}
    measured_at: AwareDatetime | None = None  # null: now


def read_line(value: Mapping[str, Any]) -> Line:
    """A measured line. Raises ValueError in words of one sentence for what is none."""
    try:
        return Line.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {first['msg']}") from None


def baseline_rows(task: Task) -> list[dict[str, Any]]:
    """The newest row of each graph, device, backend, entry and method, in the order of the task's graphs.

    What was measured here goes before what was imported, for the same device class.
    """
    return _rows(dict(task.entries.values_list("graph_id", "name")))


def baselines_of_graph(graph: Graph) -> list[dict[str, Any]]:
    """The same of one graph, under its own name."""
    return _rows({graph.pk: graph.name})


def _rows(entries: Mapping[int, str]) -> list[dict[str, Any]]:
    place = {graph: at for at, graph in enumerate(entries)}
    newest: dict[tuple[Any, ...], Baseline] = {}
    for row in Baseline.objects.filter(graph_id__in=entries).order_by("measured_at"):
        key = (place[row.graph_id], row.device, row.backend, row.entry, row.method)
        known = newest.get(key)
        if known is None or known.origin or not row.origin:
            newest[key] = row
    return [_shown(newest[key], entries[newest[key].graph_id]) for key in sorted(newest)]


def current_measuring(task: Task, device: str, reader: Author | None) -> dict[str, Any] | None:
    """The newest run that measured, or measures, the task on a device class; None when there never was one.

    `run` is null for whoever may not look into it. `problems` says which graphs it could not measure, and why.
    """
    found = BaselineRun.objects.filter(run__task=task, run__device=device).order_by("-asked_at").first()
    if found is None:
        return None
    run = Run.objects.select_related("author").get(pk=found.run_id)
    # By graph: a run that lost its worker begins again.
    said = {one["graph"]: one for one in run.events.filter(kind="baseline").values_list("payload", flat=True)}
    problems = [{"graph": graph, "message": one["error"]} for graph, one in said.items() if "error" in one]
    return {
        "run": run.pk if reader is not None and may_watch(reader, run) else None,
        "state": run.state,
        "device": run.device,
        "total": len(run.graphs),
        "done": len(said),
        "jobs_ahead": place_in_queue(run).ahead,
        "message": run.message or None,
        "finished_at": run.finished_at,
        "problems": problems,
    }


def inductor_in_short(task_ids: Iterable[int]) -> dict[int, dict[str, int]]:
    """Task id → on how many graphs Inductor is faster, slower, or neither, on the CPU; by the newest row of each.

    CPU figures of this installation only: eager against Inductor's CPU compile, called directly, by `e2e`.
    """
    rows = (
        Baseline.objects.filter(
            graph__entries__task_id__in=list(task_ids),
            device="cpu",
            backend="inductor",
            entry="direct",
            method="e2e",
            origin="",
        )
        .order_by("measured_at")
        .values_list("graph__entries__task_id", F("graph_id"), "word")
    )
    words: dict[int, dict[int, str]] = {}
    for task_id, graph_id, word in rows:
        words.setdefault(task_id, {})[graph_id] = word
    return {task: _counted(list(found.values())) for task, found in words.items()}


def _counted(words: list[str]) -> dict[str, int]:
    return {"measured": len(words), "faster": words.count("faster"), "slower": words.count("slower")}


def _shown(row: Baseline, name: str) -> dict[str, Any]:
    return {
        "graph": name,
        "device": row.device,
        "hardware": row.hardware,
        "backend": row.backend,
        "entry": row.entry,
        "method": row.method,
        "threads": row.threads or None,
        "eager_us": row.eager_us,
        "median_us": row.median_us,
        "ratio": {"value": row.ratio, "low": row.ratio_low, "high": row.ratio_high},
        "word": row.word,
        "kernels": row.kernels,
        "eager_kernels": row.eager_kernels,
        "compared": row.compared,
        "first_t": row.first_t,
        "flags": row.flags,
        "versions": row.versions,
        "measured_at": row.measured_at,
        "origin": row.origin,
    }
