"""How many messages one socket may send: each costs a look into the database, and some cost more."""

import time
from collections import deque

MOST, SECONDS = 100, 10.0
# Close codes of ours: an application may send 1000 and what is above 3000, and the server ends in an error else,
# without telling the consumer that its socket is gone.
TOO_MANY = 4429
TOO_LARGE = 4413


class Messages:
    """Counts the messages of one socket."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._at: deque[float] = deque(maxlen=most)

    def are_too_many(self) -> bool:
        """Counts one more; whether it came too soon after `most` others."""
        now = time.monotonic()
        full = len(self._at) == self._most and now - self._at[0] < SECONDS
        self._at.append(now)
        return full
