"""Long lists of numbers, read without a syntax tree.

Real files hold literals of hundreds of thousands of numbers. A syntax tree spends a quarter of a kilobyte and three
microseconds on each, so such a list is decoded at once and its text replaced by a name of the same length; lines and
columns of everything else stay what they are.
"""

import json
import re
from typing import Any

_LONG = re.compile(r"[\[(][\s\d.,eE+\-\[\]]{256}")
_TRIES = 8  # as many dimensions as a literal may have whose innermost list does not decode
_FLAT_TUPLE = re.compile(r"\([\s\d.,eE+\-]+\)")
_LITERAL_CONTEXT = frozenset("(,=[{:")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity are no Python


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def may_be_long_literal(text: str, start: int) -> bool:
    """Whether the bracket at `start` opens a list or tuple (not a call or a subscript) of very many numbers."""
    if not _LONG.match(text, start):
        return False
    before = start - 1
    while before >= 0 and text[before] in " \t\n":
        before -= 1
    return before >= 0 and text[before] in _LITERAL_CONTEXT


def take_out(text: str, start: int, end: int, brackets: list[int]) -> tuple[str, dict[str, Any]]:
    """text[start:end] with the long literals that open at the offsets `brackets` replaced by names, and their values.

    What does not decode (a trailing comma, another notation of numbers) stays as it is.
    """
    prefix = "_literal_"
    while prefix in text:
        prefix += "_"
    pieces: list[str] = []
    values: dict[str, Any] = {}
    done = start
    in_vain = _TRIES * (end - start)  # how many characters may be read for nothing: damaged files are linear, too
    for offset in brackets:
        if offset < done:  # inside of one that was taken
            continue
        if in_vain < 0:
            break
        decoded, read = _decode(text, offset, end)
        if decoded is None:
            in_vain -= read
            continue
        value, stop = decoded
        name = f"{prefix}{len(values)}"
        values[name] = value
        pieces += (text[done:offset], _same_size(name, text, offset, stop))
        done = stop
    pieces.append(text[done:end])
    return "".join(pieces), values


def _decode(text: str, offset: int, end: int) -> tuple[tuple[Any, int] | None, int]:
    """The literal and where it ends, or None; and how many characters were read to know."""
    try:
        if text[offset] == "[":
            value, stop = _DECODER.raw_decode(text, offset)
            return ((value, stop) if stop <= end and _only_numbers(value) else None), stop - offset
        found = _FLAT_TUPLE.match(text, offset, end)
        if found:
            inner = text[offset + 1 : found.end() - 1]
            return (tuple(json.loads(f"[{inner}]")), found.end()), len(inner)
    except json.JSONDecodeError as error:
        return None, error.pos - offset if text[offset] == "[" else error.pos
    except RecursionError:  # deeper than the parser of Python goes either: it will say so
        return None, len(text) * _TRIES + 1
    except ValueError:  # NaN, or a number of thousands of digits: where, it does not say
        return None, end - offset
    return None, 0


def _only_numbers(value: list[Any]) -> bool:
    kinds = set(map(type, value))
    return kinds <= _NUMBERS_AND_LISTS and all(_only_numbers(item) for item in value if type(item) is list)


_NUMBERS_AND_LISTS = frozenset({int, float, list})


def _same_size(name: str, text: str, start: int, stop: int) -> str:
    """`(name)` that fills the same lines and ends in the same column as text[start:stop]."""
    lines = text.count("\n", start, stop)
    if not lines:
        return f"({name}{' ' * (stop - start - len(name) - 2)})"
    last = stop - text.rindex("\n", start, stop) - 2
    return "(" + name + "\n" * lines + " " * last + ")"
