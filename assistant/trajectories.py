"""Attempts as they are handed on for training: one JSON object each (docs/assistant.md)."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from assistant.models import Attempt, TaskMark
from evaluator.verdicts import Integrity
from graphs.models import Task, TaskGraph
from submissions.models import Author, Run

OWN_LICENCE = "Apache-2.0"
UNKNOWN_LICENCE = "unknown"
_KEYS = ("role", "content", "tool_calls", "tool_call_id")


@dataclass(frozen=True)
class Filters:
    """`least_score` is an aggregate score, so that attempts without one are left out with it. `held_out` are slugs of
    tasks that must not occur, nor any task that shares a graph's code with them: a decontaminated export. `licences`:
    only tasks all of whose graphs are under one of these."""

    least_score: float | None = None
    honest: bool = False  # the best run is clean
    correct: bool = False  # every graph is correct in the best run
    best_per_task: bool = False
    held_out: Collection[str] = ()
    licences: Collection[str] = ()


def trajectories(author: Author, filters: Filters) -> Iterator[dict[str, Any]]:
    """The author's ended attempts, oldest first, as far as the filters let them through."""
    shown: set[int] = set()
    for attempt in _ended(author, filters):
        best = attempt.best or {}
        task = attempt.conversation.task
        score = best.get("score")
        if filters.least_score is not None and (score is None or score < filters.least_score):
            continue
        run = Run.objects.filter(pk=best["run"]).first() if best else None
        if filters.honest and (run is None or (run.reviewed_verdict or run.verdict) != Integrity.CLEAN):
            continue
        if filters.correct and (run is None or not run.total or run.correct != run.total):
            continue
        if filters.best_per_task and (task.pk in shown or run is None):
            continue
        if filters.licences and not set(licences_of(task)) <= set(filters.licences):
            continue
        shown.add(task.pk)
        yield trajectory(attempt, run)


def trajectory(attempt: Attempt, run: Run | None) -> dict[str, Any]:
    """One attempt; `run` is its best."""
    conversation = attempt.conversation
    events = list(conversation.events.filter(kind__in=["message", "usage"]).order_by("seq"))
    said = [event.payload for event in events if event.kind == "message"]
    used = [event.payload for event in events if event.kind == "usage"]
    result: dict[str, Any] = (run.result or {}) if run else {}
    prompts = {(p["name"], p["version"], p["hash"]) for message in said for p in message.get("prompts", ())}
    return {
        "task_id": conversation.task.slug,
        "author": used[-1]["model"] if used else "",
        "messages": [{key: message[key] for key in _KEYS if key in message} for message in said],
        "steps": attempt.steps,
        "exit_reason": attempt.exit_reason,
        "submission": attempt.best_files or {},
        "aggregate_score": result.get("aggregate_score"),
        "es_t": result.get("es_t"),
        "correct": None if run is None else [run.correct, run.total],
        "integrity": {
            "verdict": None if run is None else run.reviewed_verdict or run.verdict,
            "findings": result.get("findings", []),
        },
        "evaluations": attempt.evaluations,
        "usage": {
            "input_tokens": sum(one["input"] for one in used),
            "output_tokens": sum(one["output"] for one in used),
            "estimated": any(one["estimated"] for one in used),
        },
        "hardware": attempt.device,
        "licences": licences_of(conversation.task),
        "versions": {
            **{str(name): str(version) for name, version in (result.get("versions") or {}).items()},
            "prompts": [f"{name} {version} {digest}" for name, version, digest in sorted(prompts)],
        },
    }


def json_lines(author: Author, filters: Filters) -> Iterator[str]:
    """The same as text, a line each."""
    for one in trajectories(author, filters):
        yield json.dumps(one, ensure_ascii=False) + "\n"


def _ended(author: Author, filters: Filters) -> Iterable[Attempt]:
    rows = Attempt.objects.filter(conversation__author=author, state=Attempt.State.ENDED)
    marks = TaskMark.objects.filter(Q(author=None) | Q(author=author), never_send=True).values("task_id")
    rows = rows.exclude(conversation__task__in=_contaminated(filters.held_out)).exclude(conversation__task__in=marks)
    rows = rows.select_related("conversation__task")
    if not filters.best_per_task:
        return rows.order_by("created_at").iterator(chunk_size=20)
    # The best of each task comes first. Not sorted by the database: to some, JSON's null is more than any number.
    found = sorted(rows.order_by("created_at").values_list("pk", "best"), key=lambda pair: _rank(pair[1]), reverse=True)
    return (attempt for pk, _ in found for attempt in rows.filter(pk=pk))


def _contaminated(slugs: Collection[str]) -> set[int]:
    """Tasks with a graph whose code, names aside, is that of a graph of a held-out task; those tasks themselves too."""
    held_out = Task.objects.filter(Q(slug__in=list(slugs)) | Q(marks__held_out=True))
    codes = TaskGraph.objects.filter(task__in=held_out).values_list("graph__source__canonical_hash", flat=True)
    shared = TaskGraph.objects.filter(graph__source__canonical_hash__in=set(codes)).values_list("task_id", flat=True)
    return {*held_out.values_list("pk", flat=True), *shared}


def licences_of(task: Task) -> list[str]:
    """What the task's graphs say of their licence (`license` in graph_net.json); "unknown" for one that says nothing.
    Those that ship with the workbench are under its own."""
    if task.origin in ("shipped", "captured"):
        return [OWN_LICENCE]
    samples = task.entries.values_list("graph__sample", flat=True)
    said = {str((sample.get("graph_net") or {}).get("license") or UNKNOWN_LICENCE) for sample in samples}
    return sorted(said) or [UNKNOWN_LICENCE]


def _rank(best: Mapping[str, Any] | None) -> tuple[bool, bool, float, int]:
    """By score where speed was measured, then by correct graphs."""
    known = best or {}
    score = known.get("score")
    return (bool(known), score is not None, score or 0.0, known.get("correct") or 0)
