"""Has the working copy judged: a run like any other, in the queue, within the author's limits; and what came of it."""

import time
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from django.db.models import Q

from assistant.tools.matching import near_miss_lines
from assistant.tools.workplace import ToolProblem, Workplace
from evaluator.verdicts import RunState, Status
from graphs.refused import Refused
from submissions import limits
from submissions.access import access_run
from submissions.actions.runs import do_cancel_run, do_request_run
from submissions.models import OPEN_STATES, Lane, Run, RunEvent
from submissions.queue import place_in_queue

_LOOK_SECONDS = 0.5
_MOST_GRAPHS = 40
_MOST_LOG = 2000  # characters


def evaluate(place: Workplace) -> str:
    """Queues a run of the files, waits for its end and sums it up. Cancelling ends the run as well."""
    run = begin_run(place)
    until = time.monotonic() + place.longest_wait
    said = ""
    while True:
        close_old_connections()
        run.refresh_from_db(fields=["state", "message", "started_at"])
        state = RunState(run.state)
        if state.is_final:
            return run_summary(place, str(run.pk))
        if place.cancelled() or time.monotonic() > until:
            do_cancel_run(run)
            raise ToolProblem(f"The run {run.pk} was ended before it was done: it was cancelled, or took too long.")
        doing = _doing(run, state)
        if doing != said:
            said = doing
            place.doing(doing)
        time.sleep(_LOOK_SECONDS)


def begin_run(place: Workplace) -> Run:
    """Queues a run of the files. Raises ToolProblem where none is taken."""
    try:
        limits.take(limits.RUNS, place.author.pk)
        _check_room(place)
        run = do_request_run(place.hands_in or place.author, place.task, place.files, place.device)
    except Refused as refused:
        raise ToolProblem(refused.message) from None
    place.runs.append(str(run.pk))
    return run


def _check_room(place: Workplace) -> None:
    """A person's runs and those of the models that work for them are counted together."""
    theirs = Q(author=place.author) | Q(author__brought_in_by=place.author)
    waiting = Run.objects.filter(theirs, state__in=OPEN_STATES, lane=Lane.INTERACTIVE).count()
    if waiting >= settings.MAX_ACTIVE_RUNS:
        raise ToolProblem(f"{waiting} runs are queued or running, which is the limit. Wait for one.")


def _doing(run: Run, state: RunState) -> str:
    if state is not RunState.QUEUED:
        return "the run is being judged"
    waits = place_in_queue(run)
    return f"the run waits in the queue, {waits.ahead} before it" + (f": {run.message}" if run.message else "")


def run_summary(place: Workplace, run: str) -> str:
    """A finished run, graph by graph: stages, errors, speeds, ES_t where it was measured."""
    row = _finished(place, run)
    result: dict[str, Any] = row.result or {}
    lines = [f"run {row.pk}, revision {row.revision.number}, on {row.device}: {row.state}"]
    if row.message:
        lines.append(row.message)
    if row.state != RunState.DONE:
        return "\n".join(lines)
    lines.append(f"integrity: {row.reviewed_verdict or row.verdict}; correct on {row.correct} of {row.total} graphs")
    for finding in result.get("findings", [])[:12]:
        where = f"{finding.get('file')}:{finding.get('line')}" if finding.get("file") else "run"
        lines.append(f"  {finding.get('severity')} {finding.get('class')} {where}: {finding.get('evidence')}")
    details = _details(row)
    for name, graph in list(result.get("graphs", {}).items())[:_MOST_GRAPHS]:
        lines += _graph_lines(name, graph, details.get(name, {}))
    lines += _score_lines(result)
    return "\n".join(lines)


def _finished(place: Workplace, run: str) -> Run:
    try:
        row = access_run(place.author, run)
    except Refused as refused:
        raise ToolProblem(refused.message) from None
    if row.task_id != place.task.pk:
        raise ToolProblem("That run is of another task.")
    if not RunState(row.state).is_final:
        raise ToolProblem("That run has not ended yet.")
    return row


def _details(run: Run) -> dict[str, dict[str, Any]]:
    """By graph: its near misses and the first input set on which it was wrong."""
    found: dict[str, dict[str, Any]] = {}
    for event in RunEvent.objects.filter(run=run, kind__in=["matched", "correctness"]).order_by("seq"):
        said = event.payload
        known = found.setdefault(str(said.get("graph")), {})
        if event.kind == "matched":
            known["near_misses"] = said.get("near_misses", [])
        elif "wrong" not in known and any((one.get("first_t") or 99) > -5 for one in said.get("outputs", [])):
            known["wrong"] = said
    return found


def _graph_lines(name: str, graph: dict[str, Any], details: dict[str, Any]) -> list[str]:
    status = str(graph.get("status"))
    why = " ".join(str(graph[key]) for key in ("reason", "mismatch") if graph.get(key))
    launches = graph.get("launches") or {}
    speed = ", ".join(f"{method} {value:.3g}×" for method, value in (graph.get("speedup") or {}).items() if value)
    parts = [
        f"{name}: {status}{' ' + why if why else ''}",
        f"{graph.get('matches')} matches",
        f"first t {graph.get('first_t')}",
        f"launches eager {launches.get('eager')} → yours {launches.get('candidate')}",
        f"speed against eager: {speed or 'not measured on this device'}",
    ]
    lines = ["; ".join(parts)]
    if graph.get("message"):
        lines.append(f"  {str(graph['message'])[:_MOST_LOG]}")
    if status == Status.NO_MATCH:
        lines += [f"  {text}" for miss in details.get("near_misses", [])[:2] for text in near_miss_lines(miss)]
    if status == Status.ACCURACY and "wrong" in details:
        lines += _wrong_lines(details["wrong"])
    return lines


def _wrong_lines(said: dict[str, Any]) -> list[str]:
    lines = [f"  wrong on the inputs “{said.get('input_set')}”:"]
    for one in said.get("outputs", []):
        if (one.get("first_t") or 99) > -5 or one.get("mismatch"):
            shape = f"{one.get('dtype')}{one.get('shape')}"
            wanted = f"{one.get('expected_dtype')}{one.get('expected_shape')}"
            lines.append(
                f"    output {one.get('index')}: {shape}, expected {wanted}; {one.get('differing')} of "
                f"{one.get('elements')} differ, max abs {one.get('max_abs')}, max rel {one.get('max_rel')}"
            )
            lines += [
                f"      at {w.get('index')}: expected {w.get('expected')}, found {w.get('found')}"
                for w in one.get("worst", [])[:3]
            ]
    lines += _map_lines(said.get("error_maps") or [])
    for truth in said.get("truth") or []:
        if truth:
            lines.append(f"    against float64: {truth.get('nearer')} is nearer to the exact result")
    return lines


def _map_lines(maps: list[dict[str, Any] | None]) -> list[str]:
    """Where the largest errors of an output are, as ranges of rows and columns of its error map."""
    lines = []
    for index, one in enumerate(maps):
        cells = (
            [(value, r, c) for r, row in enumerate(one["cells"]) for c, value in enumerate(row) if value] if one else []
        )
        if not one or not cells:
            continue
        largest = max(value for value, _, _ in cells)
        bad = [(r, c) for value, r, c in cells if value >= largest / 10]
        rows, columns = [r for r, _ in bad], [c for _, c in bad]
        lines.append(
            f"    error map of output {index} (dimensions {one['dims']}, sizes {one['sizes']}, {len(one['cells'])} × "
            f"{len(one['cells'][0])} cells): large in rows {min(rows)}–{max(rows)}, "
            f"columns {min(columns)}–{max(columns)}"
        )
    return lines


def _score_lines(result: dict[str, Any]) -> list[str]:
    if result.get("aggregate_score") is None:
        return ["score: not measured (it exists only where speed was measured on a GPU)"]
    by_t = ", ".join(
        f"t={t}: {value:.3f}" for t, value in sorted((result.get("es_t") or {}).items(), key=lambda p: float(p[0]))
    )
    return [f"aggregate score {result['aggregate_score']:.4f} (eager is 1); ES_t {by_t}"]
