"""bfloat16 under the interpreter.

numpy has no bfloat16, so the interpreter keeps its 16 bits in a uint16, and then adds, compares and sums those bits
as integers; float32 → bfloat16 cuts the lower half off. Here a bfloat16 operand is widened to float32, which is exact,
the operation is done, and its result is rounded to nearest even: what a GPU does for each operation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, ScanOps, TensorHandle

Array = np.ndarray[Any, Any]
_NAN = np.uint16(0x7FC0)


def narrow(values: Array) -> Array:
    """float32 values → bit patterns of bfloat16, rounded to nearest even."""
    exact = np.ascontiguousarray(values, dtype=np.float32).reshape(np.shape(values))
    bits = exact.view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(exact), _NAN, rounded)


def widen(bits: Array) -> Array:
    """Bit patterns of bfloat16 → the same values as float32."""
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)


def install() -> None:
    """Route every operation that sees a bfloat16 operand through float32."""
    builder = InterpreterBuilder
    builder.get_bf16 = lambda self, value: TensorHandle(narrow(np.array([value])), tl.bfloat16)
    builder.cast_impl = _casting(builder.cast_impl)
    builder.create_fp_to_fp = _rounding(builder.create_fp_to_fp)
    builder.unary_op = _in_float32(builder.unary_op, operands=1)
    builder.binary_op = _in_float32(builder.binary_op, operands=2)
    builder.ternary_op = _in_float32(builder.ternary_op, operands=3, bitwise=np.where)
    builder.create_fma = _in_float32(builder.create_fma, operands=3)
    builder.create_rsqrt = _in_float32(builder.create_rsqrt, operands=1)
    builder.create_dot = _in_float32(builder.create_dot, operands=3)
    builder.create_atomic_rmw = _no_atomic(builder.create_atomic_rmw)
    ReduceOps.sum = _summing(ReduceOps.sum)
    ReduceOps.min_max = _wide_tensor(ReduceOps.min_max)
    ScanOps.cumsum = _wide_tensor(ScanOps.cumsum)
    ScanOps.cumprod = _wide_tensor(ScanOps.cumprod)


def _is_bfloat16(handle: Any) -> bool:
    return bool(handle.dtype.scalar == tl.bfloat16) and handle.data.dtype == np.uint16


def _wide(handle: Any) -> Any:
    return TensorHandle(widen(handle.data), tl.float32) if _is_bfloat16(handle) else handle


def _in_float32(operation: Callable[..., Any], operands: int, bitwise: object = None) -> Callable[..., Any]:
    """`operation(self, *handles, *rest)` in float32 and rounded back; `bitwise` in rest only moves bits about."""

    def widened(self: Any, *args: Any) -> Any:
        handles, rest = args[:operands], args[operands:]
        if not any(_is_bfloat16(handle) for handle in handles) or (bitwise is not None and bitwise in rest):
            return operation(self, *args)
        result = operation(self, *(_wide(handle) for handle in handles), *rest)
        keeps = result.data.dtype.kind != "f" or not _is_bfloat16(
            handles[-1]
        )  # a comparison; an accumulator in float32
        return result if keeps else TensorHandle(narrow(result.data), tl.bfloat16)

    return widened


def _casting(cast: Callable[..., Any]) -> Callable[..., Any]:
    def cast_impl(self: Any, src: Any, dst_type: Any) -> Any:
        target = dst_type.scalar
        if target == tl.bfloat16:
            values = _wide(src).data
            return TensorHandle(narrow(values.astype(np.float32)), target)
        return cast(self, _wide(src), dst_type) if _is_bfloat16(src) else cast(self, src, dst_type)

    return cast_impl


def _rounding(convert: Callable[..., Any]) -> Callable[..., Any]:
    ordinary = (tl.bfloat16, tl.float16, tl.float32, tl.float64)

    def create_fp_to_fp(self: Any, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        to_nearest = rounding_mode in (None, interpreter._ir.ROUNDING_MODE.RTNE)
        if to_nearest and src.dtype.scalar in ordinary and dst_type.scalar in ordinary:
            return self.cast_impl(src, dst_type)
        return convert(self, src, dst_type, rounding_mode)

    return create_fp_to_fp


def _no_atomic(atomic_rmw: Callable[..., Any]) -> Callable[..., Any]:
    def create_atomic_rmw(self: Any, op: Any, ptr: Any, val: Any, *rest: Any) -> Any:
        if _is_bfloat16(val) and op != interpreter._ir.ATOMIC_OP.XCHG:
            raise NotImplementedError("atomic arithmetic on bfloat16 is not there under the interpreter: use float32")
        return atomic_rmw(self, op, ptr, val, *rest)

    return create_atomic_rmw


def _tensor(values: Array, like: Any, dtype: Any) -> Any:
    ty = tl.block_type(dtype, list(values.shape)) if like.type.is_block() else dtype
    return tl.tensor(TensorHandle(values, dtype), ty)


def _summing(total: Callable[..., Any]) -> Callable[..., Any]:
    """A GPU adds halves pairwise and rounds after each step; a sum in float32 would be too good to be true."""

    def sum_(self: Any, input: Any) -> Any:
        if not _is_bfloat16(input.handle):
            return total(self, input)
        values = widen(input.handle.data)
        values = values.reshape(-1) if self.axis is None else np.moveaxis(values, self.axis, 0)
        while values.shape[0] > 1:
            half, odd = divmod(values.shape[0], 2)
            added = widen(narrow(values[:half] + values[half : 2 * half]))
            values = np.concatenate([added, values[-1:]]) if odd else added
        result = narrow(values[0])
        if self.keep_dims:
            shape = (1,) * input.handle.data.ndim if self.axis is None else None
            result = result.reshape(shape) if shape else np.expand_dims(result, self.axis)
        return self.to_tensor(result, input.dtype)

    return sum_


def _wide_tensor(operation: Callable[..., Any]) -> Callable[..., Any]:
    """The first argument of a reduction or scan widened, bfloat16 results rounded back."""

    def widened(self: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        first = input[0] if isinstance(input, tuple) else input
        if not _is_bfloat16(first.handle):
            return operation(self, input, *args, **kwargs)
        result = operation(self, _tensor(widen(first.handle.data), first, tl.float32), *args, **kwargs)
        if isinstance(result, tuple | list):
            return type(result)(back(self, item) for item in result)
        return back(self, result)

    def back(self: Any, result: Any) -> Any:
        if result.handle.data.dtype.kind != "f":
            return result  # an index
        return self.to_tensor(narrow(result.handle.data), tl.bfloat16)

    return widened
