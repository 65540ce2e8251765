"""A worker's hour: wait for the device, claim a run, let the daemon judge it, write down what it says."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from evaluator.job import Job, Limits
from evaluator.verdicts import RunState
from graphs.models import Graph
from graphs.samples import Sample
from submissions.actions.claims import (
    Claim,
    do_append_events,
    do_claim_run,
    do_end_cancelled,
    do_extend_lease,
    do_finish_run,
    do_lose_attempt,
    do_release_run,
    do_start_run,
)
from submissions.actions.outputs import KEPT_BYTES, do_keep_output
from submissions.actions.runs import do_note
from submissions.devices import is_isolated
from submissions.events import StaleToken
from submissions.logs import about_run
from submissions.models import Device, Run
from submissions.workers import identity, in_words, takes_runs

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # between two looks at whether the run is to be cancelled
LEASE_SECONDS = 5.0  # between two signs of life
WAIT_SECONDS = 0.5  # between two questions to a daemon that is not ready

OnEvent = Callable[[dict[str, Any]], None]


class Daemon(Protocol):
    """What is needed of evaluator.runner.client.DaemonClient."""

    def hello(self) -> dict[str, Any]: ...
    def run(self, job: Job, on_event: OnEvent, cancelled: Callable[[], bool]) -> Any: ...


class DeviceTaken(Exception):
    """The daemon is judging another run."""


class DaemonFault(Exception):
    """The daemon could not judge, through no fault of the submission."""


WAITING = {
    "warming": "The evaluator is warming up; runs start by themselves as soon as it is ready.",
    "busy": "The device is judging another run; others wait their turn.",
    "offline": "The evaluator of this device does not answer; runs start by themselves as soon as it does.",
}


class OtherVersions(Exception):
    """The daemon judges with versions that are not those of its device class. The text says which."""


def judge_run(
    run_id: str,
    daemon: Daemon,
    worker: str,
    stopping: threading.Event,
    attempt: "type[Session] | None" = None,
    is_next: Callable[[], bool] = lambda: True,
) -> bool:
    """Judges a queued run and sees it to an end, whatever happens. Does nothing for a run that is not queued.

    May be called any number of times for the same run: only one caller gets the claim, and True. `attempt` is what is
    made of the daemon's events; by default a submission is judged. `is_next` is asked when the device has become free:
    while it was not, somebody may have come whose turn is before this run's.
    """
    while _wait_until_ready(run_id, daemon, worker, stopping):
        if not is_next():
            return False
        claim = do_claim_run(run_id, worker)
        if claim is None:
            return False
        with about_run(run_id):
            log.info("taken with token %d by %s", claim.token, worker)
            try:
                (attempt or Session)(claim, stopping).hold(daemon)
                return True
            except DeviceTaken:
                do_release_run(claim, WAITING["busy"])
                stopping.wait(WAIT_SECONDS)
            except OtherVersions as different:
                log.warning("%s", different)
                do_release_run(claim, f"{different} The run waits for another worker.")
                stopping.wait(WAIT_SECONDS)
            except StaleToken as stale:
                log.warning("%s: this worker's writes are refused", stale)
                return True
    return False


def make_job(run: Run) -> Job:
    """The job of a run: its revision's files, and the graphs that its task had when it was asked for."""
    return Job(
        files=run.revision.files,
        graphs=samples_of(run),
        device=run.device,
        limits=Limits(kept_bytes=KEPT_BYTES),
        run_id=str(run.pk),
        overturned=run.overturns_id is not None,
    )


def samples_of(run: Run) -> tuple[Sample, ...]:
    """The graphs that the run's task had when it was asked for, under their names there."""
    identities = [identity for _, identity in run.graphs]
    found = {graph.identity: graph for graph in Graph.objects.select_related("source").filter(identity__in=identities)}
    return tuple(found[identity].as_sample(name) for name, identity in run.graphs)


def device_status(daemon: Daemon) -> dict[str, Any]:
    """The daemon's hello; status "offline" when it does not answer, or when it may not be used: see `refusal`."""
    try:
        said = daemon.hello()
    except (OSError, ValueError, EOFError) as error:
        return {"status": "offline", "message": str(error)}
    own_words = str(said.get("message") or "") if said.get("status") == "refused" else ""
    refused = own_words or refusal(str(said.get("isolation") or ""))
    return {**said, "status": "offline", "refusal": refused} if refused else said


def refusal(isolation: str) -> str:
    """Why nothing is judged under this isolation; empty when it is a boundary, or going without was asked for."""
    if is_isolated(isolation) or settings.MAY_JUDGE_UNISOLATED:
        return ""
    how = "That is never done where others can reach the workbench (DEPLOYMENT=cluster, HOST)."
    if settings.ONLY_THIS_MACHINE:
        how = "If you trust every submission as your own code, start with PASSNET_ALLOW_UNISOLATED=1."
    return (
        f"Nothing is judged: submissions would not be shut in ({isolation or 'the evaluator does not say how'}). "
        f"`make doctor` says what the kernel refuses and how to enable it. {how}"
    )


def why_waiting(said: dict[str, Any]) -> str:
    """What a hello means for a run that waits; empty when the device is ready."""
    status = str(said.get("status"))
    if status == "ready":
        return ""
    if said.get("refusal"):
        return str(said["refusal"])
    # A daemon that can not warm up says why, for example that torch is not installed.
    reason = str(said.get("message") or "") if status == "warming" else ""
    return " ".join(part for part in (WAITING.get(status, WAITING["offline"]), reason) if part)


def _wait_until_ready(run_id: str, daemon: Daemon, worker: str, stopping: threading.Event) -> bool:
    """Waits while the run is queued until the device is free. False when there is nothing (more) to do here."""
    while not stopping.is_set() and takes_runs(worker):
        run = Run.objects.filter(pk=run_id, state=RunState.QUEUED).first()
        if run is None:
            return False
        said = device_status(daemon)
        if said.get("status") == "ready":
            return True
        do_note(run, why_waiting(said))
        # Says that the run is in hand, so that the caretaker does not send its message again.
        Run.objects.filter(pk=run_id).update(attended_at=timezone.now())
        stopping.wait(WAIT_SECONDS)
    return False


class Session:
    """One attempt: the daemon's events go into the log, the author's wish to cancel goes to the daemon."""

    def __init__(self, claim: Claim, stopping: threading.Event) -> None:
        self.claim = claim
        self.stopping = stopping
        self.finished = False
        self.cancel_requested = False
        self.stale = False
        self.looked_at = 0.0
        self.signed_at = time.monotonic()

    def hold(self, daemon: Daemon) -> None:
        """Runs to an end. Raises StaleToken, or DeviceTaken when the run could not be started."""
        run = Run.objects.select_related("revision").get(pk=self.claim.run_id)
        try:
            daemon.run(self.job(run), self.on_event, self.cancelled)
        except (DaemonFault, OSError, EOFError, ValueError) as error:
            log.exception("run %s was lost", self.claim.run_id)
            if not self.finished:
                said = f"{error}".rstrip(".")
                prefix = "" if said.startswith("The evaluator failed") else "The evaluator failed: "
                self._end_unfinished(f"{prefix}{said}.")
            return
        if not self.finished:
            self._end_unfinished("The evaluator ended without a result.")

    def on_event(self, event: dict[str, Any]) -> None:
        """Writes one event of the daemon into the log."""
        kind = str(event.get("event"))
        payload = {key: value for key, value in event.items() if key != "event"}
        if kind == "busy":
            raise DeviceTaken
        if kind == "error":
            raise DaemonFault(str(payload.get("message") or "it gave no reason"))
        with transaction.atomic():  # an event and the state that it leads to are seen together, or not at all
            self.take(kind, payload)
        self.finished = kind == "run_done"

    def job(self, run: Run) -> Job:
        """What the daemon is asked to do."""
        return make_job(run)

    def take(self, kind: str, payload: dict[str, Any]) -> None:
        """Writes one event into the log, with the state that it leads to. What was printed beyond the log is kept."""
        if kind == "output":
            return do_keep_output(self.claim, str(payload.get("text") or ""))
        if kind == "run_started":
            self._check_versions(payload.get("versions") or {})
            do_start_run(self.claim, str(payload.get("isolation") or ""))
        do_append_events(self.claim, [(kind, payload)])
        if kind == "run_done":
            self.finish(payload)

    def _check_versions(self, versions: dict[str, Any]) -> None:
        """Raises OtherVersions: the daemon may have been replaced since its worker last looked."""
        pinned = Device.objects.filter(pk=self.claim.device).values_list("pinned", flat=True).first()
        if pinned and identity(versions) != pinned:
            raise OtherVersions(f"Its evaluator has {in_words(versions)}, the device class {in_words(pinned)}.")

    def finish(self, payload: dict[str, Any]) -> None:
        """Freezes the result."""
        do_finish_run(self.claim, payload)

    def cancelled(self) -> bool:
        """Asked by the client all the time: is the run to be stopped? Also keeps the lease alive."""
        now = time.monotonic()
        if now - self.looked_at >= LOOK_SECONDS:
            self.looked_at = now
            self._look(now)
        return not self.finished and (self.cancel_requested or self.stale or self.stopping.is_set())

    def _look(self, now: float) -> None:
        wanted = Run.objects.filter(pk=self.claim.run_id).values_list("cancel_requested", flat=True).first()
        self.cancel_requested = bool(wanted)
        if now - self.signed_at >= LEASE_SECONDS:
            self.signed_at = now
            self.stale = not do_extend_lease(self.claim)

    def _end_unfinished(self, why: str) -> None:
        if self.stale:
            raise StaleToken(f"run {self.claim.run_id} was taken from token {self.claim.token}")
        if self.cancel_requested:
            do_end_cancelled(self.claim)
        elif self.stopping.is_set():
            do_release_run(self.claim, "The worker is being stopped; the run starts again with the next one.")
        else:
            do_lose_attempt(self.claim, why)
