"""Baselines: have them measured, write down what was measured. The one place that writes a Baseline."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from evaluator.verdicts import RunState
from graphs.models import Graph, Task
from graphs.refused import Refused
from submissions.actions.runs import RETRY_RUNS, do_dispatch
from submissions.baselines import Line
from submissions.devices import device_names
from submissions.events import append_events, state_event
from submissions.hashing import files_hash
from submissions.models import OPEN_STATES, Author, Baseline, BaselineRun, Revision, Run
from submissions.safe_json import safe_json, safe_text

MEASURED_ON = "cpu"


def do_store_baseline(graph: Graph, line: Line, origin: str = "") -> Baseline:
    """Writes one measured line down; it takes the place of an older one of the same kind from the same origin."""
    row, _ = Baseline.objects.update_or_create(**_key(graph, line, origin), defaults=_figures(line))
    return row


def do_store_baselines(lines: Iterable[tuple[Graph, Line]], origin: str) -> int:
    """The same for many, in one statement; of two of the same kind the later one counts. How many rows there are."""
    rows = {}
    for graph, line in lines:
        key = _key(graph, line, origin)
        rows[graph.pk, *(value for name, value in key.items() if name != "graph")] = {**key, **_figures(line)}
    made = [Baseline(**row) for row in rows.values()]
    names = {field.name for field in Baseline._meta.concrete_fields} - {"id", *_KEY}
    Baseline.objects.bulk_create(made, update_conflicts=True, unique_fields=_KEY, update_fields=sorted(names))
    return len(made)


_KEY = ("graph", "device", "hardware", "torch", "harness", "backend", "entry", "method", "threads", "origin")


def _key(graph: Graph, line: Line, origin: str) -> dict[str, Any]:
    return {
        "graph": graph,
        "device": safe_text(line.device),
        "hardware": safe_text(line.processor),
        "torch": safe_text(line.versions.get("torch", ""))[:40],
        "harness": safe_text(line.versions.get("harness", ""))[:40],
        "backend": safe_text(line.backend),
        "entry": line.entry,
        "method": line.method,
        "threads": line.threads,
        "origin": safe_text(origin)[:200],
    }


def _figures(line: Line) -> dict[str, Any]:
    return {
        "eager_us": line.eager_us,
        "median_us": line.inductor_us,
        "ratio": line.ratio.value,
        "ratio_low": line.ratio.low,
        "ratio_high": line.ratio.high,
        "word": line.word,
        "kernels": line.inductor_kernels,
        "eager_kernels": line.eager_kernels,
        "compared": "first_t" in line.model_fields_set,
        "first_t": line.first_t,
        "flags": safe_json(line.flags),
        "versions": safe_json(line.versions),
        "measured_at": line.measured_at or timezone.now(),
    }


@transaction.atomic
def do_request_baselines(author: Author, task: Task, device: str = MEASURED_ON) -> Run:
    """Queues a run that measures eager and Inductor on the task's graphs, or returns the author's own that is open.

    Raises Refused.
    """
    _check_device(device)
    Author.objects.select_for_update().get(pk=author.pk)  # two clicks are one run
    opened = Run.objects.filter(task=task, device=device, state__in=OPEN_STATES, baseline_run__isnull=False)
    if (same := opened.filter(author=author).first()) is not None:
        return same
    if opened.exists():
        message = "Another author is having this task measured now. The figures appear here when they are there."
        raise Refused(409, "already_measuring", message)
    waiting = Run.objects.filter(author=author, state__in=OPEN_STATES).count()
    if waiting >= settings.MAX_ACTIVE_RUNS:
        message = f"{waiting} runs are queued or running, which is the limit. Wait for one or cancel one."
        raise Refused(429, "too_many_runs", message, retry_after=RETRY_RUNS)
    run = Run.objects.create(
        revision=_no_files(author, task),
        task=task,
        author=author,
        device=device,
        state=RunState.QUEUED,
        graphs=[list(pair) for pair in task.entries.values_list("name", "graph__identity")],
    )
    BaselineRun.objects.create(run=run)
    append_events(run.pk, [state_event(RunState.QUEUED)])
    transaction.on_commit(lambda: do_dispatch(str(run.pk), device))
    return run


def _check_device(device: str) -> None:
    if device != MEASURED_ON:
        raise Refused(
            400,
            "not_measured_there",
            f"Baselines without a submission are measured on the CPU of this machine, not on {device[:60]!r}. A run "
            "on a GPU measures its own; figures of another machine are loaded with "
            ".venv/bin/python manage.py import_baselines FILE.",
        )
    if device not in device_names():
        message = "No worker of this installation has the device class cpu. Add it to WORKER_DEVICES."
        raise Refused(400, "unknown_device", message)


def _no_files(author: Author, task: Task) -> Revision:
    """Number 0: what a run without a submission hands in. Files of the author begin at 1."""
    nothing = {"hash": files_hash({}), "files": {}}
    return Revision.objects.get_or_create(task=task, author=author, number=0, defaults=nothing)[0]
