"""Operators that only put elements elsewhere: where an element of the result comes from."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.lower import Lowering
from assistant.drafter.orders import ORDERS, transpose
from assistant.drafter.parts import PARTS
from assistant.drafter.reshapes import RESHAPES, size_of, sizes_given, with_new
from assistant.drafter.sizes import ONE, Index, Size, Space
from assistant.drafter.values import Joined, Rows, Shape, Value
from graphs.fx_source import FxNode, Ref


def lower_view(low: Lowering, node: FxNode, name: str) -> Any:
    """The value (or tuple of values, or size) of an operator that moves elements; None when it is none known here."""
    handler = _HANDLERS.get(name)
    return None if handler is None else handler(low, node, name)


def _expand(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    if name in ("expand_as", "broadcast_to") and isinstance(node.args[1], Ref) and name == "expand_as":
        shape: Shape = low.tensor(node.args[1]).shape
    else:
        given = sizes_given(node, node.args[1:], "size")
        offset = len(given) - len(x.shape)
        shape = tuple(
            x.shape[place - offset] if type(value) is int and value == -1 else size_of(low, value)
            for place, value in enumerate(given)
        )
    shape = low.broadcast(x.shape, shape)
    offset = len(shape) - len(x.shape)

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        return [Index() if low.resolved(size) == ONE else at[place + offset] for place, size in enumerate(x.shape)]

    return low.moved(x, shape, move)


def _repeat(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    times = [size_of(low, value) for value in sizes_given(node, node.args[1:], "repeats")]
    while len(x.shape) < len(times):
        x = with_new(low, x, 0)
    shape = tuple(low.resolved(size) * count for size, count in zip(x.shape, times, strict=True))

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        return [space.remainder(index, low.resolved(size)) for index, size in zip(at, x.shape, strict=True)]

    return low.moved(x, shape, move, alias=False)


def _cat(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "tensors dim")
    given = args.get("tensors")
    if not isinstance(given, (tuple, list)):
        raise low.refuse("what is put together is not written out")
    parts = [low.tensor(part) for part in given]
    dim = args.get("dim", dict(node.kwargs).get("axis", 0))
    if name == "stack":
        dim = low.dim(dim, len(parts[0].shape) + 1)
        parts = [with_new(low, part, dim) for part in parts]
    dim = low.dim(dim, len(parts[0].shape))
    if len({len(part.shape) for part in parts}) != 1:
        raise low.refuse("tensors of different ranks are put together")
    dtype = low.promoted(*parts)
    parts = [low.cast(part, dtype.compute) for part in parts]
    shape = list(map(low.resolved, parts[0].shape))
    for part in parts[1:]:
        for place, size in enumerate(part.shape):
            if place != dim:
                shape[place] = low.equal(shape[place], size)
    lengths = [low.resolved(part.shape[dim]) for part in parts]
    if all(not length.names for length in lengths):
        shape[dim] = Size(sum(length.factor for length in lengths))
    elif len(set(lengths)) == 1:
        shape[dim] = lengths[0] * Size(len(lengths))
    else:
        values = tuple(map(sum, zip(*(low.facts.of(length) for length in lengths), strict=True)))
        shape[dim] = low.new_size(values, " + ".join(length.text for length in lengths))
    return Joined(tuple(shape), dtype, tuple(parts), dim)


def _embedding(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input weight padding_idx max_norm norm_type scale_grad_by_freq sparse")
    if args.has("max_norm"):
        raise low.refuse("an embedding that changes its table is not drafted")
    index, table = low.tensor(args.get("input")), low.tensor(args.get("weight"))
    return Rows((*index.shape, table.shape[1]), table.dtype, table, index)


def _attribute(low: Lowering, node: FxNode, name: str) -> Any:
    x = low.tensor(node.args[0])
    if node.args[1] == "shape":
        return tuple(map(low.resolved, x.shape))
    if node.args[1] in ("T", "mT") and len(x.shape) >= 2:
        return transpose(low, node, "mT") if node.args[1] == "mT" or len(x.shape) == 2 else None
    return None


def _size(low: Lowering, node: FxNode, name: str) -> Any:
    args = Arguments(node, "input dim")
    x = low.tensor(args.get("input"))
    shape = tuple(map(low.resolved, x.shape))
    return shape[low.dim(args.get("dim"), len(shape))] if args.has("dim") else shape


_HANDLERS: dict[str, Callable[[Lowering, FxNode, str], Any]] = {
    **RESHAPES,
    **ORDERS,
    **PARTS,
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _expand),
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), _cat),
    "repeat": _repeat,
    "embedding": _embedding,
    "getattr": _attribute,
    "size": _size,
}
