"""Tells the browsers that watch a run that its log has grown: "news up to n", at most five times a second.

An announcement may be lost; browsers read the log by number and ask again by themselves. So a failure here is logged
and never reaches the writer.
"""

import logging
import threading
import time
from collections.abc import Callable

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

INTERVAL = 0.2  # seconds between two announcements about one run


def group_name(run_id: str) -> str:
    """The channel layer's group of everybody who watches a run."""
    return f"run.{run_id}"


def send_news(run_id: str, seq: int, state: str) -> None:
    """Sends one announcement now."""
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        async_to_sync(layer.group_send)(group_name(run_id), {"type": "run.news", "seq": seq, "state": state})
    except Exception as error:
        log.warning("news about run %s was not sent: %s", run_id, error)


class Announcer:
    """Sends the first news of a run at once, then the newest one at the end of each interval."""

    def __init__(self, send: Callable[[str, int, str], None], interval: float = INTERVAL) -> None:
        self._send = send
        self._interval = interval
        self._lock = threading.Lock()
        self._sent_at: dict[str, float] = {}
        self._waiting: dict[str, tuple[int, str]] = {}

    def news(self, run_id: str, seq: int, state: str) -> None:
        """Says that the log of `run_id` goes up to `seq`."""
        now = time.monotonic()
        with self._lock:
            if run_id in self._waiting:
                self._waiting[run_id] = max(self._waiting[run_id], (seq, state), key=lambda item: item[0])
                return
            wait = self._sent_at.get(run_id, -self._interval) + self._interval - now
            if wait > 0:
                self._waiting[run_id] = (seq, state)
                timer = threading.Timer(wait, self._flush, [run_id])
                timer.daemon = True
                timer.start()
                return
            self._note(run_id, now)
        self._send(run_id, seq, state)

    def _flush(self, run_id: str) -> None:
        with self._lock:
            seq, state = self._waiting.pop(run_id)
            self._note(run_id, time.monotonic())
        self._send(run_id, seq, state)

    def _note(self, run_id: str, now: float) -> None:
        """Remembers when news of a run went out, and forgets the runs that have been quiet."""
        if len(self._sent_at) > 1000:
            self._sent_at = {key: at for key, at in self._sent_at.items() if now - at < self._interval}
        self._sent_at[run_id] = now


announce = Announcer(send_news).news
