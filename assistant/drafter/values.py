"""What a selection computes, as a small language: loads, elementwise formulas, reductions, and moves of elements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assistant.drafter.dtypes import DType
from assistant.drafter.sizes import Index, Size, Space

Shape = tuple[Size, ...]
Move = Callable[[Space, Sequence[Index]], list[Index]]


@dataclass(eq=False, slots=True)
class Value:
    """A tensor. `name` is what the kernel calls it; "" for a step within one operator."""

    shape: Shape
    dtype: DType
    name: str = field(default="", kw_only=True)


@dataclass(eq=False, slots=True)
class Load(Value):
    """An input of the pattern, or what an earlier kernel stored."""

    tensor: str


@dataclass(eq=False, slots=True)
class Formula(Value):
    """Elementwise: `text` with {0}, {1}, … for the operands, which are broadcast. `exact`: not rounded to the dtype."""

    text: str
    operands: tuple[Value, ...]
    exact: bool = False


@dataclass(eq=False, slots=True)
class Reduce(Value):
    """`how` is sum, max or min, over `dims`, which stay with size 1. Not rounded."""

    how: str
    operand: Value
    dims: tuple[int, ...]


@dataclass(eq=False, slots=True)
class Moved(Value):
    """Elements of `operand` at other places. `alias`: torch makes it a view, and `dense` one without any change of
    order (a reshape)."""

    operand: Value
    move: Move
    alias: bool = False
    dense: bool = False


@dataclass(eq=False, slots=True)
class Joined(Value):
    """Several tensors one after the other along `dim`."""

    parts: tuple[Value, ...]
    dim: int


@dataclass(eq=False, slots=True)
class Rows(Value):
    """Rows of a table, by a tensor of indices (embedding)."""

    table: Value
    index: Value


def children(value: Value) -> tuple[Value, ...]:
    """The values that it is made of."""
    match value:
        case Formula(operands=operands):
            return operands
        case Reduce(operand=operand) | Moved(operand=operand):
            return (operand,)
        case Joined(parts=parts):
            return parts
        case Rows(table=table, index=index):
            return (table, index)
    return ()
