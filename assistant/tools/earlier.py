"""Passes that were right on similar graphs: found by their operators in order, never of tasks that are held out."""

import difflib
import functools

from django.db.models import Q

from assistant.sending import not_to_be_shown
from assistant.tools.workplace import Workplace
from evaluator.verdicts import Integrity, RunState
from graphs.fx_source import ReadProblem, parse
from graphs.models import Source, Task
from graphs.operators import operator_name
from submissions.imported import example_runs
from submissions.models import Run

_LOOKED_AT = 40  # tasks whose operators are compared in order
_SHOWN = 3
_LONGEST = 12_000  # characters of one submission
_MOST_OPERATORS = 2000
_LEAST = 0.3


def earlier_passes(place: Workplace) -> str:
    """The files of the best passes for the most similar other tasks, of what the author may see."""
    found = []
    for score, task in similar_tasks(place):
        files, what = _best_files(place, task)
        if files:
            texts = "\n".join(f"--- {name}\n{text}" for name, text in files.items())
            found.append(f"task {task.slug} ({task.title}), operators {score:.0%} alike; {what}\n{texts[:_LONGEST]}")
        if len(found) == _SHOWN:
            break
    return "\n\n".join(found) or "There is no earlier pass for a similar graph that may be shown."


def similar_tasks(place: Workplace) -> list[tuple[float, Task]]:
    """Other tasks with how alike their first graph's operators are, in order, the most similar first."""
    own = {one["label"] for one in place.task.operators}
    others = Task.objects.exclude(pk=place.task.pk).only("pk", "slug", "title", "operators", "example_files")
    shared = [(_overlap(own, {one["label"] for one in other.operators}), other) for other in others.iterator()]
    near = [other for score, other in sorted(shared, key=lambda pair: -pair[0])[:_LOOKED_AT] if score > 0]
    hidden = not_to_be_shown(place.author, [other.pk for other in near])
    sequence = _sequence(place.task)
    scored = [(_alike(sequence, _sequence(other)), other) for other in near if other.pk not in hidden]
    return sorted((pair for pair in scored if pair[0] >= _LEAST), key=lambda pair: -pair[0])


def _best_files(place: Workplace, task: Task) -> tuple[dict[str, str], str]:
    """The best run of the author or their models, else a shipped one, else the task's worked example."""
    theirs = Q(author=place.author) | Q(author__brought_in_by=place.author)
    mine = Run.objects.filter(theirs, task=task, state=RunState.DONE, correct__gt=0, baseline_run=None)
    clean = mine.filter(verdict=Integrity.CLEAN).exclude(reviewed_verdict=Integrity.VIOLATION)
    best = clean.select_related("revision").order_by("-correct", "first_t", "-finished_at").first()
    for run in [best] if best else example_runs(task):
        return dict(run.revision.files), f"correct on {run.correct} of {run.total} graphs on {run.device}"
    return dict(task.example_files or {}), "the task's worked example"


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() if one and other else 0.0


def _sequence(task: Task) -> tuple[str, ...]:
    source = task.entries.values_list("graph__source_id", flat=True).first()
    return _operators(source) if source else ()


@functools.lru_cache(maxsize=512)
def _operators(content_hash: str) -> tuple[str, ...]:
    try:
        graph = parse(Source.objects.get(pk=content_hash).text)
    except ReadProblem:
        return ()
    names = (operator_name(node) for node in graph.nodes if node.op in ("call_function", "call_method"))
    return tuple(names)[:_MOST_OPERATORS]
