"""The operator module: the same work as the operators, and names in text."""

import ast
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import attributes, operators, state
from evaluator.integrity.analysis.machine import Frame, Machine
from evaluator.integrity.analysis.values import (
    SCALAR,
    UNKNOWN,
    Const,
    Ext,
    Partial,
    TensorKind,
    Value,
    join,
    tensors,
    value,
)
from evaluator.integrity.analysis.words import words

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

_OPERATOR_VIEWS = words(
    """operator.getitem operator.is_ operator.is_not operator.index operator.length_hint operator.itemgetter"""
)


def call_operator(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """The operator module: the same work as the operators."""
    from evaluator.integrity.analysis import calls, expressions
    from evaluator.integrity.analysis.calls import Arguments

    name = atom.name.removeprefix("operator.")
    if name == "call":
        handed = Arguments(arguments.args[1:], arguments.kwargs, arguments.loose)
        return calls.call_value(machine, arguments.get(0) or UNKNOWN, handed, node, frame)
    if name in ("attrgetter", "methodcaller", "itemgetter"):
        names = arguments.get(0) or UNKNOWN
        rest = tuple(arguments.args[1:])
        return value(Partial(value(Ext(f"operator.{name}()")), (names, *rest), ()))
    if name == "attrgetter()":
        return _dotted(machine, arguments.get(1) or UNKNOWN, arguments.get(0) or UNKNOWN, node, frame)
    if name == "methodcaller()":
        owner = arguments.args[-1] if arguments.args else UNKNOWN
        method = attributes.by_name(machine, owner, arguments.get(0) or UNKNOWN, node, frame)
        return calls.call_value(machine, method, Arguments(arguments.args[1:-1], {}), node, frame)
    if name in ("getitem", "itemgetter()"):
        owner = (arguments.get(0) if name == "getitem" else arguments.get(1)) or UNKNOWN
        index = (arguments.get(1) if name == "getitem" else arguments.get(0)) or UNKNOWN
        made = ast.Subscript(value=ast.Name("x"), slice=ast.Name("i"), ctx=ast.Load())
        ast.copy_location(made, node)
        key = machine.site((node, "getitem"), lambda: made)
        return expressions.subscript(machine, owner, index, key, frame)
    if name == "setitem":
        state.assign_element(
            machine, arguments.get(0) or UNKNOWN, arguments.get(1) or UNKNOWN, arguments.get(2) or UNKNOWN, node, frame
        )
        return SCALAR
    if f"operator.{name}" in _OPERATOR_VIEWS:
        return SCALAR
    target = arguments.get(0) or UNKNOWN
    if name.startswith("i") and name not in ("invert", "inv", "indexOf", "index"):
        for tensor in tensors(target):
            if tensor.kind is TensorKind.INPUT:
                state.report_mutation(machine, node, frame, f"`operator.{name}` writes into an input")
    worked = operators.result_of_work(machine, arguments.everything(), node, frame, f"`operator.{name}`")
    if worked is not None:
        return worked
    given = arguments.everything()
    return join([SCALAR, operators.traces(given), operators.maybe_graph(machine, given, node, frame)])


def _dotted(machine: Machine, owner: Value, path: Value, node: ast.AST, frame: Frame) -> Value:
    """`operator.attrgetter("nn.functional.relu")(torch)`."""
    names = [part for part in path if isinstance(part, Const) and isinstance(part.value, str)]
    if not names:
        return attributes.by_name(machine, owner, path, node, frame)
    found: list[Value] = []
    for name in names:
        current = owner
        for step in str(name.value).split("."):
            current = attributes.read(machine, current, step, node, frame, computed=name.built)
        found.append(current)
    return join(found)
