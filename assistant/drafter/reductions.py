"""Sums, means, extremes, softmax and the normalisations, in terms of formulas and plain reductions."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.dtypes import DType, written
from assistant.drafter.lower import Lowering
from assistant.drafter.pointwise import is_number, number
from assistant.drafter.reshapes import regrouped
from assistant.drafter.sizes import ONE, Index, Size, Space, product
from assistant.drafter.values import Reduce, Value
from graphs.fx_source import FxNode, Symbol

_EPSILON = {"float16": 0.0009765625, "bfloat16": 0.0078125, "float32": 1.1920928955078125e-07,
            "float64": 2.220446049250313e-16}  # fmt: skip


def lower_reduction(low: Lowering, node: FxNode, name: str) -> Value | None:
    """The value of a reduction or normalisation; None when it is none that is known here."""
    handler = _HANDLERS.get(name)
    return None if handler is None else handler(low, node, name)


def reduced(low: Lowering, how: str, x: Value, dims: Sequence[int]) -> Value:
    """Over `dims`, which stay with size 1; in the type that is computed in."""
    if not x.shape:
        return x
    shape = tuple(ONE if place in dims else size for place, size in enumerate(x.shape))
    return Reduce(shape, _computed(x), how, x, tuple(dims))


def count(low: Lowering, x: Value, dims: Sequence[int]) -> str:
    """How many elements are put together, as text of the kernel."""
    return product(low.resolved(x.shape[place]) for place in dims).atom if x.shape else "1"


def _computed(x: Value) -> DType:
    return DType((x.dtype.compute.replace("int1", "bool"),) * len(x.dtype.names))


def _mean(low: Lowering, x: Value, dims: Sequence[int]) -> Value:
    total = reduced(low, "sum", x, dims)
    return low.formula(f"{{0}} / {count(low, x, dims)}", total, dtype=_computed(x), exact=True, name="mean")


def _given_dtype(low: Lowering, value: Any, default: DType) -> DType:
    if value is None:
        return default
    if not isinstance(value, Symbol):
        raise low.refuse("a dtype is not written out")
    return written(value.name.removeprefix("torch."), default)


def _finish(low: Lowering, value: Value, dtype: DType, dims: Sequence[int], keep: bool) -> Value:
    """Rounded to the dtype, and without the reduced dimensions unless they are kept."""
    done = low.formula("{0}", value, dtype=dtype)
    return done if keep or not value.shape else low.without_dims(done, dims)


def _sum_or_mean(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim keepdim dtype")
    x = low.tensor(args.get("input"))
    dims = low.dims(args.get("dim"), len(x.shape))
    keep = args.get("keepdim", False) is True
    if x.dtype.kind != 2 and (name == "mean" or x.dtype.kind == 0 or args.has("dtype")):
        if name == "mean":
            raise low.refuse("the mean of integers is not drafted")
        dtype = _given_dtype(low, args.get("dtype"), written("int64", x.dtype))
        return _finish(low, reduced(low, "sum", low.cast(x, dtype.compute), dims), dtype, dims, keep)
    if x.dtype.kind == 1:
        dtype = written("int64", x.dtype)
        return _finish(low, reduced(low, "sum", low.cast(x, "int64"), dims), dtype, dims, keep)
    dtype = _given_dtype(low, args.get("dtype"), x.dtype)
    x = low.cast(x, dtype.compute)
    value = _mean(low, x, dims) if name == "mean" else reduced(low, "sum", x, dims)
    return _finish(low, value, dtype, dims, keep)


def _extreme(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim keepdim")
    x = low.tensor(args.get("input"))
    if name in ("max", "min") and args.has("dim"):
        if not is_number(args.get("dim")):
            from assistant.drafter.pointwise import lower_pointwise

            pair = lower_pointwise(low, node, f"{name}imum")
            assert pair is not None
            return pair
        raise low.refuse(f"`{name}` with places is not drafted; `a{name}` is")
    if x.dtype.kind != 2:
        raise low.refuse("extremes of integers are not drafted")
    dims = low.dims(args.get("dim"), len(x.shape))
    value = reduced(low, "max" if name in ("amax", "max") else "min", x, dims)
    return _finish(low, value, x.dtype, dims, args.get("keepdim", False) is True)


def _variance(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim unbiased keepdim correction")
    x = low.tensor(args.get("input"))
    dim, unbiased = args.get("dim"), args.get("unbiased", True)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = args.get("correction", 1 if unbiased is not False else 0)
    dims = low.dims(dim, len(x.shape))
    x = low.wide(_floating(low, x))
    centred = low.formula("{0} - {1}", x, _mean(low, x, dims), dtype=_computed(x), exact=True, name="centred")
    squares = low.formula("{0} * {0}", centred, dtype=_computed(x), exact=True, name="squares")
    total = reduced(low, "sum", squares, dims)
    text = f"{{0}} / ({count(low, x, dims)} - {number(correction)})"
    if name == "std":
        text = f"tl.sqrt({text})"
    value = low.formula(text, total, dtype=_computed(x), exact=True)
    return _finish(low, value, low.tensor(args.get("input")).dtype, dims, args.get("keepdim", False) is True)


def _floating(low: Lowering, x: Value) -> Value:
    if x.dtype.kind != 2:
        raise low.refuse("this needs floats")
    return x


def _norm(low: Lowering, node: FxNode, name: str) -> Value:
    names = "input ord dim keepdim dtype" if name == "vector_norm" else "input p dim keepdim dtype"
    args = Arguments(node, names)
    order = args.get("ord" if name == "vector_norm" else "p", 2)
    if order not in (2, 2.0, "fro", None) or args.has("dtype"):
        raise low.refuse("only the Euclidean norm is drafted")
    x = _floating(low, low.tensor(args.get("input")))
    dims = low.dims(args.get("dim"), len(x.shape))
    return _finish(low, _length(low, x, dims), x.dtype, dims, args.get("keepdim", False) is True)


def _length(low: Lowering, x: Value, dims: Sequence[int]) -> Value:
    wide = low.wide(x)
    squares = low.formula("{0} * {0}", wide, dtype=_computed(wide), exact=True, name="squares")
    return low.formula("tl.sqrt({0})", reduced(low, "sum", squares, dims), dtype=_computed(wide), exact=True)


def _normalize(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input p dim eps")
    if args.get("p", 2.0) != 2:
        raise low.refuse("only the Euclidean norm is drafted")
    x = _floating(low, low.tensor(args.get("input")))
    dims = low.dims(args.get("dim", 1), len(x.shape))
    length = low.formula("{0}", _length(low, x, dims), dtype=x.dtype)
    floor = low.formula(f"tl.maximum({{0}}, {number(float(args.get('eps', 1e-12)))})", length, dtype=x.dtype)
    return low.formula("{0} / {1}", x, floor, dtype=x.dtype)


def _softmax(low: Lowering, node: FxNode, name: str) -> Value:
    functional = ".functional." in node.target
    args = Arguments(node, "input dim _stacklevel dtype" if functional else "input dim dtype")
    x = low.tensor(args.get("input"))
    dtype = _given_dtype(low, args.get("dtype"), x.dtype)
    if dtype.kind != 2 or type(args.get("dim")) is not int:
        raise low.refuse("a softmax without a dimension, or of integers, is not drafted")
    x = low.cast(x, dtype.compute)
    dims = low.dims(args.get("dim"), len(x.shape))
    largest = reduced(low, "max", x, dims)
    shifted = low.formula("{0} - {1}", x, largest, dtype=_computed(x), exact=True, name="shifted")
    power = low.formula("tl.exp({0})", shifted, dtype=_computed(x), exact=True, name="power")
    total = reduced(low, "sum", power, dims)
    if name == "log_softmax":
        return low.formula("{0} - tl.log({1})", shifted, total, dtype=dtype)
    return low.formula("{0} / {1}", power, total, dtype=dtype)


def _logsumexp(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input dim keepdim")
    x = _floating(low, low.tensor(args.get("input")))
    dims = low.dims(args.get("dim"), len(x.shape))
    wide = low.wide(x)
    largest = reduced(low, "max", wide, dims)
    power = low.formula("tl.exp({0} - {1})", wide, largest, dtype=_computed(wide), exact=True, name="power")
    total = reduced(low, "sum", power, dims)
    value = low.formula("{0} + tl.log({1})", largest, total, dtype=_computed(wide), exact=True)
    return _finish(low, value, x.dtype, dims, args.get("keepdim", False) is True)


def _standardised(low: Lowering, x: Value, dims: Sequence[int], eps: float) -> Value:
    """(x - mean) / sqrt(variance + eps), not rounded."""
    wide = low.wide(_floating(low, x))
    computed = _computed(wide)
    centred = low.formula("{0} - {1}", wide, _mean(low, wide, dims), dtype=computed, exact=True, name="centred")
    squares = low.formula("{0} * {0}", centred, dtype=computed, exact=True, name="squares")
    variance = _mean(low, squares, dims)
    scale = low.formula(f"1.0 / tl.sqrt({{0}} + {number(eps)})", variance, dtype=computed, exact=True, name="scale")
    return low.formula("{0} * {1}", centred, scale, dtype=computed, exact=True)


def _scaled(low: Lowering, value: Value, weight: Value | None, bias: Value | None, dtype: DType) -> Value:
    """value · weight + bias, rounded once at the end."""
    if weight is None and bias is None:
        return low.formula("{0}", value, dtype=dtype)
    operands = [value, *(low.wide(part) for part in (weight, bias) if part is not None)]
    text = "{0}" if weight is None else "{0} * {1}"
    if bias is not None:
        text += f" + {{{len(operands) - 1}}}"
    return low.formula(text, *operands, dtype=dtype)


def _optional(low: Lowering, args: Arguments, name: str) -> Value | None:
    return low.tensor(args.get(name)) if args.has(name) else None


def _trailing(low: Lowering, args: Arguments, x: Value) -> tuple[int, ...]:
    shape = args.get("normalized_shape")
    length = 1 if type(shape) is int else len(shape)
    return tuple(range(len(x.shape) - length, len(x.shape)))


def _eps(low: Lowering, value: Any) -> float:
    if not is_number(value):
        raise low.refuse("eps is no plain number")
    return float(value)


def _layer_norm(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input normalized_shape weight bias eps cudnn_enable")
    x = low.tensor(args.get("input"))
    value = _standardised(low, x, _trailing(low, args, x), _eps(low, args.get("eps", 1e-5)))
    return _scaled(low, value, _optional(low, args, "weight"), _optional(low, args, "bias"), x.dtype)


def _rms_norm(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input normalized_shape weight eps")
    x = _floating(low, low.tensor(args.get("input")))
    eps = _EPSILON[x.dtype.name] if args.get("eps") is None else _eps(low, args.get("eps"))
    if args.get("eps") is None and len(set(x.dtype.names)) > 1:
        raise low.refuse("the default eps differs between the dtypes of the task's graphs")
    wide = low.wide(x)
    squares = low.formula("{0} * {0}", wide, dtype=_computed(wide), exact=True, name="squares")
    mean = _mean(low, squares, _trailing(low, args, x))
    scale = low.formula(f"1.0 / tl.sqrt({{0}} + {number(eps)})", mean, dtype=_computed(wide), exact=True, name="scale")
    value = low.formula("{0} * {1}", wide, scale, dtype=_computed(wide), exact=True)
    return _scaled(low, value, _optional(low, args, "weight"), None, x.dtype)


def _along_channels(low: Lowering, part: Value | None, rank: int) -> Value | None:
    """A vector over channels, as a tensor of the rank of what it goes with."""
    if part is None:
        return None
    shape = tuple(part.shape[0] if place == 1 else ONE for place in range(rank))

    def move(space: Space, at: Sequence[Index]) -> list[Index]:
        return [at[1]]

    return low.moved(part, shape, move)


def _batch_norm(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input running_mean running_var weight bias training momentum eps")
    if args.get("training", False) is not False:
        raise low.refuse("a batch norm that trains is not drafted")
    x = _floating(low, low.tensor(args.get("input")))
    mean, variance, weight, bias = (
        _along_channels(low, _optional(low, args, key), len(x.shape))
        for key in ("running_mean", "running_var", "weight", "bias")
    )
    if mean is None or variance is None:
        raise low.refuse("a batch norm without statistics is not drafted")
    wide, computed = low.wide(x), _computed(low.wide(x))
    eps = number(_eps(low, args.get("eps", 1e-5)))
    scale = low.formula(f"1.0 / tl.sqrt({{0}} + {eps})", low.wide(variance), dtype=computed, exact=True, name="scale")
    value = low.formula("({0} - {1}) * {2}", wide, low.wide(mean), scale, dtype=computed, exact=True)
    return _scaled(low, value, weight, bias, x.dtype)


def _group_norm(low: Lowering, node: FxNode, name: str) -> Value:
    names = (
        "input num_groups weight bias eps"
        if name == "group_norm"
        else "input running_mean running_var weight bias use_input_stats momentum eps"
    )
    args = Arguments(node, names)
    x = _floating(low, low.tensor(args.get("input")))
    if len(x.shape) < 2:
        raise low.refuse("a group norm needs channels")
    batch, channels, *rest = (low.resolved(size) for size in x.shape)
    if name == "instance_norm":
        if args.get("use_input_stats", True) is not True:
            raise low.refuse("an instance norm with stored statistics is not drafted")
        groups, each = channels, ONE
    else:
        if type(args.get("num_groups")) is not int:
            raise low.refuse("the number of groups is no plain number")
        groups = Size(args.get("num_groups"))
        each = _shared(low, channels, groups)
    inner = regrouped(low, x, (batch, groups, each, *rest))
    value = _standardised(low, inner, tuple(range(2, len(inner.shape))), _eps(low, args.get("eps", 1e-5)))
    parts = []
    for key in ("weight", "bias"):
        part = _optional(low, args, key)
        ones = (ONE,) * len(rest)
        parts.append(None if part is None else regrouped(low, part, (ONE, groups, each, *ones)))
    scaled = _scaled(low, value, parts[0], parts[1], x.dtype)
    return regrouped(low, scaled, x.shape)


def _shared(low: Lowering, channels: Size, groups: Size) -> Size:
    divided = channels.divided(groups)
    if divided is not None:
        return divided
    counts = {count // groups.factor for count in low.facts.of(channels)}
    if any(count % groups.factor for count in low.facts.of(channels)):
        raise low.refuse("the channels do not divide into the groups")
    low.facts.pin(channels)
    if len(counts) != 1:
        raise low.refuse("the number of channels differs between the graphs of the task")
    return Size(counts.pop())


_HANDLERS: dict[str, Callable[[Lowering, FxNode, str], Value]] = {
    **dict.fromkeys(("sum", "mean"), _sum_or_mean),
    **dict.fromkeys(("amax", "amin", "max", "min"), _extreme),
    **dict.fromkeys(("var", "std"), _variance),
    **dict.fromkeys(("norm", "vector_norm"), _norm),
    **dict.fromkeys(("softmax", "log_softmax"), _softmax),
    **dict.fromkeys(("group_norm", "instance_norm"), _group_norm),
    "normalize": _normalize,
    "logsumexp": _logsumexp,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "batch_norm": _batch_norm,
}
