"""Text that is put together from literals, so that `"mat" + "mul"` is read as what it becomes.

Only operations that can do no harm are carried out, on short values.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from evaluator.integrity.analysis.values import Const, Value, value
from evaluator.integrity.analysis.words import words

LONGEST = 4096
_TEXT_METHODS = words(
    """replace lower upper strip lstrip rstrip removeprefix removesuffix swapcase title capitalize format join decode
    encode translate split hex"""
)


def add(left: Const, right: Const) -> Const | None:
    a, b = left.value, right.value
    if isinstance(a, str) and isinstance(b, str) and len(a) + len(b) <= LONGEST:
        return Const(a + b, built=True)
    if isinstance(a, bytes) and isinstance(b, bytes) and len(a) + len(b) <= LONGEST:
        return Const(a + b, built=True)
    return None


def text_method(owner: str | bytes, name: str, args: Sequence[object]) -> Const | None:
    """`owner.name(*args)` for harmless methods of str and bytes."""
    if name not in _TEXT_METHODS:
        return None
    try:
        if name == "format" and isinstance(owner, str) and ("." in owner or "[" in owner or ":" in owner):
            return None
        result: Any = getattr(owner, name)(*args)
    except Exception:
        return None
    if isinstance(result, str | bytes) and len(result) <= LONGEST:
        return Const(result, built=True)
    return None


def sliced(owner: str | bytes, start: Any, stop: Any, step: Any) -> Const | None:
    try:
        result = owner[slice(start, stop, step)]
    except (TypeError, ValueError):
        return None
    return Const(result, built=True)


def call(name: str, args: Sequence[object]) -> Const | None:
    """Outside functions that only turn text into text."""
    try:
        first = args[0]
        if name == "builtins.chr" and isinstance(first, int):
            return Const(chr(first), built=True)
        if name == "builtins.str" and isinstance(first, str | int):
            return Const(str(first), built=isinstance(first, int))
        if name in ("base64.b64decode", "base64.b32decode", "base64.b16decode", "base64.b85decode") and isinstance(
            first, str | bytes
        ):
            return Const(getattr(base64, name.split(".")[1])(first)[:LONGEST], built=True)
        if name in ("bytes.fromhex", "builtins.bytes.fromhex", "binascii.unhexlify") and isinstance(first, str):
            return Const(binascii.unhexlify(first.replace(" ", ""))[:LONGEST], built=True)
        if name == "builtins.bytes" and isinstance(first, list) and len(first) <= LONGEST:
            return Const(bytes(first), built=True)
        if name == "codecs.decode" and isinstance(first, str) and args[1] in ("rot13", "rot_13"):
            return Const(first.translate(_ROT13), built=True)
    except Exception:
        return None
    return None


_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)


def single(val: Value) -> Const | None:
    """The one constant that a value is, or None."""
    if len(val) != 1:
        return None
    atom = next(iter(val))
    return atom if isinstance(atom, Const) else None


def plain(val: Value | None) -> object:
    """Python value of a constant for folding; raises LookupError when it is none."""
    if val is None:
        return None
    found = single(val)
    if found is None:
        raise LookupError
    return found.value


def constant(thing: Const | None) -> Value | None:
    return None if thing is None else value(thing)
