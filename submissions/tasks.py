"""What Celery workers do. A task only starts and supervises; the daemon judges, and the database knows the truth."""

import logging
import time
from typing import Any

from celery import Task, shared_task

from evaluator.runner.client import DaemonClient
from evaluator.verdicts import RunState
from graphs.actions import do_set_shapes
from graphs.models import Graph
from submissions.actions.uploads import do_capture
from submissions.baselines_run import BaselineSession
from submissions.caretaker import graphs_without_shapes
from submissions.devices import socket_path
from submissions.dispatch import ANNOTATE_TASK, CAPTURE_TASK, RUN_TASK
from submissions.judging import Session, judge_run
from submissions.models import Run
from submissions.queue import goes_before
from submissions.worker import stopping

log = logging.getLogger(__name__)

DESCRIBE_SECONDS = 20.0  # for one graph
_AT_ONCE = 20  # graphs read before their shapes are written: a cursor left open keeps SQLite from writing
ANNOTATE_SECONDS = 5.0  # then runs have their turn; the caretaker sends the task again


@shared_task(name=RUN_TASK, bind=True)
def run_submission(self: "Task[Any, Any]", run_id: str) -> None:
    """Judges one run, and before it those of a lane that comes first: messages are delivered in the order in which they
    were sent. Harmless when delivered twice, late, or for a run that is over."""
    worker = self.request.hostname or "worker"
    while not stopping.is_set() and (first := goes_before(run_id)) is not None:
        _judge(first, worker)
    _judge(run_id, worker)


def _judge(run_id: str, worker: str) -> None:
    queued = Run.objects.filter(pk=run_id, state=RunState.QUEUED).values_list("device", "baseline_run").first()
    if queued is None:
        return
    device, measures_only = queued
    attempt = Session if measures_only is None else BaselineSession
    judge_run(run_id, DaemonClient(socket_path(device)), worker, stopping, attempt)


@shared_task(name=ANNOTATE_TASK)
def annotate_graphs(device: str) -> int:
    """Finds shapes and dtypes of the nodes of graphs that have none, for a few seconds. Returns for how many."""
    daemon = DaemonClient(socket_path(device))
    until = time.monotonic() + ANNOTATE_SECONDS
    done = 0
    while graphs := list(graphs_without_shapes().select_related("source")[:_AT_ONCE]):
        for graph in graphs:
            if stopping.is_set() or time.monotonic() > until or not annotate(graph, daemon):
                return done
            done += 1
    return done


@shared_task(name=CAPTURE_TASK)
def capture_module(upload_id: str) -> None:
    """Captures the graphs of an uploaded module. Harmless when delivered twice."""
    do_capture(upload_id)


def annotate(graph: Graph, daemon: DaemonClient) -> bool:
    """Asks the daemon about one graph. False when it is not there or has something else to do."""
    try:
        said = daemon.describe(graph.as_sample(graph.name), timeout=DESCRIBE_SECONDS)
    except (TimeoutError, EOFError, ValueError) as error:
        # Not asked again: a graph that is too much for the daemon would keep the others from their turn.
        said = {"error": f"{type(error).__name__}: {error}"}
    except OSError as error:
        log.warning("the shapes of graph %s are not known yet: %s", graph.name, error)
        return False
    if stopping.is_set() or said.get("event") in ("busy", "error"):
        return False  # not now
    if "nodes" in said:
        do_set_shapes(graph, said["nodes"])
    else:
        do_set_shapes(graph, None, str(said.get("error") or "the evaluator gave no reason"))
    return True
