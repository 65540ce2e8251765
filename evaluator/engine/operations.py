"""Which names of a dataset's graph are operations, and what they stand for. Nothing else can be called.

A dataset can come from anyone, so a dotted name is never followed attribute by attribute (`torch.os.system`,
`torch.hub.load`, `x.__class__`): each namespace is listed, and in each only functions on tensors are taken.
"""

import builtins
import inspect
import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
from torch.jit._builtins import _find_builtin
from torch.overrides import get_overridable_functions

_FACTORIES = frozenset({
    "arange", "as_tensor", "bartlett_window", "blackman_window", "empty", "empty_permuted", "empty_strided", "eye",
    "full", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "normal", "ones", "rand",
    "randint", "randn", "randperm", "range", "scalar_tensor", "sparse_coo_tensor", "tensor", "tril_indices",
    "triu_indices", "zeros",
})  # fmt: skip
_OTHERS = (
    "rand_like", "randint_like", "randn_like", "vander", "as_strided", "broadcast_shapes", "promote_types",
    "result_type", "sym_constrain_range", "sym_constrain_range_for_size", "cudnn_convolution", "cudnn_batch_norm",
    "_addmm_activation", "_conj", "_neg_view",
)  # fmt: skip
# Private functions that Dynamo writes into graphs: checks, symbolic sizes, autocast, vmap.
_PRIVATE: dict[str, tuple[str, ...]] = {
    "torch": (
        "_assert", "_assert_async", "_check", "_check_is_size", "_check_value", "_check_index", "sym_int", "sym_float",
        "sym_max", "sym_min", "sym_not", "sym_sum", "sym_sqrt", "_sym_sqrt", "_shape_as_tensor", "_unsafe_view",
        "_softmax", "_log_softmax", "_grouped_mm", "_scaled_mm", "_weight_norm", "_transformer_encoder_layer_fwd",
    ),
    "torch._C": ("_set_grad_enabled", "_log_api_usage_once"),
    "torch.amp.autocast_mode": ("_enter_autocast", "_exit_autocast"),
    "torch._C._functorch": (
        "_add_batch_dim", "_remove_batch_dim", "_vmap_increment_nesting", "_vmap_decrement_nesting",
        "_grad_increment_nesting", "_grad_decrement_nesting", "_wrap_for_grad", "_unwrap_for_grad", "unwrap_if_dead",
    ),
    "torch._functorch.predispatch": (
        "_add_batch_dim", "_remove_batch_dim", "_vmap_increment_nesting", "_vmap_decrement_nesting",
        "lazy_load_decompositions",
    ),
    "torch._functorch.vmap": ("lazy_load_decompositions",),
}  # fmt: skip
# All their public functions work on tensors.
_WHOLE = ("torch._C._nn", "torch._C._fft", "torch._C._linalg", "torch._C._special")
_OVERRIDABLE = ("torch", "torch.functional", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")
_NAMESPACES = ("aten", "prims", "quantized", "torchvision")
_DENIED = frozenset({
    "from_file", "save", "load", "set_data", "_parse_to", "record_stream", "map_", "map2_", "apply_", "register_hook",
    "register_post_accumulate_grad_hook", "backward", "_backward", "share_memory_", "numpy", "tolist",
    "storage", "untyped_storage", "data_ptr", "set_", "module_load", "reinforce", "pin_memory", "const_data_ptr",
    "retain_grad", "storage_type", "is_pinned", "is_shared",
})  # fmt: skip
_OPERATORS = frozenset(operator.__all__) - {"attrgetter", "itemgetter", "methodcaller", "call", "length_hint"}
_BUILTINS = ("int", "float", "bool", "abs", "max", "min", "round", "len", "sum", "pow")
_TENSOR_METHODS = frozenset({
    "new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros", "stride", "unflatten",
    "as_strided", "long", "normal_", "uniform_", "_conj", "keys", "values", "items", "count",
})  # fmt: skip
_DUNDER_METHODS = frozenset(
    f"__{prefix}{name}__"
    for name in (
        "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift",
    )
    for prefix in ("", "r", "i")
) | {
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__neg__", "__invert__", "__getitem__", "__abs__",
}  # fmt: skip
_ATTRIBUTES = frozenset({
    "shape", "dtype", "device", "layout", "ndim", "T", "mT", "H", "mH", "data", "real", "imag", "grad", "itemsize",
    "nbytes", "requires_grad", "is_cuda", "is_cpu", "is_sparse", "is_quantized", "is_nested", "is_leaf",
    "values", "indices", "eigenvalues", "eigenvectors", "Q", "R", "U", "S", "Vh", "V", "L", "LU", "P", "sign",
    "logabsdet", "solution", "residuals", "rank", "singular_values", "mode", "count", "type", "index", "min", "max",
    "eps", "tiny", "start", "stop", "step",
})  # fmt: skip


def function(name: str) -> Callable[..., Any] | None:
    """The operation that a dotted name stands for, or None when the name is no operation."""
    space, _, last = name.rpartition(".")
    if last in _DENIED:
        return None
    if name.startswith("torch.ops."):
        return _registered(name.split(".")[2:])
    if space == "operator":
        return getattr(operator, last) if last in _OPERATORS else None
    if space == "math":
        return getattr(math, last, None) if not last.startswith("_") else None
    if not space:
        return getattr(builtins, last, None) if last in _BUILTINS else None
    return _torch_functions().get(name)


@lru_cache(maxsize=1)
def factories() -> frozenset[Callable[..., Any]]:
    """Operations that make a tensor out of sizes and numbers alone."""
    return frozenset(_torch_functions()[f"torch.{name}"] for name in _FACTORIES)


def is_method(name: str) -> bool:
    """Whether a method of a tensor (or of a tuple of sizes) is an operation."""
    return name not in _DENIED and name in _methods()


def is_attribute(name: str) -> bool:
    """Whether reading an attribute is harmless: it must not lead out of the values of the graph."""
    return name in _ATTRIBUTES


def constant(name: str) -> Any:
    """The constant behind a dotted name (`torch.float32`, `torch.strided`, `int`), or None."""
    if name in ("int", "float", "bool", "complex"):
        return {"int": torch.int64, "float": torch.float64, "bool": torch.bool, "complex": torch.complex128}[name]
    space, _, last = name.rpartition(".")
    value = getattr(torch, last, None) if space == "torch" else None
    kinds = (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)
    return value if isinstance(value, kinds) else None


def _registered(parts: list[str]) -> Callable[..., Any] | None:
    """torch.ops.<namespace>.<name>[.<overload>], from namespaces of pure operators."""
    if len(parts) not in (2, 3) or parts[0] not in _NAMESPACES or any(part in _DENIED for part in parts):
        return None
    found: Any = getattr(torch.ops, parts[0])
    for part in parts[1:]:
        found = getattr(found, part, None)
    return found if isinstance(found, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)) else None


@lru_cache(maxsize=1)
def _torch_functions() -> dict[str, Callable[..., Any]]:
    """Every function of torch that works on tensors, by dotted name."""
    found: dict[str, Callable[..., Any]] = {}
    for space in _OVERRIDABLE:
        for name, value in vars(_module(space)).items():
            if not name.startswith("_") and (_is_overridable(value) or _is_functional(value) or _takes_tensors(value)):
                found[f"{space}.{name}"] = value
    for name in dir(torch._C._VariableFunctions):
        value = getattr(torch._C._VariableFunctions, name)
        if not name.startswith("_") and _takes_tensors(value):
            found[f"torch._VF.{name}"] = value
    for space in _WHOLE:
        module = _module(space)
        names = (name for name in dir(module) if not name.startswith("__") and callable(getattr(module, name)))
        found.update({f"{space}.{name}": getattr(module, name) for name in names})
    for space, listed in (("torch", (*_FACTORIES, *_OTHERS)), *_PRIVATE.items()):
        module = _module(space)
        found.update({f"{space}.{name}": getattr(module, name) for name in listed if hasattr(module, name)})
    return {name: value for name, value in found.items() if name.rpartition(".")[2] not in _DENIED}


@lru_cache(maxsize=1)
def _overridable_ids() -> frozenset[int]:
    return frozenset(id(value) for values in get_overridable_functions().values() for value in values)


def _is_overridable(value: Any) -> bool:
    return callable(value) and id(value) in _overridable_ids() and not isinstance(value, type)


def _is_functional(value: Any) -> bool:
    return inspect.isfunction(value) and value.__module__ == "torch.nn.functional"


def _takes_tensors(value: Any) -> bool:
    """Builtins that can not be overridden are operators all the same (torch.relu_, F.hardtanh_)."""
    name = _find_builtin(value) if inspect.isbuiltin(value) else None
    schemas = torch._C._jit_get_schemas_for_operator(name) if name else []
    return any("Tensor" in str(argument.type) for schema in schemas for argument in schema.arguments)


@lru_cache(maxsize=1)
def _methods() -> frozenset[str]:
    names = {getattr(value, "__name__", "") for value in get_overridable_functions()[torch.Tensor]}
    public = {name for name in names if name and not name.startswith("_") and hasattr(torch.Tensor, name)}
    return frozenset(public | _TENSOR_METHODS | _DUNDER_METHODS) - _DENIED


def _module(name: str) -> Any:
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found
