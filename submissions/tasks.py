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
from submissions.dispatch import ANNOTATE_TASK, CAPTURE_TASK, RUN_TASK, send_run
from submissions.judging import Session, judge_run
from submissions.models import Run
from submissions.queue import next_run
from submissions.worker import stopping
from submissions.workers import lost_here, takes_runs

log = logging.getLogger(__name__)

HAND_ON_SECONDS = 1.0  # so that a message does not go round in circles where no worker takes runs
DESCRIBE_SECONDS = 20.0  # for one graph
_AT_ONCE = 20  # graphs read before their shapes are written: a cursor left open keeps SQLite from writing
ANNOTATE_SECONDS = 5.0  # then runs have their turn; the caretaker sends the task again


@shared_task(name=RUN_TASK, bind=True)
def run_submission(self: "Task[Any, Any]", run_id: str) -> None:
    """Judges one run: that whose turn it is on the device, which need not be the one of the message.

    There is a message for each run that waits, so that each has its turn. Harmless when delivered twice or late.
    """
    device = Run.objects.filter(pk=run_id).values_list("device", flat=True).first()
    if device is None:
        return
    worker = self.request.hostname or "worker"
    while not stopping.is_set() and takes_runs(worker):
        first = next_run(device)
        if first is not None and lost_here(first, device, worker):
            break
        if first is None or _judge(first, device, worker):
            return
    if not stopping.is_set() and Run.objects.filter(device=device, state=RunState.QUEUED).exists():
        stopping.wait(HAND_ON_SECONDS)  # not this worker's to take: another one has the message
        send_run(run_id, device)


def _judge(run_id: str, device: str, worker: str) -> bool:
    measures_only = Run.objects.filter(pk=run_id).values_list("baseline_run", flat=True).first()
    attempt = Session if measures_only is None else BaselineSession
    daemon = DaemonClient(socket_path(device))
    return judge_run(run_id, daemon, worker, stopping, attempt, lambda: next_run(device) == run_id)


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
