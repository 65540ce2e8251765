"""Matchers that wait for a client's next text, and those that have been ended and are not gone yet."""

import time
from collections.abc import Mapping

from evaluator.runner import processes
from evaluator.runner.match_clients import Client
from evaluator.runner.match_process import MatchProcess

SPARE_SECONDS = 120.0  # that a spare waits for a text
SPARES = 2  # of a client
MAX_SPARES = 8  # of all, 30 MB each


class Spares:
    def __init__(self, clients: Mapping[int, Client]) -> None:
        self._clients = clients  # of the lane, by descriptor
        self.dying: list[MatchProcess] = []

    def take(self, client: Client) -> MatchProcess:
        """The client's next spare that is alive, or a fresh matcher."""
        while client.spares:
            matcher = client.spares.pop(0)
            if matcher.process.poll() is None and not matcher.lines.closed:
                return matcher
            self.end(matcher)
        return MatchProcess.start(client.sources, client.first)

    def make(self, client: Client, count: int = SPARES) -> None:
        """Have matchers ready for the client's next texts. The clients that were quiet for longest give way."""
        client.spare_until = time.monotonic() + SPARE_SECONDS
        while client.sources and len(client.spares) < count:
            client.spares.append(MatchProcess.start(client.sources, client.first))
        holding = sorted((one for one in self._clients.values() if one.spares), key=lambda one: one.spare_until)
        for other in holding:
            if sum(len(one.spares) for one in holding) > MAX_SPARES:
                self.end_of(other)

    def end_of(self, client: Client) -> None:
        """End the spares of a client."""
        for matcher in client.spares:
            self.end(matcher)
        client.spares.clear()

    def end(self, matcher: MatchProcess) -> None:
        matcher.kill()
        self.dying.append(matcher)

    def collect(self) -> None:
        """Clean up after those that are gone."""
        for matcher in list(self.dying):
            if matcher.process.poll() is not None:
                self.dying.remove(matcher)
                matcher.clean_up(self.all_but(matcher))

    def end_all(self) -> None:
        """Nothing that this process has started is alive afterwards."""
        processes.kill_descendants(frozenset())
        for matcher in self.dying:
            matcher.clean_up(frozenset())

    def all_but(self, matcher: MatchProcess) -> frozenset[int]:
        """The processes of all other matchers."""
        known = [one.running.matcher for one in self._clients.values() if one.running]
        known += [spare for one in self._clients.values() for spare in one.spares]
        known += self.dying
        return frozenset(one.process.pid for one in known if one is not matcher)
