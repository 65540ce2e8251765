"""One form for every way to write a call, and what it means that two calls are equal.

`torch.sum(x, 1)`, `torch.sum(x, dim=1)`, `torch.sum(input=x, dim=(1,), keepdim=False)` are one call. Arguments are
bound to the parameters of the *graph's* call, because only that one is concrete: a pattern's placeholder could stand
for a tensor, a number or a list and so does not tell which of several schemas is meant. They keep the values that were
written, and are compared by what the parameter makes of them (`int[1]`: 1 is (1,); `float`: 1 is 1.0).
"""

import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from evaluator.engine.signatures import (
    IN_PLACE_OPERATORS,
    MISSING,
    Kind,
    Operator,
    Param,
    Signature,
    signatures,
)

_ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "input": "self", "x2": "other"}
_POOL_STRIDES = {"stride": "kernel_size"}  # what an omitted (None or []) stride of a pooling means


def operator_of(node: Node) -> Operator | None:
    """What a node calls; None for placeholders and output.

    `x += y` counts as `x + y`: torch.fx's own tracer records both as `add`, so that a published pass that says `+=`
    means either, while Dynamo's graphs (and model.py) hold `iadd`. Whether the two may stand for one another here is a
    question of who else sees the changed tensor; `memory.py` answers it for each match.
    """
    if node.op == "call_method":
        return Operator("method", node.target)
    if node.op == "call_function":
        if node.target is getattr:
            return Operator("attribute", node.args[1])
        target = getattr(node.target, "launcher", node.target)  # a leaf that an earlier pass put in
        return Operator("function", IN_PLACE_OPERATORS.get(target, target) if _hashable(target) else target)
    if node.op in ("call_module", "get_attr"):
        return Operator(node.op.removeprefix("call_"), node.target)
    return None


@dataclass(frozen=True)
class Slot:
    """One argument of a pattern's call beside that of the graph's call."""

    name: str
    kind: Kind
    pattern: Any
    graph: Any
    length: int | None = None  # of the parameter, see Param


@dataclass(frozen=True)
class Bound:
    """A call's arguments by parameter, defaults filled in, values as they were written."""

    signature: Signature
    values: Mapping[str, Any]


def bind_concrete(node: Node) -> Bound | None:
    """Bind a graph's call to the first signature that takes these arguments; None: compare it as written."""
    op = operator_of(node)
    candidates = [] if op is None else [bound for s in signatures(op) if (bound := bind(node, s)) is not None]
    for bound in candidates:
        if all(_fits(param, bound.values[param.name]) for param in bound.signature.params):
            return bound
    return candidates[0] if candidates else None


def bind(node: Node, signature: Signature) -> Bound | None:
    """Bind a call to a signature, or None when their parameters do not agree."""
    args = tuple(node.args)
    if signature.rearrange is not None:
        args = signature.rearrange(args)
    values: dict[str, Any] = {}
    taken = 0
    for param in signature.positional[: len(args)]:
        if param.variadic:
            rest = args[taken:]
            values[param.name] = rest[0] if len(rest) == 1 else rest
            taken = len(args)
        else:
            values[param.name] = args[taken]
            taken += 1
    if taken < len(args):
        return None
    for key, value in node.kwargs.items():
        name = key if key in signature.names else _renamed(key, signature)
        if name not in signature.names or name in values:
            return None
        values[name] = value
    for param in signature.params:
        if param.name not in values:
            if param.default is MISSING:
                return None
            values[param.name] = param.default
    for name, source in _POOL_STRIDES.items():
        if name in values and source in values and values[name] in (None, [], ()):
            values[name] = values[source]
    return Bound(signature, values)


def _renamed(key: str, signature: Signature) -> str | None:
    """Python's names for the first parameters (`input`, NumPy's `axis`) are not those of the schemas."""
    name = _ALIASES.get(key)
    if name == "self" and signature.params and signature.params[0].name in ("self", "input"):
        return signature.params[0].name
    return name


def slots(pattern: Node, graph: Node, pattern_bound: Bound | None, graph_bound: Bound | None) -> list[Slot]:
    """The arguments of two calls of the same operator side by side.

    `graph_bound` is what `bind_concrete` said about the graph's node, `pattern_bound` the pattern's call bound to the
    same signature. Without them the calls are compared as they are written; an argument that one side does not have is
    MISSING there.
    """
    if graph_bound is not None and pattern_bound is not None:
        return [
            Slot(
                param.name,
                param.kind,
                pattern_bound.values[param.name],
                graph_bound.values[param.name],
                param.length,
            )
            for param in graph_bound.signature.params
        ]
    return _as_written(pattern, graph)


def _as_written(pattern: Node, graph: Node) -> list[Slot]:
    count = max(len(pattern.args), len(graph.args))
    found = [
        Slot(f"argument {index + 1}", "any", _item(pattern.args, index), _item(graph.args, index))
        for index in range(count)
    ]
    for name in {**pattern.kwargs, **graph.kwargs}:
        found.append(Slot(name, "any", pattern.kwargs.get(name, MISSING), graph.kwargs.get(name, MISSING)))
    return found


def _item(values: tuple[Any, ...], index: int) -> Any:
    return values[index] if index < len(values) else MISSING


def leaves(slot: Slot) -> Iterator[tuple[Any, Any]]:
    """Pairs of values of a slot that have to agree one by one: (of the pattern, of the graph).

    Lists and tuples are taken apart where both sides hold them; a pair that can not agree comes out as it is.
    """
    pattern, graph = slot.pattern, slot.graph
    if slot.kind == "ints" and not isinstance(pattern, Node) and not isinstance(graph, Node):
        pattern, graph = _as_list(pattern, slot.length or 1), _as_list(graph, slot.length or 1)
    return _leaves(slot.kind, pattern, graph)


def _leaves(kind: Kind, pattern: Any, graph: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(pattern, Node) or pattern is MISSING or graph is MISSING:
        yield pattern, graph
        return
    if kind == "index":
        yield from _index_leaves(_bare(pattern), _bare(graph))
        return
    if isinstance(pattern, slice) and isinstance(graph, slice):
        for one, other in zip(_slice_parts(pattern), _slice_parts(graph), strict=True):
            yield from _leaves("any", one, other)
    elif isinstance(pattern, (list, tuple)) and isinstance(graph, (list, tuple)) and len(pattern) == len(graph):
        for one, other in zip(pattern, graph, strict=True):
            yield from _leaves("int" if kind == "ints" else "any", one, other)
    elif isinstance(pattern, dict) and isinstance(graph, dict) and pattern.keys() == graph.keys():
        for name, one in pattern.items():
            yield from _leaves("any", one, graph[name])
    elif isinstance(graph, Node):
        yield pattern, graph
    else:
        yield _converted(kind, pattern), _converted(kind, graph)


def _index_leaves(pattern: Any, graph: Any) -> Iterator[tuple[Any, Any]]:
    """In a subscript a list gathers and a tuple takes one index for each dimension: not the same."""
    if isinstance(pattern, tuple) and isinstance(graph, tuple) and len(pattern) == len(graph):
        for one, other in zip(pattern, graph, strict=True):
            yield from _index_leaves(one, other)
    elif isinstance(pattern, (list, tuple)) and isinstance(pattern, list) != isinstance(graph, list):
        yield pattern, MISSING
    else:
        yield from _leaves("any", pattern, graph)


def _bare(index: Any) -> Any:
    """x[(i,)] is x[i]."""
    return index[0] if isinstance(index, tuple) and len(index) == 1 else index


def _slice_parts(value: slice) -> tuple[Any, Any, Any]:
    """x[0:n:1] is x[:n]: with a positive step, which torch demands, the omitted start is 0."""
    return (
        None if type(value.start) is int and value.start == 0 else value.start,
        value.stop,
        None if type(value.step) is int and value.step == 1 else value.step,
    )


def _as_list(value: Any, length: int) -> Any:
    """`int[2]` takes 1 or (1,) for (1, 1), `int[1]` and `int[]` take 1 for (1,)."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,) * length
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return tuple(value) * length
    return value


def _converted(kind: Kind, value: Any) -> Any:
    """What an operator makes of a constant before it uses it."""
    if kind == "float" and type(value) is int:
        return float(value)
    if kind == "memory_format" and value is None:
        return torch.preserve_format
    if kind == "device" and isinstance(value, (str, int)) and not isinstance(value, bool):
        try:
            value = torch.device(value)
        except RuntimeError:
            return value
    if kind in ("dtype", "any") and isinstance(value, type):
        return _PYTHON_DTYPES.get(value, value)
    if isinstance(value, torch.device):
        return torch.device(value.type, value.index or 0) if value.type == "cuda" else torch.device(value.type)
    return value


_PYTHON_DTYPES = {float: torch.float64, int: torch.int64, bool: torch.bool, complex: torch.complex128}


def same_constant(one: Any, other: Any) -> bool:
    """Whether two constants are equal: same type, same value.

    1, 1.0 and True are three constants: on a tensor of integers `x * 1.0` gives floats and `x * 1` does not, and which
    tensors a graph will see is not written in it. Where an operator turns its argument into a float whatever it is
    (`eps`, `p`), `leaves` has done so before. nan equals nan; 0.0 and -0.0 differ, since 1 / x tells them apart.
    """
    if isinstance(one, Node) or isinstance(other, Node) or one is MISSING or other is MISSING:
        return one is other
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_constant, one, other))
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        if math.isnan(one):
            return math.isnan(other)
        return one == other and math.copysign(1.0, one) == math.copysign(1.0, other)
    if isinstance(one, slice):
        return all(map(same_constant, _slice_parts(one), _slice_parts(other)))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_constant(one[key], other[key]) for key in one)
    return bool(one == other)


def same_value(one: Any, other: Any) -> bool:
    """Like same_constant for values that may hold nodes: those have to be the same nodes."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_value, one, other))
    return one is other if isinstance(one, Node) or isinstance(other, Node) else same_constant(one, other)


def _fits(param: Param, value: Any) -> bool:
    """Whether a concrete argument can be meant for a parameter. A node may hold anything."""
    if isinstance(value, Node):
        return param.kind not in ("str", "bool", "layout", "memory_format")
    if value is None:
        return param.default is None or param.kind == "any"
    match param.kind:
        case "tensor":
            return False  # numbers fit where no other signature takes them
        case "tensors":
            return isinstance(value, (list, tuple))
        case "ints":
            return isinstance(value, (int, list, tuple)) and not isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float" | "number":
            return isinstance(value, (int, float, complex))
        case "bool":
            return isinstance(value, (bool, int))
        case "dtype":
            return isinstance(value, (torch.dtype, type))
        case "device":
            return isinstance(value, (torch.device, str, int))
        case "str":
            return isinstance(value, str)
    return True


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# Operators whose two tensor operands may change places without any difference in any bit.
_COMMUTATIVE = {
    operator.add, operator.mul, operator.and_, operator.or_, operator.xor, operator.eq, operator.ne, torch.add,
    torch.mul, torch.multiply, torch.maximum, torch.minimum, torch.eq, torch.ne, torch.logical_and, torch.logical_or,
    torch.logical_xor, torch.bitwise_and, torch.bitwise_or, torch.bitwise_xor,
    "add", "mul", "multiply", "maximum", "minimum", "eq", "ne", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor",
}  # fmt: skip


def commutes(pattern: Node, graph: Node) -> bool:
    """Whether the first two operands of this call may be swapped (in-place forms and a scaled `add` may not)."""
    op = operator_of(graph)
    in_place = any(_hashable(node.target) and node.target in IN_PLACE_OPERATORS for node in (pattern, graph))
    if op is None or in_place or not _hashable(op.target) or op.target not in _COMMUTATIVE:
        return False
    return all(node.kwargs.get("alpha", 1) == 1 and len(node.args) == 2 for node in (pattern, graph))
