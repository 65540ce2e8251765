"""Who is connected to the match lane, and what is being matched for them."""

from dataclasses import dataclass, field

from evaluator.runner.match_lines import Lines
from evaluator.runner.match_process import MatchProcess
from evaluator.runner.protocol import Message, ProtocolError


@dataclass(frozen=True)
class Request:
    version: int
    files: dict[str, str]
    first: str

    @staticmethod
    def of(message: Message) -> "Request":
        """Raises KeyError, TypeError, ValueError or AttributeError for what is no request."""
        files = {str(name): str(text) for name, text in message["files"].items()}
        return Request(int(message["version"]), files, str(message["first"]))


@dataclass
class Matching:
    """One text that is being matched."""

    matcher: MatchProcess
    request: Request
    until: float
    end: float
    doing: str = "while its files were imported"
    look_at: float = 0.0
    answered: set[int] = field(default_factory=set)

    def once(self, index: int) -> None:
        """Raises ProtocolError for a graph that has been answered before."""
        if index in self.answered:
            raise ProtocolError("two answers for one graph")
        self.answered.add(index)


@dataclass
class Client:
    lines: Lines
    who: str = ""
    names: dict[str, int] = field(default_factory=dict)  # graph → its source; many graphs have the same
    sources: list[str] = field(default_factory=list)
    first: int = 0  # the source that was asked for first the last time
    wanted: Request | None = None
    running: Matching | None = None
    spares: list[MatchProcess] = field(default_factory=list)  # the one that is ready first comes first
    spare_until: float = 0.0

    def names_of(self, source: int, first: str) -> list[str]:
        """The graphs with this source, the one in view before the others."""
        names = [name for name, index in self.names.items() if index == source]
        return sorted(names, key=lambda name: name != first)
