"""One question to a model: streamed, bounded in time, asked again where that may help, and ended when nobody wants it.

The SDKs' asynchronous clients run in a thread with an event loop of its own, because a task can be cancelled while it
waits for a silent server and a blocked thread can not. Whoever asks is an ordinary function that reads pieces.
"""

import asyncio
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from assistant.providers.endpoint import Endpoint
from assistant.providers.failures import ProviderFailure, explained
from assistant.providers.kinds import adapter_of
from assistant.providers.tool_calls import finished_calls
from assistant.providers.words import Ask, Partial, Piece, Stop, Text, Turn, Usage, Waits

LOOK_SECONDS = 0.2  # between two looks at whether the answer is still wanted
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
_TOKEN = 4  # characters, where an endpoint does not count


@dataclass(frozen=True)
class _Failed:
    failure: ProviderFailure


def converse(
    endpoint: Endpoint,
    ask: Ask,
    cancelled: Callable[[], bool] = lambda: False,
    first_wait: float = FIRST_WAIT,
) -> Iterator[Piece]:
    """Text and Waits as they come, then one Turn. Raises ProviderFailure when there is no answer at all.

    A failure before the first piece is tried again, as often as the endpoint's `attempts` say, after the time that the
    server names or a growing one. One in the middle is not: it would be paid for twice. It gives a Turn that is cut.
    """
    call = _Call(endpoint, ask, first_wait)
    call.start()
    try:
        while True:
            try:
                piece = call.pieces.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                if cancelled():
                    call.cancel()
                continue
            if isinstance(piece, _Failed):
                raise piece.failure
            yield piece
            if isinstance(piece, Turn):
                return
            if call.is_due(LOOK_SECONDS) and cancelled():
                call.cancel()
    finally:
        call.cancel()


class _Call:
    """The thread, and the queue on which it says what comes."""

    def __init__(self, endpoint: Endpoint, ask: Ask, first_wait: float) -> None:
        self.endpoint, self.ask, self.first_wait = endpoint, ask, first_wait
        self.pieces: queue.Queue[Piece | _Failed] = queue.Queue()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        self._cancelled = False
        self._looked = time.monotonic()

    def start(self) -> None:
        threading.Thread(target=self._run, name="model", daemon=True).start()

    def is_due(self, seconds: float) -> bool:
        """Whether it is time to look again, though pieces keep coming."""
        now = time.monotonic()
        if now - self._looked < seconds:
            return False
        self._looked = now
        return True

    def cancel(self) -> None:
        """Ends the call; a Turn that says so is the last piece. Does nothing to one that has ended."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            if self._task is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._task.cancel)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            with self._lock:
                self._task = self._loop.create_task(self._answer())
                if self._cancelled:
                    self._task.cancel()
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:  # before it was asked, or while it waited to ask again
            nothing = Usage(0, 0, estimated=True)
            self.pieces.put(
                Turn("", (), Stop.CANCELLED, nothing, self.endpoint.model, 0, 0.0, _PROBLEMS[Stop.CANCELLED])
            )
        finally:
            with self._lock:
                self._loop.close()

    async def _answer(self) -> None:
        started = time.monotonic()
        for attempt in range(1, self.endpoint.attempts + 1):
            partial = Partial()
            try:
                async with asyncio.timeout(self.endpoint.total_seconds):
                    await self._stream(partial)
                problem = "" if partial.stop else f"{self.endpoint.host} ended the answer without saying why."
            except asyncio.CancelledError:
                partial.stop, problem = Stop.CANCELLED, "Cancelled."
            except Exception as error:
                failure = explained(error, self.endpoint)
                if not partial.has_begun:
                    if failure.retryable and attempt < self.endpoint.attempts and await self._wait(failure, attempt):
                        continue
                    self.pieces.put(_Failed(failure))
                    return
                partial.stop, problem = Stop.CUT, failure.message
            seconds = time.monotonic() - started
            self.pieces.put(_turn(self.endpoint, self.ask, partial, attempt, seconds, problem))
            return

    async def _stream(self, partial: Partial) -> None:
        async for text in adapter_of(self.endpoint.kind).stream(self.endpoint, self.ask, partial):
            partial.grow(text)
            self.pieces.put(Text(text))

    async def _wait(self, failure: ProviderFailure, attempt: int) -> bool:
        """Waits before the next attempt; False when the server wants more patience than we have."""
        own = self.first_wait * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)
        seconds = own if failure.retry_after is None else failure.retry_after
        if seconds > LONGEST_WAIT:
            return False
        self.pieces.put(Waits(failure.message, round(seconds, 2), attempt))
        await asyncio.sleep(seconds)
        return True


_PROBLEMS = {
    Stop.LENGTH: "The answer was cut off at the limit on its length.",
    Stop.FILTER: "The model, or a filter before it, refused to answer.",
    Stop.CANCELLED: "Cancelled.",
}


def _turn(endpoint: Endpoint, ask: Ask, partial: Partial, attempts: int, seconds: float, problem: str = "") -> Turn:
    stop = partial.stop or Stop.CUT
    calls = finished_calls(partial)
    if stop is Stop.END and calls:
        stop = Stop.TOOLS  # some servers say "stop" after a tool call
    estimate = _estimate(ask, partial)
    usage = partial.usage or estimate
    if stop in (Stop.CUT, Stop.CANCELLED):  # the count of what was said would have come last
        usage = replace(usage, output=max(usage.output, estimate.output), estimated=True)
    problem = problem or _PROBLEMS.get(stop, "")
    return Turn("".join(partial.texts), calls, stop, usage, partial.model or endpoint.model, attempts, seconds, problem)


def _estimate(ask: Ask, partial: Partial) -> Usage:
    asked = sum(len(str(message)) for message in ask.messages) + sum(len(str(tool)) for tool in ask.tools)
    said = sum(map(len, partial.texts)) + sum(len(part) for call in partial.calls.values() for part in call.raw)
    return Usage(asked // _TOKEN, said // _TOKEN, estimated=True)
