"""Runs attempts in the processes of the Celery workers, beside their runs: an attempt waits for others nearly all of
its time, and a worker's own thread is for judging.

Every worker has a keeper. Attempts are claimed in the database, so that it does not matter who is first, and one whose
process is gone is queued again and goes on where it was.
"""

import logging
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from django.db import close_old_connections, connections

from assistant.actions.attempts import do_claim, do_leave, do_requeue_lost
from assistant.autopilot.loop import run_attempt
from assistant.chat.log import NotHeld
from assistant.models import Attempt

log = logging.getLogger(__name__)

ROUND_SECONDS = 1.0
AT_ONCE = 4  # of one worker
LOST_AFTER = timedelta(seconds=60)


class Keeper:
    """A thread that looks for queued attempts until it is stopped, and the threads that it gives them to."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="autopilot")
        self._thread = threading.Thread(target=self._run, name="autopilot-keeper", daemon=True)

    def start(self) -> None:
        """Begins the rounds."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the rounds; attempts that are going on leave their step and are queued again."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._threads.shutdown(wait=True)

    def _run(self) -> None:
        while not self._stop.wait(ROUND_SECONDS):
            try:
                self.round()
            except Exception:
                log.exception("the round over the attempts failed; it goes on")
            finally:
                close_old_connections()

    def round(self) -> None:
        """Takes lost attempts back, and starts what waits as far as there is room."""
        lost = do_requeue_lost(LOST_AFTER)
        if lost:
            log.warning("%d attempts were queued again: their process stopped answering", lost)
        waiting = Attempt.objects.filter(state=Attempt.State.QUEUED).order_by("created_at")
        for attempt_id in waiting.values_list("pk", flat=True)[:AT_ONCE]:
            if self._stop.is_set() or not self._free.acquire(blocking=False):
                return
            holder = uuid.uuid4().hex
            if do_claim(attempt_id, holder):
                self._threads.submit(self._work, attempt_id, holder)
            else:
                self._free.release()

    def _work(self, attempt_id: Any, holder: str) -> None:
        try:
            run_attempt(attempt_id, holder, self._stop.is_set)
        except NotHeld:
            log.info("attempt %s is somebody else's by now", attempt_id)
        except Exception:
            log.exception("attempt %s failed", attempt_id)
            self._give_up(attempt_id, holder)
        finally:
            connections.close_all()
            self._free.release()

    def _give_up(self, attempt_id: Any, holder: str) -> None:
        message = "The assistant failed; that is a fault of the workbench. The reason is in its log."
        try:
            do_leave(Attempt.objects.get(pk=attempt_id), holder, Attempt.State.ENDED, "fault", message)
        except Exception as error:
            log.warning("attempt %s could not be ended: %s", attempt_id, error)
