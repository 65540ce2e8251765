"""Runs attempts in the processes of the Celery workers, beside their runs: an attempt waits for others nearly all of
its time, and a worker's own thread is for judging.

Every worker has a keeper. Attempts are claimed in the database, so that it does not matter who is first, and one whose
process is gone is queued again and goes on where it was.
"""

import logging
import threading
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from django.db import close_old_connections, connections

from assistant.actions.attempts import best_edits, do_claim, do_leave, do_requeue_lost
from assistant.actions.batches import do_claim_item, do_end_finished, do_leave_item, do_take_back_items
from assistant.autopilot.loop import run_attempt
from assistant.batches import modelling
from assistant.batches.drafting import draft_item
from assistant.chat.log import NotHeld
from assistant.models import Attempt, BatchItem, Proposal

log = logging.getLogger(__name__)

ROUND_SECONDS = 1.0
AT_ONCE = 4  # of one worker
MOST_OF_ONE = 2  # attempts of one author that run while others wait
LOST_AFTER = timedelta(seconds=60)


class Keeper:
    """A thread that looks for queued attempts until it is stopped, and the threads that it gives them to."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._drafting = threading.BoundedSemaphore(1)
        self._threads = ThreadPoolExecutor(AT_ONCE + 1, thread_name_prefix="autopilot")
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
        """Takes what was lost back, and starts what waits as far as there is room."""
        self._attempts()
        self._batches()

    def _batches(self) -> None:
        do_take_back_items(LOST_AFTER)
        modelling.go_on()
        do_end_finished()
        if self._stop.is_set() or not self._drafting.acquire(blocking=False):
            return
        item = do_claim_item(uuid.uuid4().hex)
        if item is None:
            self._drafting.release()
        else:
            self._threads.submit(self._draft, item)

    def _draft(self, item: BatchItem) -> None:
        try:
            draft_item(item, self._stop.is_set)
        except Exception:
            log.exception("the drafter failed on %s", item.task.slug)
            message = "The drafter failed; that is a fault of the workbench. The reason is in its log."
            do_leave_item(item, BatchItem.State.LEFT_OUT, message)
        finally:
            connections.close_all()
            self._drafting.release()

    def _attempts(self) -> None:
        lost = do_requeue_lost(LOST_AFTER)
        if lost:
            log.warning("%d attempts were queued again: their process stopped answering", lost)
        rows = Attempt.objects.order_by("created_at").values_list("pk", "conversation__author_id")
        waiting = list(rows.filter(state=Attempt.State.QUEUED))
        running = Counter(author for _, author in rows.filter(state=Attempt.State.RUNNING)) if waiting else {}
        for attempt_id in next_ones(waiting, running, AT_ONCE):
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
        """With its best; without it where that is what fails, or it would be taken up again for ever."""
        message = "The assistant failed; that is a fault of the workbench. The reason is in its log."
        for offers in (best_edits, _nothing):
            try:
                attempt = Attempt.objects.get(pk=attempt_id)
                do_leave(attempt, holder, Attempt.State.ENDED, "fault", message, offers)
                return
            except Exception as error:
                log.warning("attempt %s could not be ended: %s", attempt_id, error)


def _nothing(attempt: Attempt) -> list[Proposal]:
    return []


def next_ones(waiting: Sequence[tuple[Any, int]], running: Mapping[int, int], count: int) -> list[Any]:
    """Of attempts that wait, as (attempt, author) in their order, those to be begun next: who has some at work stands
    back behind others who wait."""
    left, at_work = list(waiting), Counter(running)
    found: list[Any] = []
    while left and len(found) < count:
        first = next((at for at, (_, author) in enumerate(left) if at_work[author] < MOST_OF_ONE), 0)
        attempt_id, author = left.pop(first)
        at_work[author] += 1
        found.append(attempt_id)
    return found
