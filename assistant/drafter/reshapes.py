"""The same elements in the same order, in another shape."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.lower import Lowering
from assistant.drafter.sizes import ONE, Index, Size, Space, product
from assistant.drafter.values import Moved, Value
from graphs.fx_source import FxNode, Ref

Vector = tuple[int, ...]


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


def sizes_given(node: FxNode, args: Sequence[Any], key: str) -> Sequence[Any]:
    """`view(1, 2)`, `view((1, 2))` and `reshape(x, shape=(1, 2))`."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return args[0]
    given = dict(node.kwargs).get(key)
    return given if given is not None else args


def _reshape(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    given = sizes_given(node, node.args[1:], "size" if name == "view" else "shape")
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
    return with_new(low, x, low.dim(args.get("dim"), len(x.shape) + 1))


def with_new(low: Lowering, x: Value, dim: int) -> Moved:
    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        return [index for place, index in enumerate(at) if place != dim]

    return low.moved(x, (*x.shape[:dim], ONE, *x.shape[dim:]), move, dense=True)


def _view_as(low: Lowering, node: FxNode, name: str) -> Value:
    return regrouped(low, low.tensor(node.args[0]), low.tensor(node.args[1]).shape)


RESHAPES: dict[str, Callable[[Lowering, FxNode, str], Any]] = {
    **dict.fromkeys(("view", "reshape"), _reshape),
    **dict.fromkeys(("view_as", "reshape_as"), _view_as),
    "flatten": _flatten,
    "unflatten": _unflatten,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
}
