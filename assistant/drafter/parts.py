"""Parts of a tensor: slices, single places, pieces."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.lower import Lowering
from assistant.drafter.reshapes import with_new
from assistant.drafter.sizes import ONE, Index, Size, Space
from assistant.drafter.values import Moved, Value
from graphs.fx_source import FxNode, Ref
from graphs.fx_source.model import Slice

MAX_PARTS = 256


def _getitem(low: Lowering, node: FxNode, name: str) -> Any:
    holder = low.env.get(node.args[0].name) if isinstance(node.args[0], Ref) else None
    index = node.args[1]
    if isinstance(holder, tuple):
        if type(index) is not int:
            raise low.refuse("a part of several values is not picked by a plain number")
        return holder[index]
    x = low.tensor(node.args[0])
    parts = list(index) if isinstance(index, tuple) else [index]
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if Ellipsis not in parts:
        parts.append(Ellipsis)
    at = parts.index(Ellipsis)
    parts[at : at + 1] = [Slice()] * (len(x.shape) - used)
    value, dim = x, 0
    for part in parts:
        if part is None:
            value = with_new(low, value, dim)
            dim += 1
        elif isinstance(part, Slice):
            if part not in (Slice(), Slice(0), Slice(None, None, 1)):
                value = sliced(low, value, dim, part)
            dim += 1
        elif type(part) is int:
            value = low.without_dims(_picked(low, value, dim, part), (dim,))
        else:
            raise low.refuse("a subscript by tensors is not drafted")
    return value if value is not x else low.moved(x, x.shape, lambda space, at: list(at), dense=True)


def _plain(low: Lowering, value: Any) -> int | None:
    if value is None or type(value) is int:
        return value
    raise low.refuse("the end of a slice is no plain number")


def sliced(low: Lowering, x: Value, dim: int, part: Slice) -> Moved:
    """x[start:stop:step] along one dimension."""
    start, stop, step = _plain(low, part.start), _plain(low, part.stop), _plain(low, part.step) or 1
    size = low.resolved(x.shape[dim])
    ranges = [range(*slice(start, stop, step).indices(value)) for value in low.facts.of(size)]
    lengths, starts = tuple(map(len, ranges)), tuple(found.start for found in ranges)
    if 0 in lengths:
        raise low.refuse("an empty slice is not drafted")
    if not size.names:
        length, first = Size(lengths[0]), Size(starts[0])
    else:
        plain = start is None or start >= 0
        if step == 1 and plain and stop is None:
            text = f"{size.text} - {start or 0}"
        elif step == 1 and plain and stop is not None and stop >= 0:
            text = f"min({size.text}, {stop})" + (f" - {start}" if start else "")
        else:
            text = f"len(range({size.text})[{'' if start is None else start}:{'' if stop is None else stop}:{step}])"
        length = low.new_size(lengths, text)
        if step == 1 and stop is None and start is not None and set(lengths) == {-start}:
            length = Size(-start)  # the last few
        first = Size(start or 0) if plain else low.new_size(starts, f"{size.text} - {-(start or 0)}")
    shape = (*x.shape[:dim], length, *x.shape[dim + 1 :])

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        result = list(at)
        result[dim] = space.plus(space.times(at[dim], Size(step)), space.constant(first))
        return result

    return low.moved(x, shape, move)


def _picked(low: Lowering, x: Value, dim: int, index: int) -> Moved:
    size = low.resolved(x.shape[dim])
    if index >= 0:
        first: tuple[Size, int] = (Size(index), 0)
    else:
        first = (size, index)
    shape = (*x.shape[:dim], ONE, *x.shape[dim + 1 :])

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        result = list(at)
        result[dim] = space.plus(space.constant(first[0]), space.constant(first[1]))
        return result

    return low.moved(x, shape, move)


def _select(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim index")
    x = low.tensor(args.get("input"))
    dim = low.dim(args.get("dim"), len(x.shape))
    if type(args.get("index")) is not int:
        raise low.refuse("an index is no plain number")
    return low.without_dims(_picked(low, x, dim, args.get("index")), (dim,))


def _narrow(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim start length")
    x = low.tensor(args.get("input"))
    start, length = args.get("start"), args.get("length")
    if type(start) is not int or type(length) is not int or start < 0:
        raise low.refuse("a part is not given by plain numbers")
    return sliced(low, x, low.dim(args.get("dim"), len(x.shape)), Slice(start, start + length))


def _split(low: Lowering, node: FxNode, name: str) -> tuple[Value, ...]:
    args = Arguments(node, "input chunks dim" if name in ("chunk", "unsafe_chunk") else "input split_size dim")
    x = low.tensor(args.get("input"))
    dim = low.dim(args.get("dim", 0), len(x.shape))
    totals = set(low.facts.of(low.resolved(x.shape[dim])))
    if len(totals) != 1:
        raise low.refuse("what is split has another size in another graph")
    total = totals.pop()
    given = args.get("chunks" if name in ("chunk", "unsafe_chunk") else "split_size")
    if type(given) is int:
        each = -(-total // given) if name in ("chunk", "unsafe_chunk") else given
        if total > MAX_PARTS * max(each, 1):
            raise low.refuse("it is split into too many parts")
        ends = list(range(0, total, max(each, 1)))
        lengths = [min(each, total - end) for end in ends]
    elif isinstance(given, (tuple, list)) and all(type(part) is int for part in given):
        lengths = list(given)
    else:
        raise low.refuse("the parts are not given by plain numbers")
    if low.resolved(x.shape[dim]).names:
        low.facts.pin(low.resolved(x.shape[dim]))
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    return tuple(_part(low, x, dim, start, length) for start, length in zip(starts, lengths, strict=True))


def _part(low: Lowering, x: Value, dim: int, start: int, length: int) -> Moved:
    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        result = list(at)
        result[dim] = space.plus(at[dim], space.constant(start))
        return result

    return low.moved(x, (*x.shape[:dim], Size(length), *x.shape[dim + 1 :]), move)


def _unbind(low: Lowering, node: FxNode, name: str) -> tuple[Value, ...]:
    args = Arguments(node, "input dim")
    x = low.tensor(args.get("input"))
    dim = low.dim(args.get("dim", 0), len(x.shape))
    sizes = set(low.facts.of(low.resolved(x.shape[dim])))
    if len(sizes) != 1:
        raise low.refuse("what is split has another size in another graph")
    if max(sizes) > MAX_PARTS:
        raise low.refuse("it is split into too many parts")
    low.facts.pin(low.resolved(x.shape[dim]))
    return tuple(low.without_dims(_picked(low, x, dim, index), (dim,)) for index in range(sizes.pop()))


PARTS: dict[str, Callable[[Lowering, FxNode, str], Any]] = {
    **dict.fromkeys(("chunk", "split", "unsafe_split", "unsafe_chunk", "split_with_sizes"), _split),
    "getitem": _getitem,
    "select": _select,
    "narrow": _narrow,
    "unbind": _unbind,
}
