"""Which parameters an operator takes: from operator schemas, Python signatures, or a table where both mislead.

torch's builtins have no Python signature, only schemas (several for one name); `torch.nn.functional` has signatures
but no schemas; a few calls (`Tensor.to`, `torch.arange`, `torch.tensor`) are parsed by rules of their own. All three
end here as plain `Signature` values, so that everything above compares calls by parameter name.
"""

import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import torch
from torch.jit._builtins import _find_builtin

Kind = Literal[
    "tensor", "tensors", "ints", "int", "float", "bool", "number", "dtype", "device", "layout", "memory_format", "str",
    "index", "any",
]  # fmt: skip


class Missing:
    """Stands for an argument that was not given and has no default."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()


@dataclass(frozen=True)
class Param:
    """One parameter. `length` is n of a schema's `int[n]`, where one int stands for n equal ones."""

    name: str
    kind: Kind = "any"
    default: Any = MISSING
    length: int | None = None
    keyword_only: bool = False
    variadic: bool = False  # takes the rest of the positional arguments
    viewed: bool = False  # the result may share memory with it
    written: bool = False  # changed in place


@dataclass(frozen=True)
class Signature:
    """One way to call an operator. `rearrange` completes positional arguments where the first ones are optional.

    `gives_new_tensors`: the result is several tensors, each in memory of its own (`topk`, not `split`).
    """

    params: tuple[Param, ...]
    rearrange: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None
    gives_new_tensors: bool = False

    @cached_property
    def positional(self) -> tuple[Param, ...]:
        """Parameters that may be given by position."""
        return tuple(param for param in self.params if not param.keyword_only)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(param.name for param in self.params)


@dataclass(frozen=True)
class Operator:
    """What a node calls: `kind` is function, method, attribute, module, get_attr; target is a callable or a name."""

    kind: str
    target: Any

    @property
    def name(self) -> str:
        """The last part of its name: "sum" for torch.sum and for the method sum."""
        if isinstance(self.target, str):
            return self.target
        return str(getattr(self.target, "__name__", self.target))


_ENUMS: dict[str, tuple[Any, ...]] = {
    "memory_format": (torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d),
    "layout": (torch.strided,),
}
_FACTORY = {"dtype", "layout", "device", "pin_memory"}

BINARY_OPERATORS = frozenset({
    operator.add, operator.sub, operator.mul, operator.matmul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.eq,
    operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.is_, operator.is_not,
})  # fmt: skip
IN_PLACE_OPERATORS: dict[Any, Any] = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
    operator.imatmul: operator.matmul, operator.itruediv: operator.truediv, operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod, operator.ipow: operator.pow, operator.iand: operator.and_,
    operator.ior: operator.or_, operator.ixor: operator.xor, operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
}  # fmt: skip
_UNARY_OPERATORS = (operator.neg, operator.pos, operator.invert, operator.not_, operator.abs, operator.index)


@lru_cache(maxsize=4096)
def signatures(op: Operator) -> tuple[Signature, ...]:
    """The ways to call an operator, likeliest first; empty when nothing is known (then calls compare as written)."""
    if op.kind == "method":
        return _method_signatures(op.target)
    if op.kind == "function":
        return _function_signatures(op.target)
    return ()


def _function_signatures(target: Any) -> tuple[Signature, ...]:
    if target in _TABLE:
        return _TABLE[target]
    if isinstance(target, torch._ops.OpOverload):
        return (_from_schema(target._schema),)
    if isinstance(target, torch._ops.OpOverloadPacket):
        return tuple(_from_schema(getattr(target, name)._schema) for name in target.overloads())
    python = _python_signature(target)
    if python is not None:
        return (python,)
    name = _find_builtin(target)
    return _schemas(name) if name else ()


def _method_signatures(name: str) -> tuple[Signature, ...]:
    if name in _METHODS:
        return _METHODS[name]
    method = getattr(torch.Tensor, name, None)
    if inspect.isfunction(method):
        python = _python_signature(method)
        if python is not None:
            return (_with_views(python, name),)
    return tuple(_gathering(signature) for signature in _schemas(f"aten::{name}") if signature.params)


def _schemas(name: str) -> tuple[Signature, ...]:
    """Signatures from the schemas of a name, those on tensors only (names also cover ints, strings and lists)."""
    found = []
    for schema in torch._C._jit_get_schemas_for_operator(name):
        kinds = [str(value.type) for value in (*schema.arguments, *schema.returns)]
        if any("Tensor" in kind for kind in kinds):
            found.append(_from_schema(schema))
    return tuple(found)


def _from_schema(schema: Any) -> Signature:
    params = tuple(_schema_param(argument) for argument in schema.arguments)
    if {param.name for param in params} >= _FACTORY:  # Python adds this one itself
        params = (*params, Param("requires_grad", "bool", False, keyword_only=True))
    returns = schema.returns
    separate = len(returns) > 1 and all(str(one.type) == "Tensor" and one.alias_info is None for one in returns)
    signature = Signature(params, gives_new_tensors=separate)
    return _gathering(signature) if params and params[0].kind == "ints" else signature


def _schema_param(argument: Any) -> Param:
    kind = _schema_kind(str(getattr(argument, "real_type", argument.type)))
    default = argument.default_value if argument.has_default_value() else MISSING
    if kind in _ENUMS and type(default) is int:
        default = _ENUMS[kind][default] if default < len(_ENUMS[kind]) else default
    alias = argument.alias_info
    return Param(
        argument.name,
        kind,
        default,
        length=argument.N,
        keyword_only=argument.kwarg_only,
        viewed=alias is not None,
        written=alias is not None and alias.is_write,
    )


def _schema_kind(text: str) -> Kind:
    text = text.removeprefix("Optional[").removesuffix("]") if text.startswith("Optional[") else text
    return _SCHEMA_KINDS.get(text.replace("SymInt", "int"), "any")


_SCHEMA_KINDS: dict[str, Kind] = {
    "Tensor": "tensor", "List[Tensor]": "tensors", "List[Optional[Tensor]]": "tensors", "List[int]": "ints",
    "int": "int", "float": "float", "bool": "bool", "number": "number", "Scalar": "number", "ScalarType": "dtype",
    "Device": "device", "Layout": "layout", "MemoryFormat": "memory_format", "str": "str",
}  # fmt: skip


def _python_signature(target: Any) -> Signature | None:
    """From inspect; None for builtins and for `(*args, **kwargs)`, which says nothing."""
    dispatched = torch._jit_internal.boolean_dispatched.get(target) if callable(target) else None
    if dispatched is not None:  # F.max_pool2d and others choose between two functions by a flag
        target = dispatched["if_false"]
    try:
        found = inspect.signature(target)
    except (ValueError, TypeError):
        return None
    values = list(found.parameters.values())
    if not values or (values[0].kind is inspect.Parameter.VAR_POSITIONAL and len(values) == 1):
        return None
    name = getattr(target, "__name__", "")
    params = []
    for value in values:
        if value.kind is inspect.Parameter.VAR_KEYWORD:
            return None
        kind, length = _annotated_kind(value, name)
        params.append(
            Param(
                value.name,
                kind,
                MISSING if value.default is inspect.Parameter.empty else value.default,
                length,
                keyword_only=value.kind is inspect.Parameter.KEYWORD_ONLY,
                variadic=value.kind is inspect.Parameter.VAR_POSITIONAL,
            )
        )
    return Signature(tuple(params))


def _annotated_kind(value: inspect.Parameter, function: str) -> tuple[Kind, int | None]:
    annotation = value.annotation
    if annotation in (None, type(None)):  # BroadcastingList2[int] evaluates to None
        return "ints", next((int(letter) for letter in function if letter in "123"), 2)  # fold and unfold: 2
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    text = str(annotation) if "|" in str(annotation) or "[" in str(annotation) else text
    parts = {part.strip() for part in text.replace("Optional[", "").split("|")} - {"None"}
    if len(parts) == 1:
        only = parts.pop()
        if only in ("float", "bool", "str"):
            return only, None  # type: ignore[return-value]
        if only in ("list[int]", "List[int]"):
            return "ints", None
        if only.endswith("Tensor"):
            return "tensor", None
    return "any", None


def _gathering(signature: Signature) -> Signature:
    """`x.view(1, 2)` is `x.view((1, 2))`: torch gathers ints where a list of them is the only positional parameter."""
    rest = [param for param in signature.positional if param.name != "self"]
    if len(rest) != 1 or rest[0].kind not in ("ints", "tensors") or rest[0].length is not None:
        return signature
    gathered = replace(rest[0], variadic=True)
    return replace(signature, params=tuple(gathered if param is rest[0] else param for param in signature.params))


def _with_views(signature: Signature, name: str) -> Signature:
    """Python methods (`split`, `unflatten`) carry no alias information: take that of the operator's schemas."""
    viewed = any(found.params and found.params[0].viewed for found in _schemas(f"aten::{name}"))
    first, *rest = signature.params
    return replace(signature, params=(replace(first, viewed=viewed), *rest))


def _params(*params: Param | str) -> tuple[Param, ...]:
    return tuple(Param(param) if isinstance(param, str) else param for param in params)


def _key(name: str, kind: Kind, default: Any) -> Param:
    return Param(name, kind, default, keyword_only=True)


_LEFT_RIGHT = (Signature(_params("left operand", "right operand")),)
_OPERAND = (Signature(_params("operand")),)
_TENSOR_OPTIONS = (
    _key("dtype", "dtype", None),
    _key("layout", "layout", torch.strided),
    _key("device", "device", None),
    _key("pin_memory", "bool", False),
    _key("requires_grad", "bool", False),
)
_TABLE: dict[Any, tuple[Signature, ...]] = {
    **dict.fromkeys(BINARY_OPERATORS, _LEFT_RIGHT),
    **dict.fromkeys(_UNARY_OPERATORS, _OPERAND),
    operator.getitem: (Signature((Param("value", viewed=True), Param("index", "index"))),),
    operator.setitem: (Signature((Param("value", written=True), Param("index", "index"), Param("new value"))),),
    torch.arange: (
        Signature(
            (Param("start", default=0), Param("end"), Param("step", default=1), *_TENSOR_OPTIONS),
            rearrange=lambda args: (0, *args) if len(args) == 1 else args,
        ),
    ),
    torch.tensor: (
        Signature(
            (
                Param("data"),
                _key("dtype", "dtype", None),
                _key("device", "device", None),
                _key("requires_grad", "bool", False),
                _key("pin_memory", "bool", False),
            )
        ),
    ),
    torch.as_tensor: (
        Signature((Param("data", viewed=True), Param("dtype", "dtype", None), Param("device", "device", None))),
    ),
    torch.einsum: (Signature((Param("equation", "str"), Param("operands", "tensors", variadic=True))),),
    torch.split: (
        Signature((Param("tensor", "tensor", viewed=True), Param("split_size_or_sections"), Param("dim", "int", 0))),
    ),
}
_SELF = Param("self", "tensor", viewed=True)
_COPY = (
    Param("non_blocking", "bool", False),
    Param("copy", "bool", False),
    _key("memory_format", "memory_format", torch.preserve_format),
)
_METHODS: dict[str, tuple[Signature, ...]] = {
    "to": (
        Signature((_SELF, Param("dtype", "dtype"), *_COPY)),
        Signature((_SELF, Param("device", "device", None), Param("dtype", "dtype", None), *_COPY)),
        Signature((_SELF, Param("other", "tensor"), *_COPY)),
    ),
    "type": (Signature((_SELF, Param("dtype", default=None), Param("non_blocking", "bool", False))),),
    **{
        name: (Signature((_SELF, Param("memory_format", "memory_format", torch.preserve_format))),)
        for name in ("float", "double", "half", "bfloat16", "long", "int", "short", "char", "byte", "bool", "cfloat")
    },
    "cpu": (Signature((_SELF, Param("memory_format", "memory_format", torch.preserve_format))),),
    "cuda": (
        Signature(
            (
                _SELF,
                Param("device", "device", None),
                Param("non_blocking", "bool", False),
                Param("memory_format", "memory_format", torch.preserve_format),
            )
        ),
    ),
}
