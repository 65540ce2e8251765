"""Expressions: what each may be, and what working it out would do."""

import ast
from collections.abc import Callable
from typing import Any

from evaluator.integrity.analysis import attributes, calls, folding, imports, operators, state
from evaluator.integrity.analysis.machine import Frame, Machine, Test, read_name, tested
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Const,
    Container,
    Env,
    Ext,
    Function,
    Instance,
    Kernel,
    Launch,
    Mark,
    StateRead,
    TensorObj,
    Tentative,
    Value,
    join,
    text_constants,
    value,
)

NAMESPACE_CALLS = frozenset({"builtins.globals()", "builtins.locals()", "builtins.vars()"})


def evaluate(machine: Machine, node: ast.expr | None, frame: Frame) -> Value:
    """What an expression may be. Effects (launches, stores, findings) are recorded on the way."""
    if node is None:
        return value(Const(None))
    machine.step()
    handler = _HANDLERS.get(type(node))
    return UNKNOWN if handler is None else handler(machine, node, frame)


def note_test(machine: Machine, node: ast.AST, condition: Value, frame: Frame) -> None:
    """Remember a branch whose condition may tell calls apart; it is judged when everything is known."""
    if tested(condition):
        machine.tests.append(Test(node, frame.file, condition, frame.function.node if frame.function else None))


def _constant(machine: Machine, node: ast.Constant, frame: Frame) -> Value:
    if node.value is Ellipsis:
        return SCALAR
    return value(Const(node.value))


def _name(machine: Machine, node: ast.Name, frame: Frame) -> Value:
    found = read_name(machine, frame.env, node.id)
    if found is not None:
        return found
    return imports.global_name(machine, frame.env, node.id)


def _attribute(machine: Machine, node: ast.Attribute, frame: Frame) -> Value:
    return attributes.read(machine, evaluate(machine, node.value, frame), node.attr, node, frame)


def _call(machine: Machine, node: ast.Call, frame: Frame) -> Value:
    return calls.evaluate_call(machine, node, frame)


def _subscript(machine: Machine, node: ast.Subscript, frame: Frame) -> Value:
    owner = evaluate(machine, node.value, frame)
    index = evaluate(machine, node.slice, frame)
    return subscript(machine, owner, index, node, frame)


def subscript(machine: Machine, owner: Value, index: Value, node: ast.Subscript, frame: Frame) -> Value:
    """`owner[index]`."""
    found: list[Value] = []
    for atom in owner:
        if isinstance(atom, Kernel):
            state.check_grid(machine, index, node, frame)
            found.append(value(Launch(atom, index)))
        elif isinstance(atom, TensorObj) or atom is Mark.NUMPY:
            found.append(operators.index_tensor(machine, atom, index, node, frame))
        elif isinstance(atom, Container):
            found.append(_element(machine, atom, index, node))
        elif isinstance(atom, Ext):
            found.append(_outside_element(machine, atom, index, node, frame))
        elif isinstance(atom, Instance):
            found.append(calls.call_special(machine, atom, "__getitem__", [index], node, frame))
        elif isinstance(atom, Const) and isinstance(atom.value, str | bytes):
            found.append(_text_slice(atom, node, index))
        elif atom in (Mark.GRAPH_VALUE, Mark.UNKNOWN, Mark.DATA_SCALAR) or isinstance(atom, Tentative | StateRead):
            found.append(value(atom))
        else:
            told = value(atom) if atom in (Mark.CLOCK, Mark.DEVICE, Mark.SIGN) else SCALAR
            found.append(told if isinstance(atom, Mark) else UNKNOWN)
    return join(found) if found else UNKNOWN


def _element(machine: Machine, container: Container, index: Value, node: ast.Subscript) -> Value:
    read = state.read_mark(machine, container)
    if isinstance(node.slice, ast.Slice):
        return join([value(container), read])
    only = folding.single(index)
    if only is not None and type(only.value) is int and container.items is not None:
        if -len(container.items) <= only.value < len(container.items):
            return join([container.items[only.value], read])
        return join([container.elements, read])
    if only is not None and isinstance(only.value, str) and only.value in container.fields:
        return join([container.fields[only.value], read])
    everything = join([*(container.items or ()), container.elements, *container.fields.values()])
    state.check_chosen(machine, everything, index, node)
    return join([everything if everything else UNKNOWN, read])


def _text_slice(atom: Const, node: ast.Subscript, index: Value) -> Value:
    try:
        if isinstance(node.slice, ast.Slice):
            parts = [
                ast.literal_eval(part) if part is not None else None
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return folding.constant(folding.sliced(atom.value, *parts)) or SCALAR  # type: ignore[arg-type]
        position = folding.plain(index)
    except (LookupError, ValueError):
        return SCALAR
    if isinstance(atom.value, str) and isinstance(position, int) and -len(atom.value) <= position < len(atom.value):
        return value(Const(atom.value[position], built=True))
    return SCALAR


def _outside_element(machine: Machine, atom: Ext, index: Value, node: ast.Subscript, frame: Frame) -> Value:
    keys = text_constants(index)
    if atom.name in NAMESPACE_CALLS:
        return imports.namespace_element(machine, index, node, frame)
    if atom.name == "sys.modules":
        return imports.loaded_module(machine, index, node, frame)
    if atom.name.endswith(".__dict__") or atom.name.startswith("builtins.vars()."):
        return attributes.by_name(machine, value(Ext(atom.name.removesuffix(".__dict__"))), index, node, frame)
    if atom.name in ("os.environ", "os.environb"):
        return attributes.environment(keys)
    if atom.name.startswith("torch.ops"):
        return attributes.by_name(machine, value(atom), index, node, frame)
    if atom.name.startswith(("sys.", "builtins.")) and atom.name.endswith("()"):
        return UNKNOWN
    return value(atom) if not atom.name.startswith("typing.") else SCALAR


def _slice(machine: Machine, node: ast.Slice, frame: Frame) -> Value:
    parts = [evaluate(machine, part, frame) for part in (node.lower, node.upper, node.step) if part is not None]
    return join([SCALAR, *(part for part in parts if not all(isinstance(atom, Const) for atom in part))])


def _sequence(machine: Machine, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Value:
    kind = type(node).__name__.lower()
    items: list[Value] = []
    loose: list[Value] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            spread = evaluate(machine, element.value, frame)
            known = _known_items(spread)
            if known is not None:
                items.extend(known)
            else:
                loose.append(state.elements_of(machine, spread, element, frame))
        else:
            items.append(evaluate(machine, element, frame))
    made = machine.container(node, kind)
    _put_items(made, items, loose)
    state.mark_display(machine, made)
    return value(made)


def _known_items(val: Value) -> list[Value] | None:
    only = next(iter(val)) if len(val) == 1 else None
    return only.items if isinstance(only, Container) else None


def _put_items(made: Container, items: list[Value], loose: list[Value]) -> None:
    """Add what one evaluation of a display holds to what earlier ones held."""
    fresh = made.items is None and not made.elements
    if not loose and fresh:
        made.items = items
    elif not loose and made.items is not None and len(made.items) == len(items):
        made.items = [join([old, new]) for old, new in zip(made.items, items, strict=True)]
    else:
        made.elements = join([made.elements, *(made.items or ()), *items, *loose])
        made.items = None


def _dict(machine: Machine, node: ast.Dict, frame: Frame) -> Value:
    made = machine.container(node, "dict")
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        val = evaluate(machine, value_node, frame)
        if key_node is None:
            made.elements = join([made.elements, state.elements_of(machine, val, node, frame)])
            continue
        key = evaluate(machine, key_node, frame)
        only = folding.single(key)
        if only is not None and isinstance(only.value, str):
            made.fields[only.value] = join([made.fields.get(only.value, NOTHING), val])
        else:
            made.elements = join([made.elements, val])
        made.keys = join([made.keys, key])
    state.mark_display(machine, made)
    return value(made)


def _boolean(machine: Machine, node: ast.BoolOp, frame: Frame) -> Value:
    values = [evaluate(machine, part, frame) for part in node.values]
    for part in values[:-1]:
        note_test(machine, node, part, frame)
    return join(values)


def _binary(machine: Machine, node: ast.BinOp, frame: Frame) -> Value:
    left, right = evaluate(machine, node.left, frame), evaluate(machine, node.right, frame)
    return operators.binary(machine, left, right, node.op, node, frame)


def _unary(machine: Machine, node: ast.UnaryOp, frame: Frame) -> Value:
    return operators.unary(machine, evaluate(machine, node.operand, frame), node, frame)


def _compare(machine: Machine, node: ast.Compare, frame: Frame) -> Value:
    sides = [evaluate(machine, part, frame) for part in (node.left, *node.comparators)]
    return operators.compare(machine, sides, node, frame)


def _conditional(machine: Machine, node: ast.IfExp, frame: Frame) -> Value:
    note_test(machine, node, evaluate(machine, node.test, frame), frame)
    return join([evaluate(machine, node.body, frame), evaluate(machine, node.orelse, frame)])


def _lambda(machine: Machine, node: ast.Lambda, frame: Frame) -> Value:
    return value(make_function(machine, node, "<lambda>", frame))


def make_function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, frame: Frame
) -> Function:
    """The function that a `def` or `lambda` makes; its defaults are worked out where it stands."""
    made = machine.site((node, "function"), lambda: Function(node, name, frame.file, frame.env))
    if made.env is not frame.env:
        made.env = _merge_scopes(made.env, frame.env)
    machine.functions[node] = made
    spec = node.args
    for arg, default in zip([*spec.posonlyargs, *spec.args][::-1], spec.defaults[::-1], strict=False):
        made.defaults[arg.arg] = join([made.defaults.get(arg.arg, NOTHING), evaluate(machine, default, frame)])
    for arg, keyword_default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if keyword_default is not None:
            made.defaults[arg.arg] = join(
                [made.defaults.get(arg.arg, NOTHING), evaluate(machine, keyword_default, frame)]
            )
    return made


def _merge_scopes(old: Env, new: Env) -> Env:
    """A factory called twice makes two functions; they share one object here, so they see both scopes' names."""
    for name, val in old.names.items():
        new.names[name] = join([new.names.get(name, NOTHING), val])
    for name, val in old.late.items():
        new.late[name] = join([new.late.get(name, NOTHING), val])
    new.places = {**new.places, **old.places}
    new.changing |= old.changing
    new.outlives = new.outlives or old.outlives
    return new


def _joined(machine: Machine, node: ast.JoinedStr, frame: Frame) -> Value:
    text = ""
    marks: list[Value] = []
    known = True
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        val = evaluate(machine, inner, frame)
        if Mark.PROBE in val:
            val = value(Mark.TYPE_NAME)
        only = folding.single(val)
        if only is not None and isinstance(only.value, str) and not getattr(part, "format_spec", None):
            text += only.value
        else:
            known = False
            marks.append(operators.traces([val]))
    if known and len(text) <= folding.LONGEST:
        return value(Const(text, built=len(node.values) > 1))
    return join([SCALAR, *marks])


def _comprehension(machine: Machine, node: Any, frame: Frame) -> Value:
    scope = Env({}, frame.env, frame.env.module, frame.env.global_names, frame.env.outer_names)
    inner = Frame(scope, frame.file, frame.function, yields=frame.yields)
    for clause in node.generators:
        source = evaluate(machine, clause.iter, inner)
        assign_target(machine, clause.target, state.elements_of(machine, source, clause.iter, inner), inner)
        for condition in clause.ifs:
            note_test(machine, condition, evaluate(machine, condition, inner), inner)
    made = machine.container(
        node, {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}.get(type(node).__name__, "generator")
    )
    if isinstance(node, ast.DictComp):
        made.keys = join([made.keys, evaluate(machine, node.key, inner)])
        element = evaluate(machine, node.value, inner)
    else:
        element = evaluate(machine, node.elt, inner)
    made.elements = join([made.elements, element])
    state.mark_display(machine, made)
    return value(made)


def _named(machine: Machine, node: ast.NamedExpr, frame: Frame) -> Value:
    val = evaluate(machine, node.value, frame)
    assign_target(machine, node.target, val, frame)
    return val


def _yield(machine: Machine, node: ast.Yield | ast.YieldFrom, frame: Frame) -> Value:
    val = evaluate(machine, node.value, frame)
    if isinstance(node, ast.YieldFrom):
        val = state.elements_of(machine, val, node, frame)
    frame.yields.append(val)
    return UNKNOWN


def _await(machine: Machine, node: ast.Await, frame: Frame) -> Value:
    return evaluate(machine, node.value, frame)


def _starred(machine: Machine, node: ast.Starred, frame: Frame) -> Value:
    return evaluate(machine, node.value, frame)


def assign_target(machine: Machine, target: ast.expr, val: Value, frame: Frame) -> None:
    """`target = val` for every form of target."""
    state.assign(machine, target, val, frame)


_HANDLERS: dict[type[ast.expr], Callable[[Machine, Any, Frame], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.BoolOp: _boolean,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
    ast.JoinedStr: _joined,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.NamedExpr: _named,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Await: _await,
    ast.Starred: _starred,
}
