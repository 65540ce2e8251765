"""Calls of builtins that make containers or numbers, or go through one."""

import ast
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import folding, operators, state
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Container,
    Ext,
    Mark,
    Place,
    StateRead,
    Value,
    data_tensors,
    join,
    value,
)
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

REDUCERS = frozenset(f"builtins.{name}" for name in ["sum", "max", "min", "abs", "pow", "round", "divmod", "sorted"])


_FETCHERS = words("builtins.getattr inspect.getattr_static builtins.object.__getattribute__")


SCALARS = words(
    """builtins.str builtins.repr builtins.format builtins.ascii builtins.int builtins.float builtins.bool
builtins.complex builtins.chr builtins.ord builtins.hex builtins.oct builtins.bin builtins.bytes builtins.len
builtins.callable builtins.range builtins.hasattr builtins.any builtins.all builtins.bytes.fromhex
base64.b64decode base64.b32decode base64.b16decode base64.b85decode binascii.unhexlify codecs.decode"""
)


CONTAINERS = words(
    """builtins.list builtins.dict builtins.tuple builtins.set builtins.frozenset builtins.zip
builtins.enumerate builtins.reversed builtins.iter collections.deque collections.OrderedDict collections.defaultdict
collections.ChainMap weakref.WeakKeyDictionary weakref.WeakValueDictionary queue.Queue
types.MappingProxyType contextvars.ContextVar
itertools.chain itertools.product itertools.cycle itertools.repeat itertools.islice"""
)


def reduce(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`sum`, `max`, `abs` … of Python: on tensors they call tensor operators."""
    given = [*arguments.everything()]
    flat = [
        state.elements_of(machine, val, node, frame) if any(isinstance(part, Container) for part in val) else val
        for val in given
    ]
    worked = operators.result_of_work(machine, flat, node, frame, f"`{atom.name.removeprefix('builtins.')}`")
    if worked is not None:
        return worked
    return join([SCALAR, operators.traces(flat), operators.maybe_graph(machine, flat, node, frame)])


def to_scalar(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    given = join(arguments.everything())
    if atom.name in ("builtins.str", "builtins.repr", "builtins.format", "builtins.ascii") and Mark.PROBE in given:
        return value(Mark.TYPE_NAME)
    folded = _folded(atom.name, arguments)
    if folded is not None:
        return folded
    read = (
        value(Mark.DATA_SCALAR)
        if data_tensors(given) and atom.name in ("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")
        else NOTHING
    )
    return join([SCALAR, read, operators.traces(arguments.everything())])


def _folded(name: str, arguments: "Arguments") -> Value | None:
    plain: list[object] = []
    for val in arguments.args:
        only = next(iter(val)) if len(val) == 1 else None
        try:
            if isinstance(only, Container) and only.items is not None:
                plain.append([folding.plain(item) for item in only.items])
            else:
                plain.append(folding.plain(val))
        except LookupError:
            return None
    return folding.constant(folding.call(name, plain)) if plain else None


def container_of(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`list(x)`, `dict(…)`, `zip(…)`, `enumerate(…)`, `deque(…)` …"""
    word = atom.name.rsplit(".", 1)[-1]
    kind = {"dict": "dict", "tuple": "tuple", "set": "set", "frozenset": "set"}.get(
        word, "dict" if "dict" in word.lower() or "Dictionary" in word else "list"
    )
    made = machine.container(node, kind)
    parts = [state.elements_of(machine, val, node, frame) for val in arguments.args if val is not None]
    if word == "zip":
        pair = machine.site((node, "pair"), lambda: Container("tuple"))
        old = pair.items if pair.items is not None and len(pair.items) == len(parts) else [NOTHING] * len(parts)
        pair.items = [join([before, now]) for before, now in zip(old, parts, strict=True)]
        parts = [value(pair)]
    elif word == "enumerate":
        pair = machine.site((node, "pair"), lambda: Container("tuple"))
        pair.items = [SCALAR, join([*(pair.items or [NOTHING, NOTHING])[1:], *parts])]
        parts = [value(pair)]
    elif word in ("tuple", "list") and len(arguments.args) == 1:
        only = next(iter(arguments.args[0])) if len(arguments.args[0]) == 1 else None
        if isinstance(only, Container) and only.items is not None and made.items is None and not made.elements:
            made.items = list(only.items)
            return value(made)
    if word == "defaultdict":
        parts = [value(machine.container(node, "list", "default"))]
    if parts and made.items is not None:
        made.elements, made.items = join([made.elements, *made.items]), None
    made.elements = join([made.elements, *parts])
    for key, val in arguments.kwargs.items():
        made.fields[key] = join([made.fields.get(key, NOTHING), val])
    for val in arguments.args:
        for part in val:
            if isinstance(part, Container) and part.kind == "dict" and kind == "dict":
                made.fields.update(part.fields)
                made.elements = join([made.elements, part.elements])
    return value(made)


def map_over(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`map(f, xs)`, `filter(f, xs)`, `functools.reduce(f, xs)`."""
    from evaluator.integrity.analysis import calls
    from evaluator.integrity.analysis.calls import Arguments

    elements = [state.elements_of(machine, val, node, frame) for val in arguments.args[1:]]
    if atom.name == "functools.reduce":
        _judge_folded_names(machine, arguments, node, frame)
        elements = [join(elements), join(elements)]
    result = calls.call_value(machine, arguments.get(0) or UNKNOWN, Arguments(elements, {}), node, frame)
    if atom.name == "functools.reduce":
        return result
    made = machine.container(node, "list")
    made.elements = join([made.elements, result if atom.name == "builtins.map" else join(elements)])
    return value(made)


def _judge_folded_names(machine: Machine, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """`reduce(getattr, "nn.functional.relu".split("."), torch)`: a dotted name, followed step by step."""
    fetches = any(isinstance(part, Ext) and part.name in _FETCHERS for part in arguments.get(0) or ())
    from_outside = any(isinstance(part, Ext) for part in arguments.get(2) or ())
    if fetches and from_outside:
        words = "a dotted name is followed from text into another module"
        machine.report.add(FindingClass.DYNAMIC_IMPORT, frame.file, node, words)


def next_of(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`next(counter)`: an iterator that outlives the call counts calls."""
    source = arguments.get(0) or UNKNOWN
    found = [state.elements_of(machine, source, node, frame)]
    for part in source:
        outlives = isinstance(part, Container) and part.outlives
        if machine.phase is Phase.CALL and (outlives or (isinstance(part, Ext) and part.name == "itertools.count()")):
            place = machine.site((part, "place"), lambda: Place("an iterator"))
            place.counts = True
            found.append(value(StateRead(place), Mark.SCALAR))
    return join(found)
