"""Tensors between judge and runner: through shared host memory that the judge makes, never through a pickle.

The judge makes two anonymous files per call. One holds the inputs. The other is empty and takes the outputs; it is
large enough for outputs of a wrong dtype, and sealed, so that the runner can not shrink it under the judge's feet.
What the runner says about its outputs (shape, dtype, offset) is checked before a byte is read, and the judge works on
its own copy.
"""

import fcntl
import mmap
import os
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

import torch

from evaluator.runner.protocol import ProtocolError

Scalar = int | float | bool | None
Description = dict[str, Any]

_ALIGNMENT = 64
_F_ADD_SEALS = 1033
_SEALS = 0x1 | 0x2 | 0x4  # no more seals, no shrinking, no growing
_WRONG_DTYPE_FACTOR = 8  # float64 instead of bool
_SPARE_BYTES = 1 << 20
_MOST_SPARE_BYTES = 256 << 20
_MAX_DIMENSIONS = 64
_AT_ONCE = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)  # not page by page, as it is touched
_MAX_OUTPUTS = 4096
_MAX_ELEMENTS = 1 << 48
_AT_A_TIME = 16 << 20  # bytes on their way from a GPU into a file

_DTYPES = {str(value).removeprefix("torch."): value for value in vars(torch).values() if isinstance(value, torch.dtype)}


def dtype_name(dtype: torch.dtype) -> str:
    """ "float32" """
    return str(dtype).removeprefix("torch.")


class NotPlain(TypeError):
    """A call returned something that can not be compared with the graph's outputs."""


def plain(values: Sequence[Any]) -> list[torch.Tensor | Scalar]:
    """`values` as they are; raises NotPlain for what is neither a plain tensor nor a number.

    A tensor subclass could compute later, when it is compared.
    """
    for index, value in enumerate(values):
        if type(value) not in (torch.Tensor, torch.nn.Parameter, int, float, bool, type(None)):
            what = "a tensor subclass" if isinstance(value, torch.Tensor) else "not a tensor"
            raise NotPlain(f"output {index} is a {type(value).__name__}, {what}: return plain torch.Tensor objects")
    return list(values)


def share(values: Sequence[Any], name: str, into: int | None = None) -> tuple[int, list[Description]]:
    """Copy tensors (on any device) and plain scalars into a new anonymous file: its descriptor and what it holds.

    `into`: a file that was shared before and may be written over. Its memory is there, which saves most of the time;
    whoever had it before sees what comes.
    """
    descriptions, length = _plan(values)
    for value, description in zip(values, descriptions, strict=True):
        if isinstance(value, torch.Tensor):
            description["device"] = str(value.device)
            if not value.is_contiguous() and torch.empty_like(value).stride() == value.stride():  # without gaps
                description["stride"] = list(value.stride())
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC) if into is None else os.dup(into)
    if os.fstat(descriptor).st_size < max(length, 1):
        os.ftruncate(descriptor, max(length, 1))
    for value, description in zip(values, descriptions, strict=True):
        if "offset" in description and value.numel():
            _write(descriptor, value, description["offset"])
    return descriptor, descriptions


def take(descriptor: int, descriptions: Sequence[Description]) -> list[Any]:
    """Fresh tensors with the values that a trusted side has shared, each on the device where it was."""
    length = max((_end(d) for d in descriptions), default=0)
    return _read(descriptor, descriptions, length)


def room_for(expected: Sequence[Any]) -> int:
    """A new sealed anonymous file for outputs that should look like `expected`. Pages cost nothing until written."""
    wanted = sum(_aligned(_nbytes(tuple(v.shape), v.dtype)) for v in expected if isinstance(v, torch.Tensor))
    size = min(wanted * _WRONG_DTYPE_FACTOR, wanted + _MOST_SPARE_BYTES) + _SPARE_BYTES
    descriptor = os.memfd_create("outputs", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, _F_ADD_SEALS, _SEALS)
    return descriptor


def put(descriptor: int, values: Sequence[Any]) -> list[Description]:
    """Copy outputs into the room that the judge made; those that do not fit are described without values."""
    descriptions, _ = _plan(values)
    room = os.fstat(descriptor).st_size
    for description in descriptions:
        if "offset" in description and _end(description) > room:
            del description["offset"]
    length = max((_end(d) for d in descriptions if "offset" in d), default=0)
    _fill(descriptor, values, descriptions, length)
    return descriptions


def collect(descriptor: int, descriptions: Any) -> list[torch.Tensor | Scalar]:
    """The outputs that an untrusted side has put; raises ProtocolError where its description can not be true.

    An output without values, whose shape or dtype is wrong anyway, is a zero expanded to its shape.
    """
    if not isinstance(descriptions, list) or len(descriptions) > _MAX_OUTPUTS:
        raise ProtocolError("outputs that are not a list")
    size = os.fstat(descriptor).st_size
    for description in descriptions:
        _check(description, size)
        description.pop("device", None)  # they are compared on the CPU
        description.pop("stride", None)
    length = max((_end(d) for d in descriptions if "offset" in d), default=0)
    return _read(descriptor, descriptions, length)


def _plan(values: Sequence[Any]) -> tuple[list[Description], int]:
    descriptions: list[Description] = []
    offset = 0
    for value in values:
        if isinstance(value, torch.Tensor):
            nbytes = _nbytes(tuple(value.shape), value.dtype)
            descriptions.append({"shape": list(value.shape), "dtype": dtype_name(value.dtype), "offset": offset})
            offset += _aligned(nbytes)
        else:
            descriptions.append({"scalar": value})
    return descriptions, offset


def _write(descriptor: int, value: torch.Tensor, offset: int) -> None:
    """Write a tensor's elements in their order. Pages written whole are not cleared before, as mapped ones are."""
    data = value.detach().resolve_conj().resolve_neg().contiguous().view(-1).view(torch.uint8)
    for start in range(0, data.numel(), _AT_A_TIME):
        part = data[start : start + _AT_A_TIME]
        if part.is_cuda:
            part = _staging()[: part.numel()].copy_(part)
        left, at = memoryview(part.numpy().data), offset + start
        while left:
            written = os.pwrite(descriptor, left, at)
            left, at = left[written:], at + written


@cache
def _staging() -> torch.Tensor:
    """Memory of the host that a GPU writes into by itself, where there is such memory."""
    try:
        return torch.empty(_AT_A_TIME, dtype=torch.uint8, pin_memory=True)
    except RuntimeError:
        return torch.empty(_AT_A_TIME, dtype=torch.uint8)


def _fill(descriptor: int, values: Sequence[Any], descriptions: Sequence[Description], length: int) -> None:
    if not length:
        return
    with mmap.mmap(descriptor, length, flags=_AT_ONCE) as memory:
        for value, description in zip(values, descriptions, strict=True):
            if "offset" in description and value.numel():
                target = torch.frombuffer(memory, dtype=value.dtype, count=value.numel(), offset=description["offset"])
                target.view(value.shape).copy_(value)
                del target  # a mapping with views on it can not be closed


def _read(descriptor: int, descriptions: Sequence[Description], length: int) -> list[Any]:
    if not length:
        return [_value(None, d) for d in descriptions]
    with mmap.mmap(descriptor, length, flags=_AT_ONCE) as memory:
        return [_value(memory, d) for d in descriptions]


def _value(memory: mmap.mmap | None, description: Description) -> Any:
    if "scalar" in description:
        return description["scalar"]
    shape, dtype = tuple(description["shape"]), _DTYPES[description["dtype"]]
    device = description.get("device", "cpu")
    if "offset" not in description:
        return torch.zeros((), dtype=dtype).expand(shape)
    if not prod(shape) or memory is None:
        return torch.empty(shape, dtype=dtype, device=device)
    source = torch.frombuffer(memory, dtype=dtype, count=prod(shape), offset=description["offset"])
    if "stride" in description:
        return torch.empty_strided(shape, description["stride"], dtype=dtype, device=device).copy_(source.view(shape))
    return source.view(shape).to(device, copy=True)


def _check(description: Any, size: int) -> None:
    if not isinstance(description, dict):
        raise ProtocolError("an output without a description")
    if "scalar" in description:
        if description["scalar"] is not None and not isinstance(description["scalar"], int | float):
            raise ProtocolError("an output that is neither a tensor nor a number")
        return
    shape, dtype, offset = (description.get(key) for key in ("shape", "dtype", "offset"))
    if not isinstance(shape, list) or len(shape) > _MAX_DIMENSIONS:
        raise ProtocolError("an output without a shape")
    if not all(type(length) is int and length >= 0 for length in shape) or str(dtype) not in _DTYPES:
        raise ProtocolError("an output with an impossible shape or dtype")
    if prod(max(length, 1) for length in shape) > _MAX_ELEMENTS:
        raise ProtocolError("an output of an impossible size")
    if "offset" in description:
        itemsize = _DTYPES[str(dtype)].itemsize
        if type(offset) is not int or offset < 0 or offset % itemsize or _end(description) > size:
            raise ProtocolError("an output outside of the memory that was made for it")


def _end(description: Description) -> int:
    if "offset" not in description:
        return 0
    return int(description["offset"]) + _nbytes(tuple(description["shape"]), _DTYPES[description["dtype"]])


def _nbytes(shape: tuple[int, ...], dtype: torch.dtype) -> int:
    return prod(shape) * dtype.itemsize


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT
