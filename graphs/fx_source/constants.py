"""Names and calls that are constants of a graph, not nodes of it."""

import math
from typing import Any

from graphs.fx_source.model import Arg, Device, Ref, Slice

# One object for each, so that graphs with nan in them still compare equal to themselves.
NUMBERS: dict[str, float] = {
    f"{module}{name}": value
    for name, value in (("inf", math.inf), ("nan", math.nan), ("pi", math.pi), ("e", math.e))
    for module in ("math.", "torch.", "")
    if module or name in ("inf", "nan")
}

TYPES = frozenset({"int", "float", "bool", "complex"})

_DEVICES = ("device", "torch.device")


def constant_call(function: str, args: tuple[Arg, ...], kwargs: tuple[tuple[str, Arg], ...]) -> Any | None:
    """The value of a call that only spells a constant: slice(…), device(…), float('inf'), complex(…), torch.Size(…).

    None for any other call.
    """
    if function == "slice" and not kwargs and 1 <= len(args) <= 3:
        return Slice(stop=args[0]) if len(args) == 1 else Slice(*args)
    if function in _DEVICES:
        return _device(args, dict(kwargs))
    if function == "float" and not kwargs and len(args) == 1 and type(args[0]) in (str, int, float):
        return _float(args[0])
    if function == "complex" and not kwargs and all(type(arg) in (int, float) for arg in args) and len(args) == 2:
        return complex(*args)
    if function == "torch.Size" and not kwargs and len(args) == 1 and isinstance(args[0], (list, tuple)):
        return tuple(args[0])
    return None


def _float(value: str | int | float) -> float | None:
    try:
        read = float(value)
    except (ValueError, OverflowError):
        return None
    return math.nan if read != read else read


def _device(args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Device | None:
    """device('cuda:0'), device('cuda', 0), device(type='cuda', index=0)."""
    values = dict(zip(("type", "index"), args, strict=False)) | kwargs
    kind, index = values.get("type"), values.get("index")
    if set(values) - {"type", "index"} or len(args) > 2 or not isinstance(kind, str) or isinstance(index, (Ref, bool)):
        return None
    name, colon, number = kind.partition(":")
    if colon and index is None and number.isdecimal():
        return Device(name, int(number))
    if colon or not (index is None or isinstance(index, int)):
        return None
    return Device(name, index)
