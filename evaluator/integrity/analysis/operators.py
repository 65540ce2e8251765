"""Operators and subscripts on tensors: what is a view, what is a table, and what is work."""

import ast

from evaluator.integrity.analysis import folding, state
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    Const,
    Container,
    Ext,
    Instance,
    Launch,
    Mark,
    StateRead,
    TensorKind,
    TensorObj,
    Tentative,
    Value,
    constants,
    data_tensors,
    join,
    tensors,
    value,
)
from evaluator.verdicts import FindingClass

_CARRIED = frozenset(
    {Mark.CLOCK, Mark.PROBE, Mark.TYPE_NAME, Mark.SIGN, Mark.DEVICE, Mark.DATA_SCALAR, Mark.ADDRESS, Mark.UNKNOWN}
)


def traces(values: list[Value]) -> Value:
    """Marks that a computed scalar takes over from what it was computed from."""
    found = {atom for val in values for atom in val if atom in _CARRIED or isinstance(atom, StateRead)}
    found |= {StateRead(atom.place) for val in values for atom in val if isinstance(atom, Container) and atom.outlives}
    return frozenset(found)


def text_of(node: ast.AST) -> str:
    try:
        text = ast.unparse(node)
    except (ValueError, RecursionError):
        return "an expression"
    return text if len(text) <= 80 else text[:77] + "..."


def report_work(
    machine: Machine, node: ast.AST, frame: Frame, what: str, cls: FindingClass = FindingClass.TENSOR_OPERATOR
) -> None:
    """A torch operator works on data, where only kernels may."""
    if machine.phase is Phase.CALL:
        machine.report.add(cls, frame.file, node, what)


def result_of_work(machine: Machine, operands: list[Value], node: ast.AST, frame: Frame, what: str) -> Value | None:
    """The tensor that an operator on these operands makes (reported when it works on data), or None without tensors."""
    machine.step(sum(len(val) for val in operands))
    found = [tensor for val in operands for tensor in tensors(val)]
    if any(tensor.is_data for tensor in found):
        report_work(machine, node, frame, f"`{text_of(node)}`: {what} works on tensors that hold data")
        return value(machine.tensor(node, TensorKind.RESULT))
    if any(Mark.NUMPY in val for val in operands):
        report_work(
            machine, node, frame, f"`{text_of(node)}`: numpy works on the data of a tensor", FindingClass.TORCH_COMPUTE
        )
        return value(Mark.NUMPY)
    if found:
        return value(machine.tensor(node, TensorKind.TABLE))
    return None


def maybe_graph(machine: Machine, operands: list[Value], node: ast.AST, frame: Frame) -> Value:
    """What an operator on graph values makes, should they turn out to be tensors."""
    if any(atom is Mark.GRAPH_VALUE or isinstance(atom, Tentative) for val in operands for atom in val):
        return value(Tentative(frame.file, getattr(node, "lineno", 1), text_of(node)))
    return NOTHING


def binary(machine: Machine, left: Value, right: Value, op: ast.operator, node: ast.AST, frame: Frame) -> Value:
    if isinstance(op, ast.Add):
        sequence = _concatenation(machine, left, right, node)
        if sequence is not None:
            return sequence
    if isinstance(op, ast.Mod) and any(isinstance(atom.value, str) for atom in constants(left)):
        return join([_percent(left, right), traces([right])])
    if isinstance(op, ast.Mult) and any(isinstance(atom, Container) for atom in left | right):
        return frozenset(atom for atom in left | right if isinstance(atom, Container))
    worked = result_of_work(machine, [left, right], node, frame, f"the operator `{_symbol(op)}`")
    if worked is not None:
        return worked
    a, b = folding.single(left), folding.single(right)
    if a is not None and b is not None:
        return join([_fold(a, b, op)])
    outside = [
        atom for atom in left | right if isinstance(atom, Ext) and atom.name.startswith(("pathlib.", "builtins.open"))
    ]
    if outside:
        return join([value(*outside), frozenset(constants(right))])
    carried = traces([left, right])
    if isinstance(op, ast.Mod | ast.BitAnd | ast.FloorDiv):
        carried -= {Mark.ADDRESS}  # an alignment, not an address
    own = _special(machine, left, right, op, node, frame)
    return join([SCALAR, carried, maybe_graph(machine, [left, right], node, frame), own])


def _special(machine: Machine, left: Value, right: Value, op: ast.operator, node: ast.AST, frame: Frame) -> Value:
    """Operators of the submission's own classes."""
    from evaluator.integrity.analysis import calls

    name = _SPECIAL.get(type(op), "")
    found: list[Value] = []
    for side, other, prefix in ((left, right, ""), (right, left, "r")):
        for atom in side:
            if isinstance(atom, Instance):
                found.append(calls.call_special(machine, atom, f"__{prefix}{name}__", [other], node, frame))
    return join(found)


_SPECIAL: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.MatMult: "matmul", ast.Pow: "pow",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip


def _symbol(op: ast.AST) -> str:
    return {
        "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "MatMult": "@", "Pow": "**", "FloorDiv": "//", "Mod": "%",
        "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>", "USub": "-", "UAdd": "+",
        "Invert": "~", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!=",
    }.get(type(op).__name__, type(op).__name__)  # fmt: skip


def _fold(a: Const, b: Const, op: ast.operator) -> Value:
    if isinstance(op, ast.Add):
        text = folding.add(a, b)
        if text is not None:
            return value(text)
    if type(a.value) is int and type(b.value) is int and abs(a.value) < 1 << 31 and abs(b.value) < 1 << 31:
        number = {ast.Add: a.value + b.value, ast.Sub: a.value - b.value, ast.Mult: a.value * b.value}.get(type(op))
        if number is not None:
            return value(Const(number))
        if b.value and isinstance(op, ast.FloorDiv | ast.Mod):
            return value(Const(a.value // b.value if isinstance(op, ast.FloorDiv) else a.value % b.value))
        if isinstance(op, ast.BitXor):
            return value(Const(a.value ^ b.value))
    return SCALAR


def _percent(left: Value, right: Value) -> Value:
    template, only = folding.single(left), folding.single(right)
    if template is not None and only is not None and isinstance(template.value, str) and isinstance(only.value, str):
        return value(Const(template.value.replace("%s", only.value)[: folding.LONGEST], built=True))
    return SCALAR


def _concatenation(machine: Machine, left: Value, right: Value, node: ast.AST) -> Value | None:
    sides = [atom for atom in left | right if isinstance(atom, Container)]
    if not sides:
        return None
    made = machine.container(node, sides[0].kind)
    a, b = _only_items(left), _only_items(right)
    if a is not None and b is not None and made.items is None and not made.elements:
        made.items = [*a, *b]
    else:
        parts = [part for side in sides for part in (*(side.items or ()), side.elements)]
        made.elements = join([made.elements, *parts, *(made.items or ())])
        made.items = None
    return value(made)


def _only_items(val: Value) -> list[Value] | None:
    only = next(iter(val)) if len(val) == 1 else None
    return only.items if isinstance(only, Container) else None


def unary(machine: Machine, operand: Value, node: ast.UnaryOp, frame: Frame) -> Value:
    if isinstance(node.op, ast.Not):
        return join([SCALAR, traces([operand])])
    worked = result_of_work(machine, [operand], node, frame, f"the operator `{_symbol(node.op)}`")
    if worked is not None:
        return worked
    only = folding.single(operand)
    if only is not None and isinstance(node.op, ast.USub) and isinstance(only.value, int | float):
        return value(Const(-only.value))
    return join([SCALAR, traces([operand]), maybe_graph(machine, [operand], node, frame)])


def compare(machine: Machine, sides: list[Value], node: ast.Compare, frame: Frame) -> Value:
    if all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops) or any(
        val == value(Const(None)) for val in sides
    ):
        worked = None
    else:
        worked = result_of_work(machine, sides, node, frame, f"the comparison `{_symbol(node.ops[0])}`")
    if worked is not None:
        return worked
    known = _compare_constants(sides, node)
    if known is not None:
        return value(Const(known))
    carried = traces(sides) - {Mark.ADDRESS}
    runners = value(Mark.SIGN) if any(isinstance(atom, Launch) for val in sides for atom in val) else NOTHING
    return join([SCALAR, carried, runners])


def _compare_constants(sides: list[Value], node: ast.Compare) -> bool | None:
    """Two literals, equal or not; anything else is left open."""
    a, b = folding.single(sides[0]), folding.single(sides[1])
    if a is None or b is None or len(sides) != 2 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return None
    return (a.value == b.value) is isinstance(node.ops[0], ast.Eq)


def index_tensor(machine: Machine, atom: object, index: Value, node: ast.Subscript, frame: Frame) -> Value:
    """`tensor[index]`: slices, numbers, None and Ellipsis make a view; a list or a tensor gathers."""
    if isinstance(atom, TensorObj) and _gathers(index):
        if atom.is_data or data_tensors(index):
            report_work(machine, node, frame, f"`{text_of(node)}`: indexing by a list or tensor gathers elements")
            return value(machine.tensor(node, TensorKind.RESULT))
        return value(machine.tensor(node, TensorKind.TABLE))
    return value(atom)  # type: ignore[arg-type]


def _gathers(index: Value, depth: int = 3) -> bool:
    for atom in index:
        if isinstance(atom, TensorObj):
            return True
        if isinstance(atom, Container):
            if atom.kind == "list":
                return True
            if depth and any(_gathers(item, depth - 1) for item in atom.items or ()):
                return True
    return False


def augmented(machine: Machine, target: Value, operand: Value, node: ast.AugAssign, frame: Frame) -> Value:
    """`target op= operand`: on a tensor this writes into it."""
    for tensor in data_tensors(target):
        if tensor.kind is TensorKind.INPUT:
            state.report_mutation(machine, node, frame, f"`{text_of(node)}` writes into an input")
    if tensors(target):
        result_of_work(machine, [target, operand], node, frame, f"the operator `{_symbol(node.op)}=`")
        return target
    return binary(machine, target, operand, node.op, node, frame)
