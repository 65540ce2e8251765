"""Whether a JSON value has the shape that a TypedDict of evaluator.events promises.

Results come from another machine in a file that anybody may have written; what a run says here never passes this way.
"""

import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

MAX_DEPTH = 40


def shape_problem(value: Any, wanted: Any, where: str = "", depth: int = 0) -> str | None:
    """Why `value` is not what the type `wanted` says, as "samples.eager[3]: is a text, not a number"; None if it is."""
    if depth > MAX_DEPTH:
        return f"{where}: is nested too deeply"
    if wanted in (Any, object):
        return None
    if is_typeddict(wanted):
        return _fields_problem(value, wanted, where, depth)
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        problems = [shape_problem(value, one, where, depth + 1) for one in inner]
        return None if None in problems else problems[0]
    if origin is Literal:
        return None if value in inner else f"{where}: is none of {', '.join(map(str, inner))}"
    if origin is list:
        return _items_problem(value, inner * len(value) if isinstance(value, list) else (), where, depth)
    if origin is tuple:
        return _items_problem(value, inner, where, depth)
    if origin is dict:
        if not isinstance(value, dict):
            return _not(value, "an object", where)
        problems = [shape_problem(item, inner[1], f"{where}.{key[:60]}", depth + 1) for key, item in value.items()]
        return next((problem for problem in problems if problem), None)
    return _plain_problem(value, wanted, where)


def _fields_problem(value: Any, wanted: Any, where: str, depth: int) -> str | None:
    if not isinstance(value, dict):
        return _not(value, "an object", where)
    fields = _fields(wanted)
    for name, (kind, required) in fields.items():
        path = f"{where}.{name}" if where else name
        if name not in value:
            if required:
                return f"{path}: is missing"
        elif problem := shape_problem(value[name], kind, path, depth + 1):
            return problem
    extra = sorted(value.keys() - fields.keys())
    return f"{where}.{extra[0][:60]}".lstrip(".") + ": is not known here" if extra else None


@cache
def _fields(wanted: Any) -> Mapping[str, tuple[Any, bool]]:
    """Name → (type, whether it must be there)."""
    hints = get_type_hints(wanted, include_extras=True)
    return {
        name: (get_args(kind)[0], False) if get_origin(kind) is NotRequired else (kind, True)
        for name, kind in hints.items()
    }


def _items_problem(value: Any, kinds: tuple[Any, ...], where: str, depth: int) -> str | None:
    if not isinstance(value, list):
        return _not(value, "a list", where)
    if len(value) != len(kinds):
        return f"{where}: has {len(value)} items, not {len(kinds)}"
    for index, (item, kind) in enumerate(zip(value, kinds, strict=True)):
        if problem := shape_problem(item, kind, f"{where}[{index}]", depth + 1):
            return problem
    return None


def _plain_problem(value: Any, wanted: Any, where: str) -> str | None:
    if wanted is types.NoneType:
        return None if value is None else _not(value, "null", where)
    if wanted is float:  # JSON does not tell 1 from 1.0; numbers that JSON has not are written as words
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return None if number or value in ("inf", "-inf", "nan") else _not(value, "a number", where)
    if wanted is int:
        return None if isinstance(value, int) and not isinstance(value, bool) else _not(value, "a whole number", where)
    if wanted is bool:
        return None if isinstance(value, bool) else _not(value, "true or false", where)
    if wanted is str:
        return None if isinstance(value, str) else _not(value, "a text", where)
    raise TypeError(f"{wanted} is not a type that events are made of")


_WORDS = {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}


def _not(value: Any, wanted: str, where: str) -> str:
    return f"{where}: is {_WORDS.get(type(value), 'null')}, not {wanted}"
