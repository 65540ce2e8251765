"""Accesses outside the memory that a launch was given.

The interpreter reads and writes the process's own memory, so that one wrong index ends the process or corrupts it.
On a GPU a load a little outside mostly goes unnoticed (and its value is chance), so it gives NaN here, or the
largest integer: a result that depends on it is seen to be wrong. A store outside damages other tensors: it raises.
"""

import sys
from types import FrameType
from typing import Any

import numpy as np
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder

from evaluator.engine.interpreter.launch import Buffer, Launch, ReadOutside, current

# An access farther than this from every tensor, and farther than the tensor is long, is not one past its end.
_NEAR_BYTES = 4096


class OutOfBounds(IndexError):
    """A kernel writes outside the buffers that it was given."""


def install() -> None:
    """Check every load, store and atomic operation of a launch whose pointers all come from its arguments."""
    builder = InterpreterBuilder
    load, store = builder.create_masked_load, builder.create_masked_store
    atomic_rmw, atomic_cas, int_to_ptr = builder.create_atomic_rmw, builder.create_atomic_cas, builder.create_int_to_ptr

    def checked_load(self: Any, ptrs: Any, mask: Any, other: Any, *rest: Any) -> Any:
        outside = _outside(ptrs, mask.data)
        if outside is None:
            return load(self, ptrs, mask, other, *rest)
        launch = current()
        assert launch is not None
        _note_read(launch, ptrs, outside)
        inside = interpreter.TensorHandle(np.broadcast_to(mask.data, outside.shape) & ~outside, mask.dtype)
        loaded = load(self, ptrs, inside, other, *rest)
        loaded.data = np.where(outside, _poison(loaded), loaded.data)
        return loaded

    def refuse_outside(ptrs: Any, mask: np.ndarray[Any, Any] | None) -> None:
        outside = _outside(ptrs, mask)
        if outside is not None:
            launch = current()
            assert launch is not None
            raise OutOfBounds(_describe(launch, "writes", ptrs, outside))

    def checked_store(self: Any, ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        refuse_outside(ptrs, mask.data)
        return store(self, ptrs, value, mask, *rest)

    def checked_rmw(self: Any, op: Any, ptr: Any, val: Any, mask: Any, *rest: Any) -> Any:
        refuse_outside(ptr, mask.data)
        return atomic_rmw(self, op, ptr, val, mask, *rest)

    def checked_cas(self: Any, ptr: Any, *rest: Any) -> Any:
        refuse_outside(ptr, None)
        return atomic_cas(self, ptr, *rest)

    def unchecked_from_here(self: Any, *args: Any) -> Any:
        launch = current()
        if launch is not None:
            launch.buffers = None  # an address that arrives as a number can belong to any tensor
        return int_to_ptr(self, *args)

    builder.create_masked_load, builder.create_masked_store = checked_load, checked_store
    builder.create_atomic_rmw, builder.create_atomic_cas = checked_rmw, checked_cas
    builder.create_int_to_ptr = unchecked_from_here


def _outside(ptrs: Any, mask: "np.ndarray[Any, Any] | None") -> "np.ndarray[Any, Any] | None":
    """Which lanes touch memory outside every buffer; None if none does or if it can not be known."""
    launch = current()
    if launch is None or launch.buffers is None:
        return None
    addresses, size = ptrs.data, _itemsize(ptrs)
    active = addresses if mask is None else addresses[np.broadcast_to(mask, addresses.shape)]
    if active.size == 0:
        return None
    low, high = int(active.min()), int(active.max()) + size
    if any(buffer.start <= low and high <= buffer.end for buffer in launch.buffers):
        return None
    inside = np.zeros(addresses.shape, dtype=bool)
    for buffer in launch.buffers:
        if buffer.end - buffer.start >= size:
            inside |= (addresses >= buffer.start) & (addresses <= buffer.end - size)
    outside = ~inside if mask is None else ~inside & mask
    return outside if outside.any() else None


def _itemsize(ptrs: Any) -> int:
    return max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)


def _poison(loaded: Any) -> Any:
    data, element = loaded.data, loaded.dtype.scalar
    if element.is_bf16():
        return np.uint16(0x7FC0)  # NaN
    if data.dtype.kind == "f":
        return data.dtype.type(np.nan)
    if element.is_fp8():
        return np.uint8(0x7F)  # NaN
    return data.dtype.type(0 if data.dtype.kind == "b" else np.iinfo(data.dtype).max)


def _note_read(launch: Launch, ptrs: Any, outside: "np.ndarray[Any, Any]") -> None:
    nearest = _nearest(launch, int(ptrs.data[outside].flat[0]))
    argument = None if nearest is None else nearest.name
    file, line = _place()
    if all((one.argument, one.file, one.line) != (argument, file, line) for one in launch.reads_outside):
        words = _describe(launch, "reads", ptrs, outside)
        launch.reads_outside.append(ReadOutside(launch.kernel, argument, words, file, line))


def _place() -> tuple[str, int] | tuple[None, None]:
    """The kernel's line that runs right now."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if file != __file__ and "/triton/" not in file:
            return file, frame.f_lineno
        frame = frame.f_back
    return None, None


def _nearest(launch: Launch, address: int) -> Buffer | None:
    """The buffer that an access was most likely meant for; None where it is near none."""
    buffers = [buffer for buffer in launch.buffers or [] if buffer.end > buffer.start]
    found = min(buffers, key=lambda buffer: _distance(buffer, address), default=None)
    if found is None or _distance(found, address) > max(_NEAR_BYTES, found.end - found.start):
        return None
    return found


def _describe(launch: Launch, verb: str, ptrs: Any, outside: "np.ndarray[Any, Any]") -> str:
    address, size = int(ptrs.data[outside].flat[0]), _itemsize(ptrs)
    lanes = f"({int(outside.sum())} lanes)"
    nearest = _nearest(launch, address)
    if nearest is None:
        return (
            f"kernel {launch.kernel} {verb} outside every tensor it was given {lanes}: check the offsets and the mask"
        )
    words = f"kernel {launch.kernel} {verb} outside the tensors it was given {lanes}"
    side = "after the end" if address >= nearest.end - size else "before the start"
    return f"{words}, the first {_distance(nearest, address) or size} bytes {side} of {nearest.name!r}: check the mask"


def _distance(buffer: Buffer, address: int) -> int:
    return buffer.start - address if address < buffer.start else max(0, address - buffer.end)
