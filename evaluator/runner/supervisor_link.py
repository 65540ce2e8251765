"""The supervisor as the judge sees it: takes events, keeps an eye on the clock, starts and ends runners."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evaluator.runner import protocol
from evaluator.runner.protocol import Channel


@dataclass(frozen=True)
class Gone:
    """How a runner ended: by a limit of the supervisor, by itself (code or signal), or by us (all None)."""

    limit: str | None
    code: int | None
    signal: int | None
    place: str = ""  # stacks of the submission when its time was nearly over, as it can have written them itself


@dataclass(frozen=True)
class SupervisorLink:
    channel: Channel

    def event(self, kind: str, payload: Mapping[str, Any]) -> None:
        self.channel.send({"say": "event", "kind": kind, "payload": dict(payload)})

    @contextmanager
    def doing(self, what: str, graph: str | None = None, seconds: float | None = None) -> Iterator[None]:
        """Say what we do for how long at most; if it takes longer, or kills us, the supervisor knows what it was."""
        self._say(what, graph, seconds)
        try:
            yield
        finally:
            self._say("judging", graph, None)

    def start_runner(self) -> Channel:
        """A channel to a new runner. An old one must be gone."""
        self.channel.send({"say": "start runner"})
        _, descriptors = self.channel.receive()
        return protocol.from_descriptor(descriptors[0])

    def end_runner(self) -> Gone:
        """End the runner that was started last and is not known to be gone."""
        self.channel.send({"say": "end runner"})
        return self.hear_gone(None)

    def hear_gone(self, timeout: float | None) -> Gone:
        """Wait until the supervisor says that the runner has ended; raises TimeoutError."""
        message, _ = self.channel.receive(timeout)
        return Gone(message["limit"], message["code"], message["signal"], message["place"])

    def fault(self, message: str) -> None:
        """The evaluator itself failed."""
        self.channel.send({"say": "fault", "message": message})

    def stale(self) -> None:
        """This process has waited for its job and can not do it any more; another may."""
        self.channel.send({"say": "stale"})

    def finished(self) -> None:
        self.channel.send({"say": "finished"})

    def _say(self, what: str, graph: str | None, seconds: float | None) -> None:
        self.channel.send({"say": "doing", "what": what, "graph": graph, "seconds": seconds})
