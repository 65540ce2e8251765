"""What only a GPU knows: streams and what waits for them, and questions that tell how a call is being run."""

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluator.integrity.analysis.policy_torch import Kind, kind_of
from evaluator.integrity.analysis.values import Const, Ext, Value
from evaluator.integrity.analysis.words import words

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

WAITS = words("wait_stream wait_event wait synchronize")
_ENTERS = words("stream StreamContext set_stream")
_CALLERS = words("current_stream() default_stream()")  # the streams that the caller works on


@dataclass
class Streams:
    """Streams of the submission's own, and who waits for whom, wherever in its files."""

    used: list[tuple[str, ast.AST]] = field(default_factory=list)
    joined: bool = False  # something waits for their work
    inputs_awaited: bool = False  # they wait for the work before them

    def anything_waits(self) -> None:
        """A wait whose sides are not known, or one of the host, which is for both."""
        self.joined = self.inputs_awaited = True

    def waits(self, name: str) -> None:
        """`torch.cuda.Stream().wait_event`: a wait by its dotted name."""
        owner, _, method = name.rpartition(".")
        if owner.rpartition(".")[2] in _CALLERS and method in ("wait_stream", "wait_event"):
            self.joined = True
        elif owner.endswith("Stream()") and method in ("wait_stream", "wait_event"):
            self.inputs_awaited = True
        else:
            self.anything_waits()


def is_wait(name: str) -> bool:
    """Whether a call of this name of torch waits: of a stream, of an event, or for the whole device."""
    owner, _, method = name.rpartition(".")
    return method in WAITS and (owner.endswith("()") or name == "torch.cuda.synchronize")


def is_callers_stream(name: str, arguments: "Arguments") -> bool:
    """`torch.cuda.stream(torch.cuda.current_stream())`: the stream that is the current one anyway."""
    given: Value = arguments.get(0, "stream") or frozenset()
    return name.rpartition(".")[2] in _ENTERS and bool(given) and all(_is_callers(atom) for atom in given)


def _is_callers(atom: object) -> bool:
    if isinstance(atom, Const):
        return atom.value is None
    return isinstance(atom, Ext) and atom.name.rpartition(".")[2] in _CALLERS


def tells_the_phase(name: str) -> bool:
    """Whether a call of this name tells a timed call from another: captured, memory in use, device still busy."""
    return kind_of(name) is Kind.DEVICE_STATE or (name.startswith("torch.") and name.endswith("().query"))
