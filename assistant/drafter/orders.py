"""The same elements in another order."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.lower import Lowering
from assistant.drafter.reshapes import regrouped, sizes_given
from assistant.drafter.sizes import Index, Size, Space, product
from assistant.drafter.values import Moved, Value
from graphs.fx_source import FxNode


def _permute(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    given = sizes_given(node, node.args[1:], "dims")
    if any(type(dim) is not int for dim in given) or len(given) != len(x.shape):
        raise low.refuse("the order of the dimensions is not written out")
    return permuted(low, x, [dim % len(x.shape) for dim in given])


def permuted(low: Lowering, x: Value, order: Sequence[int]) -> Moved:
    """Dimension i of the result is dimension order[i] of x."""

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        back = dict(zip(order, at, strict=True))
        return [back[dim] for dim in range(len(order))]

    return low.moved(x, tuple(x.shape[dim] for dim in order), move)


def transpose(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    rank = len(x.shape)
    if name in ("t", "T", "mT"):
        if rank < 2:
            return x
        first, second = rank - 2, rank - 1
    else:
        args = Arguments(node, "input dim0 dim1")
        first, second = low.dim(args.get("dim0"), rank), low.dim(args.get("dim1"), rank)
    order = list(range(rank))
    order[first], order[second] = second, first
    return permuted(low, x, order)


def _flip(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    dims = low.dims(sizes_given(node, node.args[1:], "dims"), len(x.shape))

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        result = list(at)
        for dim in dims:
            last = space.plus(space.constant(low.resolved(x.shape[dim])), space.constant(-1))
            result[dim] = space.plus(last, space.times(at[dim], Size(-1)))
        return result

    return low.moved(x, x.shape, move, alias=False)


def _roll(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input shifts dims")
    x = low.tensor(args.get("input"))
    shifts, dims = args.get("shifts"), args.get("dims")
    shifts = shifts if isinstance(shifts, (tuple, list)) else (shifts,)
    if any(type(shift) is not int for shift in shifts):
        raise low.refuse("shifts are not written out")
    if dims is None or dims in ((), []):
        flat = regrouped(low, x, (product(map(low.resolved, x.shape)),))
        return regrouped(low, _rolled(low, flat, {0: shifts[0]}), x.shape)
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    if len(shifts) != len(dims):
        raise low.refuse("shifts are not written out")
    return _rolled(low, x, {low.dim(dim, len(x.shape)): shift for dim, shift in zip(dims, shifts, strict=True)})


def _rolled(low: Lowering, x: Value, shifts: dict[int, int]) -> Moved:
    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        result = list(at)
        for dim, shift in shifts.items():
            size = low.resolved(x.shape[dim])
            if not size.names:
                start = space.constant(-shift % max(size.factor, 1))
            elif shift > 0 and all(shift <= value for value in low.facts.of(size)):
                start = space.plus(space.constant(size), space.constant(-shift))
            elif shift <= 0:
                start = space.constant(-shift)
            else:
                raise low.refuse("a shift by more than the size is not drafted")
            result[dim] = space.remainder(space.plus(at[dim], start), size)
        return result

    return low.moved(x, x.shape, move, alias=False)


ORDERS: dict[str, Callable[[Lowering, FxNode, str], Any]] = {
    **dict.fromkeys(("transpose", "swapaxes", "swapdims", "t"), transpose),
    "permute": _permute,
    "flip": _flip,
    "roll": _roll,
}
