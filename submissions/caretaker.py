"""What a worker looks after beside its runs: it says how its device is, takes runs back from workers that are gone,
sends messages again that got lost, queues evaluations of what was imported, lays out graphs that were imported without,
and asks for the shapes of graphs that have none.

Every worker does this. Each step claims its rows in the database, so that it does not matter who is first.
"""

import logging
import threading
import time
from collections.abc import Sequence
from datetime import timedelta

from django.db import close_old_connections
from django.db.models import QuerySet
from django.utils import timezone

from evaluator.runner.client import DaemonClient
from evaluator.verdicts import RunState
from graphs.actions import do_lay_out_due
from graphs.models import Graph
from submissions.actions.claims import do_reap_leases
from submissions.actions.devices import do_report_device
from submissions.actions.run_folders import do_feed, do_link_when_tasks_came
from submissions.actions.runs import do_dispatch
from submissions.devices import socket_path
from submissions.dispatch import listen, messages_waiting, send_annotate
from submissions.judging import device_status, why_waiting
from submissions.leases import LeaseWatch
from submissions.models import LIVE_STATES, Run
from submissions.workers import judging, takes_runs

log = logging.getLogger(__name__)

ROUND_SECONDS = 2.0
LOST_MESSAGE = timedelta(seconds=10)  # a queued run that nobody has had in hand for so long, while nothing is going on
RESEND = 100
LAYOUT_SECONDS = 1.0  # of a round, for graphs that were imported without a layout


class Caretaker:
    """A thread that goes its rounds until it is stopped."""

    def __init__(self, devices: Sequence[str], worker: str) -> None:
        self.devices = devices
        self.worker = worker
        self._leases = LeaseWatch()
        self._takes = True  # whether this process asks the broker for messages
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="caretaker", daemon=True)

    def start(self) -> None:
        """Begins the rounds; the first one takes back what an earlier process of this worker held."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the rounds and waits for the one that is going on."""
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        first = True
        while not self._stop.is_set():
            try:
                if first:
                    do_reap_leases(timezone.now(), worker=self.worker)
                    first = False
                self.round()
            except Exception:
                log.exception("the caretaker's round failed; it goes on")
            finally:
                close_old_connections()
            self._stop.wait(ROUND_SECONDS)

    def round(self) -> None:
        """One round over everything."""
        for device in self.devices:
            status = report(device, self.worker)
            resend_lost(device)
            do_link_when_tasks_came()
            do_feed(device)
            if status == "ready":
                ask_for_shapes(device)
        do_lay_out_due(LAYOUT_SECONDS)
        self._take_or_not()
        for run_id in do_reap_leases(timezone.now(), silent=self._leases.silent(timezone.now(), time.monotonic())):
            log.warning("run %s was taken back: its worker stopped answering", run_id)

    def _take_or_not(self) -> None:
        """Stops asking for messages while this worker is drained or held, so that others get them at once."""
        takes = takes_runs(self.worker)
        if takes == self._takes:
            return
        for device in self.devices:
            listen(self.worker, device, takes)
        self._takes = takes
        log.warning("this worker %s", "takes runs again" if takes else "takes no runs: it is drained or held")


def report(device: str, worker: str) -> str:
    """Writes down how a device is, and returns it: ready, warming, busy, offline."""
    said = device_status(DaemonClient(socket_path(device)))
    status = str(said.get("status"))
    do_report_device(device, status, why_waiting(said), said.get("versions"), worker, str(said.get("isolation") or ""))
    return status


def resend_lost(device: str) -> int:
    """Sends queued runs again whose message is gone; returns how many.

    Gone means: nothing waits in the broker's queue, a worker has nothing to do, and nobody has had the run in hand
    lately.
    A message too many does no harm, since a run is claimed in the database.
    """
    forgotten = Run.objects.filter(
        device=device, state=RunState.QUEUED, attended_at__lt=timezone.now() - LOST_MESSAGE
    ).order_by("created_at")
    if not forgotten.exists() or Run.objects.filter(device=device, state__in=LIVE_STATES).count() >= judging(device):
        return 0
    if messages_waiting(device) != 0:
        return 0
    lost = [str(run_id) for run_id in forgotten.values_list("pk", flat=True)[:RESEND]]
    for run_id in lost:
        do_dispatch(run_id, device)
    log.warning("%d queued runs of %s had no message any more; sent again", len(lost), device)
    return len(lost)


def ask_for_shapes(device: str) -> bool:
    """Sends the task that finds shapes if there are graphs without, and nothing else to do."""
    waiting = Run.objects.filter(device=device, state__in=(RunState.QUEUED, *LIVE_STATES)).exists()
    if waiting or not graphs_without_shapes().exists() or messages_waiting(device) != 0:
        return False
    return send_annotate(device)


def graphs_without_shapes() -> QuerySet[Graph]:
    """Graphs that the evaluator has not looked at yet."""
    return Graph.objects.filter(shapes=None, shapes_problem="", problem="")
