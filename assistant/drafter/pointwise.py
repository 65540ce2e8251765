"""Elementwise operators as formulas of Triton: what eager computes before it rounds."""

from collections.abc import Callable
from typing import Any

from assistant.drafter.call import Arguments
from assistant.drafter.dtypes import DType, with_number, written
from assistant.drafter.lower import Lowering
from assistant.drafter.refusals import NoKernel
from assistant.drafter.values import Formula, Moved, Value
from graphs.fx_source import FxNode, Ref, Symbol

_NAN = "propagate_nan=tl.PropagateNan.ALL"
_ERF = "0.5 * {0} * (1.0 + tl.erf({0} * 0.7071067811865476))"
SIGMOID = "1.0 / (1.0 + tl.exp(-{0}))"
_TANH_GELU_INNER = "0.7978845608028654 * ({0} + 0.044715 * {0} * {0} * {0})"


def tanh_of(x: str) -> str:
    """tanh as eager has it: near −1 a last digit more or less shows once 1 is added in float16."""
    return f"libdevice.tanh({x})"


# Operators of one floating tensor.
UNARY: dict[str, str] = {
    "exp": "tl.exp({0})",
    "exp2": "tl.exp2({0})",
    "log": "tl.log({0})",
    "log2": "tl.log2({0})",
    "sqrt": "tl.sqrt({0})",
    "rsqrt": "1.0 / tl.sqrt({0})",
    "sin": "tl.sin({0})",
    "cos": "tl.cos({0})",
    "erf": "tl.erf({0})",
    "sigmoid": SIGMOID,
    "tanh": tanh_of("{0}"),
    "reciprocal": "1.0 / {0}",
    "silu": "{0} / (1.0 + tl.exp(-{0}))",
    "logsigmoid": "-(tl.maximum(-{0}, 0.0) + tl.log(1.0 + tl.exp(-tl.abs({0}))))",
    "softsign": "{0} / (1.0 + tl.abs({0}))",
    "hardswish": f"{{0}} * tl.minimum(tl.maximum({{0}} + 3.0, 0.0, {_NAN}), 6.0, {_NAN}) / 6.0",
    "hardsigmoid": f"tl.minimum(tl.maximum({{0}} + 3.0, 0.0, {_NAN}), 6.0, {_NAN}) / 6.0",
    "relu6": f"tl.minimum(tl.maximum({{0}}, 0.0, {_NAN}), 6.0, {_NAN})",
}
# Operators that keep an integer an integer.
_KEEPING: dict[str, str] = {
    "neg": "-{0}",
    "negative": "-{0}",
    "abs": "tl.abs({0})",
    "relu": "RELU",
    "square": "{0} * {0}",
    "pos": "{0}",
    "positive": "{0}",
}
_ROUNDING = {"floor": "tl.floor({0})", "ceil": "tl.ceil({0})"}
_COMPARED = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
}  # fmt: skip
_ARITHMETIC = {
    "add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*",
    "div": "/", "divide": "/", "true_divide": "/", "truediv": "/",
}  # fmt: skip
_BITS = {"and": "&", "or": "|", "xor": "^", "logical_and": "&", "logical_or": "|", "logical_xor": "^",
         "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}  # fmt: skip
_TYPES = {"float": "float32", "half": "float16", "bfloat16": "bfloat16", "double": "float64", "long": "int64",
          "int": "int32", "bool": "bool"}  # fmt: skip
IDENTITY = frozenset({"contiguous", "clone", "detach", "requires_grad", "lift_fresh_copy", "alias"})


def number(value: Any) -> str:
    """A Python number as Triton text."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f'float("{value}")'
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def is_number(value: Any) -> bool:
    return type(value) in (int, float, bool)


def lower_pointwise(low: Lowering, node: FxNode, name: str) -> Value | None:
    """The value of an elementwise call; None when it is none that is known here."""
    if name in UNARY:
        x = _only(low, node, "input inplace" if name != "logsigmoid" else "input")
        dtype = with_number(x.dtype, 1.0)
        return low.formula(UNARY[name], low.wide(x), dtype=dtype)
    handler = _HANDLERS.get(name)
    return None if handler is None else handler(low, node, name)


def _only(low: Lowering, node: FxNode, names: str = "input") -> Value:
    return low.tensor(Arguments(node, names).get("input"))


def _float_scalar(value: Any) -> float:
    if not is_number(value):
        raise NoKernel("a parameter is no plain number")
    return float(value)


def _keeping(low: Lowering, node: FxNode, name: str) -> Value:
    x = _only(low, node, "input inplace")
    if x.dtype.kind == 0:
        raise low.refuse(f"`{name}` of booleans is not drafted")
    text = _KEEPING[name]
    if text == "RELU":
        text = f"tl.maximum({{0}}, 0.0, {_NAN})" if x.dtype.kind == 2 else "tl.maximum({0}, 0)"
    return low.formula(text, x, dtype=x.dtype)


def _rounding(low: Lowering, node: FxNode, name: str) -> Value:
    x = _only(low, node)
    return x if x.dtype.kind != 2 else low.formula(_ROUNDING[name], x, dtype=x.dtype)


def pair(low: Lowering, first: Any, second: Any) -> tuple[list[Value | str], DType]:
    """Two operands, tensors or numbers, ready to be put together, and their common dtype."""
    if is_number(first) and is_number(second):
        raise low.refuse("both operands are numbers")
    tensors = [low.tensor(value) for value in (first, second) if not is_number(value)]
    dtype = low.promoted(*tensors)
    for value in (first, second):
        if is_number(value):
            dtype = with_number(dtype, value)
    done: list[Value | str] = []
    for value in (first, second):
        if not is_number(value):
            done.append(low.cast(low.tensor(value), dtype.compute))
        else:
            done.append(number(float(value) if dtype.kind == 2 else value))
    return done, dtype


def joined(low: Lowering, text: str, parts: list[Value | str], dtype: DType, exact: bool = False) -> Formula:
    """A formula whose {0} and {1} may be numbers."""
    operands = [part for part in parts if isinstance(part, Value)]
    places = iter(range(len(operands)))
    words = [f"{{{next(places)}}}" if isinstance(part, Value) else part for part in parts]
    return low.formula(text.format(*words), *operands, dtype=dtype, exact=exact)


def _arithmetic(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input other alpha rounding_mode")
    if args.has("rounding_mode"):
        raise low.refuse("a division that rounds is not drafted")
    sign, alpha = _ARITHMETIC[name], args.get("alpha", 1)
    parts, dtype = pair(low, args.get("input"), args.get("other"))
    if dtype.kind == 0:
        raise low.refuse("arithmetic of booleans is not drafted")
    if sign == "/" and dtype.kind != 2:
        dtype = written("float32", dtype)
        parts = [low.cast(part, "float32") if isinstance(part, Value) else part for part in parts]
    text = f"{{0}} {sign} {{1}}" if alpha == 1 else f"{{0}} {sign} {number(alpha)} * {{1}}"
    return joined(low, text, parts, dtype)


def _rsub(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input other alpha")
    parts, dtype = pair(low, args.get("other"), args.get("input"))
    return joined(low, f"{{0}} - {number(args.get('alpha', 1))} * {{1}}", parts, dtype)


def _compare(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input other")
    parts, dtype = pair(low, args.get("input"), args.get("other"))
    return joined(low, f"({{0}} {_COMPARED[name]} {{1}})", parts, written("bool", dtype), exact=True)


def _bits(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input other")
    first, second = low.tensor(args.get("input")), low.tensor(args.get("other"))
    if name.startswith("logical"):
        first, second = low.cast(first, "int1"), low.cast(second, "int1")
    if first.dtype.kind != 0 or second.dtype.kind != 0:
        raise low.refuse("bits of integers are not drafted")
    return low.formula(f"({{0}} {_BITS[name]} {{1}})", first, second, dtype=written("bool", first.dtype), exact=True)


def _not(low: Lowering, node: FxNode, name: str) -> Value:
    x = _only(low, node)
    if name in ("invert", "bitwise_not") and x.dtype.kind != 0:
        raise low.refuse("bits of integers are not drafted")
    return low.formula("({0} == 0)", x, dtype=written("bool", x.dtype), exact=True)


def _extreme(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input other")
    parts, dtype = pair(low, args.get("input"), args.get("other"))
    return joined(low, f"tl.{name}({{0}}, {{1}}{', ' + _NAN if dtype.kind == 2 else ''})", parts, dtype)


def clamped(low: Lowering, x: Value, low_end: Any, high_end: Any) -> Value:
    """x between two numbers, either of which may be None."""
    if x.dtype.kind != 2 and any(type(end) is float for end in (low_end, high_end)):
        raise low.refuse("integers clamped to a fraction are not drafted")
    nan = f", {_NAN}" if x.dtype.kind == 2 else ""
    text = "{0}"
    for end, function in ((low_end, "maximum"), (high_end, "minimum")):
        if end is not None:
            if not is_number(end):
                raise low.refuse("limits that are tensors are not drafted")
            text = f"tl.{function}({text}, {number(float(end) if x.dtype.kind == 2 else end)}{nan})"
    return low.formula(text, x, dtype=x.dtype)


def _clamp(low: Lowering, node: FxNode, name: str) -> Value:
    names = {"clamp_min": "input min", "clamp_max": "input max", "hardtanh": "input min_val max_val inplace"}
    args = Arguments(node, names.get(name, "input min max"))
    x = low.tensor(args.get("input"))
    if name == "hardtanh":
        return clamped(low, x, args.get("min_val", -1.0), args.get("max_val", 1.0))
    return clamped(low, x, args.get("min"), args.get("max"))


def _pow(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input exponent")
    power = args.get("exponent")
    if not is_number(power) or is_number(args.get("input")):
        raise low.refuse("a power that is a tensor is not drafted")
    x = low.tensor(args.get("input"))
    dtype = with_number(x.dtype, power)
    if dtype.kind != 2:
        raise low.refuse("powers of integers are not drafted")
    x = low.cast(x, dtype.compute)
    if power == 3:  # eager multiplies twice; on the CPU it rounds in between in bfloat16, but not in float16
        once = "float16" in dtype.names and "bfloat16" not in dtype.names
        squared = low.formula("{0} * {0}", x, dtype=dtype, exact=once)
        return low.formula("{0} * {1}", squared, x, dtype=dtype)
    texts = {
        0.5: "tl.sqrt({0})", 1: "{0}", 2: "{0} * {0}", -1: "1.0 / {0}", -2: "1.0 / ({0} * {0})",
        -0.5: "1.0 / tl.sqrt({0})", 4: "({0} * {0}) * ({0} * {0})",
    }  # fmt: skip
    if power not in texts:
        raise low.refuse(f"the power {power} is not drafted")
    return low.formula(texts[power], x, dtype=dtype)


def _gelu(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input approximate")
    x = low.tensor(args.get("input"))
    if args.get("approximate", "none") == "tanh":
        return low.formula(f"0.5 * {{0}} * (1.0 + {tanh_of(_TANH_GELU_INNER)})", x, dtype=x.dtype)
    return low.formula(_ERF, x, dtype=x.dtype)


def _leaky_relu(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input negative_slope inplace")
    x = low.tensor(args.get("input"))
    slope = number(_float_scalar(args.get("negative_slope", 0.01)))
    return low.formula(f"tl.where({{0}} > 0.0, {{0}}, {{0}} * {slope})", x, dtype=x.dtype)


def _elu(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input alpha inplace")
    x = low.tensor(args.get("input"))
    alpha = number(_float_scalar(args.get("alpha", 1.0)))
    return low.formula(f"tl.where({{0}} > 0.0, {{0}}, {alpha} * (tl.exp({{0}}) - 1.0))", x, dtype=x.dtype)


def _softplus(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input beta threshold")
    x = low.tensor(args.get("input"))
    beta, limit = _float_scalar(args.get("beta", 1)), _float_scalar(args.get("threshold", 20))
    scaled = f"{{0}} * {number(beta)}"
    soft = f"tl.log(1.0 + tl.exp({scaled})) / {number(beta)}"
    return low.formula(f"tl.where({scaled} > {number(limit)}, {{0}}, {soft})", x, dtype=x.dtype)


def _mish(low: Lowering, node: FxNode, name: str) -> Value:
    x = _only(low, node, "input inplace")
    soft = "tl.where({0} > 20.0, {0}, tl.log(1.0 + tl.exp({0})))"
    return low.formula(f"{{0}} * {tanh_of(soft)}", x, dtype=x.dtype)


def _where(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "condition input other")
    if not args.has("other"):
        raise low.refuse("`where` with a condition alone is not drafted")
    return chosen(low, low.tensor(args.get("condition")), args.get("input"), args.get("other"))


def chosen(low: Lowering, condition: Value, first: Any, second: Any) -> Value:
    """`first` where the condition holds, else `second`."""
    if is_number(first) and is_number(second):
        raise low.refuse("a choice between two numbers is not drafted")
    parts, dtype = pair(low, first, second)
    return joined(low, "tl.where({0}, {1}, {2})", [low.cast(condition, "int1"), *parts], dtype)


def _masked_fill(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input mask value")
    x, value = low.tensor(args.get("input")), args.get("value")
    if not is_number(value):
        raise low.refuse("filling with a tensor's value is not drafted")
    parts: list[Value | str] = [low.cast(low.tensor(args.get("mask")), "int1"), number(value), x]
    if x.dtype.kind == 2:
        parts[1] = number(float(value))
    return joined(low, "tl.where({0}, {1}, {2})", parts, x.dtype)


def converted(low: Lowering, x: Value, dtype: DType) -> Value:
    """The tensor in another dtype."""
    if dtype.names == x.dtype.names:
        return x
    if x.dtype.kind == 2 and dtype.kind == 1:
        raise low.refuse("floats made integers are not drafted")
    value = low.cast(x, dtype.compute)
    return low.formula("{0}", value, dtype=dtype)


def _to(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    dtype: DType | None = None
    for value in (*node.args[1:], *(value for key, value in node.kwargs if key in ("dtype", "other"))):
        if isinstance(value, Symbol) and value.name.startswith("torch."):
            dtype = written(value.name.removeprefix("torch."), x.dtype)
        elif isinstance(value, Ref):
            dtype = low.tensor(value).dtype
        elif isinstance(value, str) or (not isinstance(value, bool) and value is not None):
            raise low.refuse("moving to another device is not drafted")
    if any(key not in ("dtype", "copy", "non_blocking", "other") for key, _ in node.kwargs):
        raise low.refuse("this conversion is not drafted")
    return x if dtype is None else converted(low, x, dtype)


def _typed(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    return converted(low, x, written(_TYPES[name], x.dtype))


def _identity(low: Lowering, node: FxNode, name: str) -> Value:
    x = low.tensor(node.args[0])
    if name == "clone" or (name == "contiguous" and _is_out_of_order(x)):
        return Formula(x.shape, x.dtype, "{0}", (x,), True)  # memory of its own
    return x


def _is_out_of_order(x: Value) -> bool:
    while isinstance(x, Moved):
        if not x.dense:
            return True
        x = x.operand
    return False


def _dropout(low: Lowering, node: FxNode, name: str) -> Value:
    functional = ".functional." in node.target
    args = Arguments(node, "input p training inplace" if functional else "input p train")
    training = args.get("training", True) if functional else args.get("train", True)
    if training is not False and args.get("p", 0.5) != 0:
        raise low.refuse("a dropout that draws random numbers is not drafted")
    return low.tensor(args.get("input"))


def _addc(low: Lowering, node: FxNode, name: str) -> Value:
    args = Arguments(node, "input tensor1 tensor2 value")
    values = [low.tensor(args.get(key)) for key in ("input", "tensor1", "tensor2")]
    dtype = low.promoted(*values)
    if dtype.kind != 2:
        raise low.refuse("`addcmul` of integers is not drafted")
    sign = "*" if name == "addcmul" else "/"
    text = f"{{0}} + {number(float(args.get('value', 1)))} * ({{1}} {sign} {{2}})"
    return low.formula(text, *(low.cast(value, dtype.compute) for value in values), dtype=dtype)


_HANDLERS: dict[str, Callable[[Lowering, FxNode, str], Value]] = {
    **dict.fromkeys(_KEEPING, _keeping),
    **dict.fromkeys(_ROUNDING, _rounding),
    **dict.fromkeys(_COMPARED, _compare),
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(_BITS, _bits),
    **dict.fromkeys(("logical_not", "invert", "bitwise_not"), _not),
    **dict.fromkeys(("maximum", "minimum"), _extreme),
    **dict.fromkeys(("clamp", "clip", "clamp_min", "clamp_max", "hardtanh"), _clamp),
    **dict.fromkeys(_TYPES, _typed),
    **dict.fromkeys(IDENTITY, _identity),
    **dict.fromkeys(("addcmul", "addcdiv"), _addc),
    "to": _to,
    "type": _to,
    "type_as": _to,
    "rsub": _rsub,
    "pow": _pow,
    "gelu": _gelu,
    "leaky_relu": _leaky_relu,
    "elu": _elu,
    "softplus": _softplus,
    "mish": _mish,
    "where": _where,
    "masked_fill": _masked_fill,
    "dropout": _dropout,
}
