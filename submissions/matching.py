"""The web server's side of matching while typing: a connection to the match lane of the evaluator's daemon.

Nothing here waits in a thread: a page that is open costs one socket. What the lane says is passed on as it comes.
"""

import asyncio
import json
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from graphs.models import Source, Task

MAX_GRAPH_BYTES = 24 << 20  # of one task; graphs beyond are not matched while typing
_MAX_LINE = 64 << 20
CONNECT_SECONDS = 5.0

OFFLINE = (
    "Patterns are not matched while you type: the evaluator does not answer. It may be starting; a run matches as "
    "always."
)


class LaneGone(Exception):
    """Nobody matches at the moment."""


@dataclass
class Lane:
    """One connection to the lane, for one page."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @staticmethod
    async def open(graphs: bytes) -> "Lane":
        """Connect and say which graphs there are, in the line that `graphs_line` has made. Raises LaneGone."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                path = str(Path(settings.MATCH_SOCKET))
                lane = Lane(*await asyncio.open_unix_connection(path, limit=_MAX_LINE))
        except (OSError, TimeoutError) as error:
            raise LaneGone(OFFLINE) from error
        await lane.send(graphs)
        return lane

    async def send(self, line: bytes) -> None:
        """Raises LaneGone."""
        try:
            self.writer.write(line)
            await self.writer.drain()
        except OSError as error:
            raise LaneGone(OFFLINE) from error

    async def read(self) -> dict[str, Any]:
        """The next thing it says. Raises LaneGone."""
        try:
            line = await self.reader.readline()
            said = json.loads(line) if line else None
        except (OSError, ValueError) as error:
            raise LaneGone(OFFLINE) from error
        if not isinstance(said, dict):
            raise LaneGone(OFFLINE)
        return said

    def close(self) -> None:
        self.writer.close()


def graphs_line(who: str, task: Task) -> bytes:
    """What the lane is told first: names and sources of the task's graphs, in its order, as many as are matched while
    typing. Megabytes for some tasks: not to be made in the event loop."""
    names = list(task.entries.values_list("name", "graph__source_id"))
    texts = {source.pk: source.text for source in Source.objects.filter(pk__in={source for _, source in names})}
    found, size = [], 0
    for name, source in names:
        size += len(texts[source])
        if size > MAX_GRAPH_BYTES:
            break
        found.append({"name": name, "source": texts[source]})
    return line({"op": "graphs", "who": who, "graphs": found})


def line(message: dict[str, Any]) -> bytes:
    """A message as the lane reads it."""
    return json.dumps(message).encode() + b"\n"


@dataclass
class Allowance:
    """How often each author may ask: `burst` at once, then one every `seconds`. Counted in this process alone: the lane
    matches one text of an author at a time whatever comes, and a row in the database for every key would cost more."""

    burst: int = 40
    seconds: float = 0.08
    _due: OrderedDict[int, float] = field(default_factory=OrderedDict)

    def take(self, author: int, now: float | None = None) -> float:
        """Seconds until the author may ask again; 0 when this one counts."""
        now = time.monotonic() if now is None else now
        due = max(self._due.get(author, now), now)
        wait = due - (now + (self.burst - 1) * self.seconds)
        if wait > 0:
            return wait
        self._due[author] = due + self.seconds
        self._due.move_to_end(author)
        while len(self._due) > 10_000:
            self._due.popitem(last=False)
        return 0.0


allowance = Allowance()
