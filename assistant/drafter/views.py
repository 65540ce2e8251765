"""Operators that only put elements elsewhere: where an element of the result comes from."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.lower import Lowering
from assistant.drafter.sizes import ONE, Index, Size, Space, product
from assistant.drafter.values import Joined, Moved, Rows, Shape, Value
from graphs.fx_source import FxNode, Ref
from graphs.fx_source.model import Slice

Vector = tuple[int, ...]
MAX_PARTS = 256


def lower_view(low: Lowering, node: FxNode, name: str) -> Any:
    """The value (or tuple of values, or size) of an operator that moves elements; None when it is none known here."""
    handler = _HANDLERS.get(name)
    return None if handler is None else handler(low, node, name)


# ---- the same elements in the same order, in another shape ----


def regrouped(low: Lowering, x: Value, shape: Sequence[Size]) -> Moved:
    """A reshape of a tensor to sizes whose product is the same."""
    inner, outer = tuple(map(low.resolved, x.shape)), list(map(low.resolved, shape))
    groups = _groups(low, inner, outer)
    for a, b in groups:
        if len(a) == len(b) == 1:
            outer[b[0]] = low.equal(inner[a[0]], outer[b[0]])

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        result = [Index()] * len(inner)
        for a, b in groups:
            if len(a) == len(b) == 1:
                result[a[0]] = at[b[0]]
                continue
            place = space.linear([at[dim] for dim in b], [low.resolved(outer[dim]) for dim in b])
            for position, dim in enumerate(a):
                after = product(low.resolved(inner[later]) for later in a[position + 1 :])
                index = space.quotient(place, after)
                result[dim] = index if position == 0 else space.remainder(index, low.resolved(inner[dim]))
        return result

    return low.moved(x, tuple(outer), move, dense=True)


def _groups(low: Lowering, inner: Sequence[Size], outer: Sequence[Size]) -> list[tuple[list[int], list[int]]]:
    """Runs of dimensions that hold the same elements; dimensions of size 1 belong to none."""
    one = (1,) * low.facts.variants
    a_dims = [dim for dim, size in enumerate(inner) if low.facts.of(size) != one]
    b_dims = [dim for dim, size in enumerate(outer) if low.facts.of(size) != one]
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(a_dims) or j < len(b_dims):
        if i == len(a_dims) or j == len(b_dims):
            raise low.refuse("a view does not fit the tensor")
        a, b = [a_dims[i]], [b_dims[j]]
        i, j = i + 1, j + 1
        while (left := _count(low, inner, a)) != (right := _count(low, outer, b)):
            if all(x <= y for x, y in zip(left, right, strict=True)) and i < len(a_dims):
                a.append(a_dims[i])
                i += 1
            elif j < len(b_dims):
                b.append(b_dims[j])
                j += 1
            else:
                raise low.refuse("a view does not fit the tensor")
        groups.append((a, b))
    return groups


def _count(low: Lowering, sizes: Sequence[Size], dims: Sequence[int]) -> Vector:
    return low.facts.of(product(sizes[dim] for dim in dims))


def size_of(low: Lowering, value: Any) -> Size:
    """A size that a graph gives: a number, or a value of the graph that is one."""
    if type(value) is int:
        return Size(value)
    found = low.env.get(value.name) if isinstance(value, Ref) else None
    if isinstance(found, Size):
        return low.resolved(found)
    raise low.refuse("a size is neither a plain number nor read off a tensor")


def _sizes(node: FxNode, args: Sequence[Any], key: str) -> Sequence[Any]:
    """`view(1, 2)`, `view((1, 2))` and `reshape(x, shape=(1, 2))`."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return args[0]
    given = dict(node.kwargs).get(key)
    return given if given is not None else args


def _reshape(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    given = _sizes(node, node.args[1:], "size" if name == "view" else "shape")
    return to_shape(low, x, [None if value == -1 and type(value) is int else size_of(low, value) for value in given])


def to_shape(low: Lowering, x: Value, sizes: Sequence[Size | None]) -> Value:
    """A reshape to sizes of which one may be left to be found."""
    if None not in sizes:
        return regrouped(low, x, [size for size in sizes if size is not None])
    total = product(map(low.resolved, x.shape))
    others = product(size for size in sizes if size is not None)
    missing = total.divided(others)
    if missing is None:
        values = tuple(a // max(b, 1) for a, b in zip(low.facts.of(total), low.facts.of(others), strict=True))
        # A dimension that goes through unchanged keeps its name; else it is derived from the others.
        same = next((size for size in x.shape if low.facts.of(size) == values), None)
        if same is not None and len(low.resolved(same).names) == 1:
            low.facts.pin(total, others)
            missing = low.resolved(same)
        else:
            missing = low.new_size(values, f"{total.text} // {others.atom}")
    return regrouped(low, x, [missing if size is None else size for size in sizes])


def _flatten(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input start_dim end_dim")
    x = low.tensor(args.get("input"))
    rank = max(len(x.shape), 1)
    start, end = low.dim(args.get("start_dim", 0), rank), low.dim(args.get("end_dim", -1), rank)
    shape = tuple(map(low.resolved, x.shape)) or (ONE,)
    return regrouped(low, x, (*shape[:start], product(shape[start : end + 1]), *shape[end + 1 :]))


def _unflatten(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim sizes")
    x = low.tensor(args.get("input"))
    dim = low.dim(args.get("dim"), len(x.shape))
    given = [None if value == -1 else size_of(low, value) for value in args.get("sizes")]
    return to_shape(low, x, [*x.shape[:dim], *given, *x.shape[dim + 1 :]])


def _squeeze(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim")
    x = low.tensor(args.get("input"))
    dims = low.dims(args.get("dim"), len(x.shape))
    gone = [dim for dim in dims if low.resolved(x.shape[dim]) == ONE]
    return low.without_dims(x, gone)


def _unsqueeze(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim")
    x = low.tensor(args.get("input"))
    return _with_new(low, x, low.dim(args.get("dim"), len(x.shape) + 1))


def _with_new(low: Lowering, x: Value, dim: int) -> Moved:
    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        return [index for place, index in enumerate(at) if place != dim]

    return low.moved(x, (*x.shape[:dim], ONE, *x.shape[dim:]), move, dense=True)


# ---- another order ----


def _permute(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    given = _sizes(node, node.args[1:], "dims")
    if any(type(dim) is not int for dim in given) or len(given) != len(x.shape):
        raise low.refuse("the order of the dimensions is not written out")
    return permuted(low, x, [dim % len(x.shape) for dim in given])


def permuted(low: Lowering, x: Value, order: Sequence[int]) -> Moved:
    """Dimension i of the result is dimension order[i] of x."""

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        back = dict(zip(order, at, strict=True))
        return [back[dim] for dim in range(len(order))]

    return low.moved(x, tuple(x.shape[dim] for dim in order), move)


def _transpose(low: Lowering, node: FxNode, name: str) -> Value:
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
    dims = low.dims(_sizes(node, node.args[1:], "dims"), len(x.shape))

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


# ---- parts ----


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
            value = _with_new(low, value, dim)
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


# ---- more of the same ----


def _expand(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    if name in ("expand_as", "broadcast_to") and isinstance(node.args[1], Ref) and name == "expand_as":
        shape: Shape = low.tensor(node.args[1]).shape
    else:
        given = _sizes(node, node.args[1:], "size")
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
    times = [size_of(low, value) for value in _sizes(node, node.args[1:], "repeats")]
    while len(x.shape) < len(times):
        x = _with_new(low, x, 0)
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
        parts = [_with_new(low, part, dim) for part in parts]
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
        return _transpose(low, node, "mT") if node.args[1] == "mT" or len(x.shape) == 2 else None
    return None


def _size(low: Lowering, node: FxNode, name: str) -> Any:
    args = Arguments(node, "input dim")
    x = low.tensor(args.get("input"))
    shape = tuple(map(low.resolved, x.shape))
    return shape[low.dim(args.get("dim"), len(shape))] if args.has("dim") else shape


def _view_as(low: Lowering, node: FxNode, name: str) -> Value:
    return regrouped(low, low.tensor(node.args[0]), low.tensor(node.args[1]).shape)


_HANDLERS: dict[str, Callable[[Lowering, FxNode, str], Any]] = {
    **dict.fromkeys(("view", "reshape"), _reshape),
    **dict.fromkeys(("view_as", "reshape_as"), _view_as),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims", "t"), _transpose),
    **dict.fromkeys(("chunk", "split", "unsafe_split", "unsafe_chunk", "split_with_sizes"), _split),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _expand),
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), _cat),
    "flatten": _flatten,
    "unflatten": _unflatten,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "permute": _permute,
    "flip": _flip,
    "roll": _roll,
    "getitem": _getitem,
    "select": _select,
    "narrow": _narrow,
    "unbind": _unbind,
    "repeat": _repeat,
    "embedding": _embedding,
    "getattr": _attribute,
    "size": _size,
}
