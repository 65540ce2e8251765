"""What a kernel is once it is written, and what it can not hold."""

from dataclasses import dataclass, field

from assistant.drafter.sizes import ONE, Size
from assistant.drafter.values import Reduce, Value


class NeedsMemory(Exception):
    """A reduction that this kernel can not hold in a row: an earlier kernel has to store it."""

    def __init__(self, reduce: Reduce) -> None:
        super().__init__("stored by a kernel of its own")
        self.reduce = reduce


@dataclass(frozen=True)
class Stored:
    """A value that a kernel writes, and the launcher's name for the memory."""

    value: Value
    buffer: str


@dataclass
class KernelText:
    """A kernel and how it is launched."""

    name: str
    pointers: list[str]  # the launcher's names of the tensors, in order
    sizes: list[str]
    body: list[str]
    rows: Size | None  # None: elementwise, over `elements`
    columns: Size = ONE
    elements: Size = ONE
    looped: bool = False
    across: bool = False  # the columns do not lie next to each other
    stored: tuple[Stored, ...] = field(default=())
    flat: bool = False  # needs no size at all
