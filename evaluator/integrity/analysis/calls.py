"""Calls: of the submission's own functions, kernels and classes; the rest is handed on."""

import ast

from evaluator.integrity.analysis import (
    attributes,
    expressions,
    launches,
    python_calls,
    state,
    tensor_methods,
    torch_calls,
)
from evaluator.integrity.analysis.machine import MOST_CONTEXTS, MOST_DEPTH, Contexts, Frame, Machine, Phase
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Bound,
    ClassObj,
    Container,
    Env,
    Ext,
    Function,
    Instance,
    Kernel,
    Launch,
    Mark,
    Method,
    Partial,
    TensorKind,
    TensorObj,
    Tentative,
    Value,
    data_tensors,
    join,
    value,
)
from evaluator.verdicts import FindingClass


class Arguments:
    """Arguments of one call, worked out. `loose` is what `*args` and `**kwargs` may add."""

    def __init__(self, args: list[Value], kwargs: dict[str, Value], loose: Value = NOTHING) -> None:
        self.args = args
        self.kwargs = kwargs
        self.loose = loose

    def everything(self) -> list[Value]:
        return [*self.args, *self.kwargs.values(), *([self.loose] if self.loose else [])]

    def get(self, position: int, name: str = "") -> Value | None:
        if name and name in self.kwargs:
            return self.kwargs[name]
        if 0 <= position < len(self.args):
            return self.args[position]
        return self.loose or None


def evaluate_call(machine: Machine, node: ast.Call, frame: Frame) -> Value:
    callee = expressions.evaluate(machine, node.func, frame)
    arguments = evaluate_arguments(machine, node, frame)
    if _is_super(node):
        owner = arguments.get(1) or NOTHING
        is_tensor = any(atom is Mark.GRAPH_VALUE or isinstance(atom, TensorObj) for atom in owner)
        return owner if is_tensor else _super_method(machine, frame)
    return call_value(machine, callee, arguments, node, frame)


def evaluate_arguments(machine: Machine, node: ast.Call, frame: Frame) -> Arguments:
    args: list[Value] = []
    loose: list[Value] = []
    for argument in node.args:
        val = expressions.evaluate(machine, argument, frame)
        if not isinstance(argument, ast.Starred):
            args.append(val)
            continue
        only = next(iter(val)) if len(val) == 1 else None
        if isinstance(only, Container) and only.items is not None and not loose:
            args.extend(only.items)
        else:
            loose.append(state.elements_of(machine, val, argument, frame))
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        val = expressions.evaluate(machine, keyword.value, frame)
        if keyword.arg is not None:
            kwargs[keyword.arg] = val
            continue
        for atom in val:
            if isinstance(atom, Container):
                kwargs.update(atom.fields)
                loose.append(atom.elements)
    return Arguments(args, kwargs, join(loose))


def call_value(machine: Machine, callee: Value, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call whatever `callee` may be."""
    machine.step(len(callee) + sum(len(val) for val in arguments.everything()))
    return join([_call_one(machine, atom, arguments, node, frame) for atom in callee]) if callee else UNKNOWN


def _call_one(machine: Machine, atom: object, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    if isinstance(atom, Function):
        return call_function(machine, atom, arguments.args, arguments.kwargs, node, arguments.loose)
    if isinstance(atom, Bound):
        return call_function(
            machine, atom.function, [atom.owner, *arguments.args], arguments.kwargs, node, arguments.loose
        )
    if isinstance(atom, Partial):
        merged = Arguments([*atom.args, *arguments.args], {**dict(atom.kwargs), **arguments.kwargs}, arguments.loose)
        return call_value(machine, atom.function, merged, node, frame)
    if isinstance(atom, Launch):
        return launches.launch(machine, atom, arguments, node, frame)
    if isinstance(atom, Kernel):
        return call_function(machine, atom.function, arguments.args, arguments.kwargs, node, arguments.loose)
    if isinstance(atom, ClassObj):
        return instantiate(machine, atom, arguments, node, frame)
    if isinstance(atom, Instance):
        method = attributes.class_attribute(machine, atom.of, "__call__", value(atom), through_instance=True)
        if method is None:
            return UNKNOWN
        if any(isinstance(part, Ext) for part in method):  # torch.nn.Module.__call__ runs `forward`
            method = (
                attributes.class_attribute(machine, atom.of, "forward", value(atom), through_instance=True) or UNKNOWN
            )
        return call_value(machine, method, arguments, node, frame)
    if isinstance(atom, Method):
        return tensor_methods.call_method(machine, atom, arguments, node, frame)
    if isinstance(atom, Ext):
        if atom.name.split(".")[0] == "torch":
            return torch_calls.call(machine, atom, arguments, node, frame)
        return python_calls.call(machine, atom, arguments, node, frame)
    return _call_unknown(machine, arguments, node, frame)


def _call_unknown(machine: Machine, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Functions given to something unknown may be called there."""
    call_back(machine, arguments, node, frame)
    return UNKNOWN


def call_back(machine: Machine, arguments: Arguments, node: ast.AST, frame: Frame) -> None:
    """Run functions that are handed to code that can not be followed, with everything else that is handed over."""
    handed = join(arguments.everything())
    machine.step(len(handed))
    callables = [atom for atom in handed if isinstance(atom, Function | Bound | Partial)]
    others = frozenset(atom for atom in handed if not isinstance(atom, Function | Bound | Partial))
    for atom in callables:
        call_value(machine, value(atom), Arguments([], {}, others or UNKNOWN), node, frame)


def call_function(
    machine: Machine,
    function: Function,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    loose: Value = NOTHING,
) -> Value:
    """Run one of the submission's functions with these arguments."""
    from evaluator.integrity.analysis import statements

    machine.step()
    machine.touched.add(function)
    names = bind(machine, function, args, kwargs, loose)
    if function.cached and machine.phase is Phase.CALL:
        _check_cached(machine, function, names)
    names = _widened(machine, function, names)
    key = (function, machine.phase, machine.written, frozenset(names.items()))
    known = machine.memo.get(key)
    if known is not None:
        machine.written = known[1]
        return known[0]
    if key in machine.active or len(machine.active) >= MOST_DEPTH:
        return UNKNOWN
    env = Env(names, function.env, function.env.module)
    state.scope_outlives(machine, env)
    frame = Frame(env, function.file, function)
    entry = machine.written
    machine.active.append(key)
    try:
        falls_through = statements.run_function_body(machine, function, frame)
    finally:
        machine.active.pop()
    if falls_through:
        frame.exits.append(machine.written)
    machine.written = frozenset.intersection(*frame.exits) if frame.exits else entry
    result = join(frame.returns) if frame.returns else NOTHING
    if frame.yields:
        made = machine.container(function.node, "generator")
        made.elements = join([made.elements, *frame.yields])
        result = value(made)
    result = result or SCALAR
    machine.memo[key] = (result, machine.written)
    return result


def _widened(machine: Machine, function: Function, names: dict[str, Value]) -> dict[str, Value]:
    """After some different calls of a function, all further ones are taken together, so that the run ends."""
    seen = machine.contexts.setdefault((function, machine.phase), Contexts())
    key = (frozenset(names.items()), machine.written)
    if key in seen.single or len(seen.single) < MOST_CONTEXTS:
        seen.single.add(key)
        return names
    for name, val in names.items():
        seen.merged[name] = join([seen.merged.get(name, NOTHING), val])
    return dict(seen.merged)


def _check_cached(machine: Machine, function: Function, names: dict[str, Value]) -> None:
    for name, val in names.items():
        if data_tensors(val) or any(atom is Mark.GRAPH_VALUE or isinstance(atom, Tentative) for atom in val):
            machine.report.add(
                FindingClass.OUTPUT_CACHE, function.file, function.node,
                f"`{function.name}` remembers its results by the tensor `{name}`",
            )  # fmt: skip


def bind(
    machine: Machine, function: Function, args: list[Value], kwargs: dict[str, Value], loose: Value
) -> dict[str, Value]:
    """Names that the function's body begins with. Missing arguments take their default, or what is loose."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    names: dict[str, Value] = {}
    for index, arg in enumerate(positional):
        given = args[index] if index < len(args) else kwargs.get(arg.arg)
        names[arg.arg] = _or_default(function, arg.arg, given, loose)
    for arg in spec.kwonlyargs:
        names[arg.arg] = _or_default(function, arg.arg, kwargs.get(arg.arg), loose)
    if spec.vararg is not None:
        rest = machine.site((function.node, "rest", len(args)), lambda: Container("tuple"))
        surplus = args[len(positional) :]
        if rest.items is not None and len(rest.items) == len(surplus):
            surplus = [join([old, new]) for old, new in zip(rest.items, surplus, strict=True)]
        rest.items, rest.elements = (surplus, NOTHING) if not loose else (None, join([rest.elements, loose, *surplus]))
        names[spec.vararg.arg] = value(rest)
    if spec.kwarg is not None:
        known = {arg.arg for arg in (*positional, *spec.kwonlyargs)}
        extra = machine.site((function.node, "extra"), lambda: Container("dict"))
        for name, val in kwargs.items():
            if name not in known:
                extra.fields[name] = join([extra.fields.get(name, NOTHING), val])
        names[spec.kwarg.arg] = value(extra)
    return {name: _with_evidence(machine, function, name, val) for name, val in names.items()}


def _or_default(function: Function, name: str, given: Value | None, loose: Value) -> Value:
    if given is not None:
        return given
    default = function.defaults.get(name)
    parts = [part for part in (default, loose or None) if part is not None]
    return join(parts) if parts else UNKNOWN


def _with_evidence(machine: Machine, function: Function, name: str, val: Value) -> Value:
    """A graph value of which the function asks the shape is a tensor."""
    unsure = Mark.GRAPH_VALUE in val or any(isinstance(atom, Tentative) for atom in val)
    if unsure and name in launches.tensor_names(machine, function):
        kept = frozenset(atom for atom in val if atom is not Mark.GRAPH_VALUE)
        return kept | {machine.tensor(function.node, TensorKind.INPUT, name)}
    return val


def instantiate(machine: Machine, cls: ClassObj, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    made = machine.site((node, cls, "instance"), lambda: Instance(cls))
    made.outlives = made.outlives or machine.phase is Phase.LOAD
    owner = value(made)
    for name in ("__new__", "__init__"):
        method = attributes.class_attribute(machine, cls, name, owner, through_instance=True)
        for atom in method or ():
            if isinstance(atom, Bound):
                call_function(machine, atom.function, [owner, *arguments.args], arguments.kwargs, node, arguments.loose)
            elif isinstance(atom, Function):
                call_function(machine, atom, [value(cls), *arguments.args], arguments.kwargs, node, arguments.loose)
    _fill_dataclass(made, arguments)
    return owner


def call_special(machine: Machine, owner: Instance, name: str, args: list[Value], node: ast.AST, frame: Frame) -> Value:
    """`owner[…]`, `owner + …`, `with owner`: a method of the submission's class that Python calls."""
    method = attributes.class_attribute(machine, owner.of, name, value(owner), through_instance=True)
    own = frozenset(atom for atom in method or () if isinstance(atom, Bound | Function))
    return call_value(machine, own, Arguments(args, {}), node, frame) if own else UNKNOWN


def _fill_dataclass(made: Instance, arguments: Arguments) -> None:
    """Fields of classes without `__init__` (dataclasses, named tuples) take the arguments."""
    if "__init__" in made.of.attributes:
        return
    for name, val in arguments.kwargs.items():
        made.attributes[name] = join([made.attributes.get(name, NOTHING), val])
    fields = [name for name in made.of.attributes if not name.startswith("__")]
    for name, val in zip(fields, arguments.args, strict=False):
        made.attributes[name] = join([made.attributes.get(name, NOTHING), val])


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super"


def _super_method(machine: Machine, frame: Frame) -> Value:
    """`super()`: an outside base, or the class's own bases."""
    function = frame.function
    if function is None or function.owner is None:
        return UNKNOWN
    return join(function.owner.bases) or UNKNOWN
