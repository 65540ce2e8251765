"""Places that outlive a call, assignments, and what must not be kept."""

import ast

from evaluator.integrity.analysis import folding
from evaluator.integrity.analysis.machine import Frame, Machine, Phase, home_of
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Atom,
    ClassObj,
    Const,
    Container,
    Env,
    Ext,
    Function,
    Instance,
    Kernel,
    Mark,
    ModuleObj,
    Place,
    StateRead,
    TensorKind,
    TensorObj,
    Tentative,
    Value,
    join,
    value,
)
from evaluator.verdicts import FindingClass, Severity

MOST_REACHED = 500  # objects followed from one value


def read_mark(machine: Machine, owner: Container | Function | Instance | ClassObj) -> Value:
    """What a number read from an object carries when the object outlives the call."""
    if machine.phase is not Phase.CALL:
        return NOTHING
    if isinstance(owner, Container | Instance):
        return value(StateRead(place_of(machine, owner))) if owner.outlives else NOTHING
    return value(StateRead(place_of(machine, owner)))


def place_of(machine: Machine, owner: object) -> Place:
    if isinstance(owner, Container):
        return owner.place
    name = getattr(owner, "name", None) or getattr(getattr(owner, "of", None), "name", "an object")
    return machine.site((owner, "place"), lambda: Place(f"an attribute of `{name}`"))


def assign(machine: Machine, target: ast.expr, val: Value, frame: Frame) -> None:
    """`target = val`."""
    from evaluator.integrity.analysis import expressions

    if isinstance(target, ast.Name):
        assign_name(machine, target.id, val, target, frame)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(machine, target, val, frame)
    elif isinstance(target, ast.Starred):
        made = machine.container(target, "list")
        made.elements = join([made.elements, val])
        assign(machine, target.value, value(made), frame)
    elif isinstance(target, ast.Attribute):
        assign_attribute(machine, expressions.evaluate(machine, target.value, frame), target.attr, val, target, frame)
    elif isinstance(target, ast.Subscript):
        owner = expressions.evaluate(machine, target.value, frame)
        index = expressions.evaluate(machine, target.slice, frame)
        assign_element(machine, owner, index, val, target, frame)


def assign_name(machine: Machine, name: str, val: Value, node: ast.AST, frame: Frame) -> None:
    home = home_of(frame.env, name)
    if home is None:
        frame.env.names[name] = val
        return
    home.late[name] = join([home.late.get(name, NOTHING), val])
    home.names.setdefault(name, NOTHING)
    if home.outlives:
        keep(machine, home.place(name), val, node, frame)


def _unpack(machine: Machine, target: ast.Tuple | ast.List, val: Value, frame: Frame) -> None:
    only = next(iter(val)) if len(val) == 1 else None
    plain = not any(isinstance(part, ast.Starred) for part in target.elts)
    if plain and isinstance(only, Container) and only.items is not None and len(only.items) == len(target.elts):
        for part, item in zip(target.elts, only.items, strict=True):
            assign(machine, part, item, frame)
        return
    elements = elements_of(machine, val, target, frame)
    for part in target.elts:
        assign(machine, part, elements, frame)


def assign_attribute(machine: Machine, owner: Value, attr: str, val: Value, node: ast.AST, frame: Frame) -> None:
    """`owner.attr = val`."""
    from evaluator.integrity.analysis import outside_state

    outside_state.judge_attribute(machine, attr, node, frame)
    for atom in owner:
        if isinstance(atom, Ext):
            outside_state.assign_outside(machine, atom, attr, val, node, frame)
        elif atom is Mark.GRAPH_VALUE:
            tensor = machine.tensor(node, TensorKind.INPUT)
            outside_state.assign_on_tensor(machine, tensor, attr, val, node, frame)
        elif isinstance(atom, TensorObj):
            outside_state.assign_on_tensor(machine, atom, attr, val, node, frame)
        elif isinstance(atom, Instance | ClassObj | Function | Kernel):
            if attr == "__code__":
                machine.report.add(FindingClass.MONKEYPATCH, frame.file, node, "the code of a function is replaced")
            atom.attributes[attr] = join([atom.attributes.get(attr, NOTHING), val])
            if not isinstance(atom, Instance) or atom.outlives:
                keep(machine, place_of(machine, atom), val, node, frame)
        elif isinstance(atom, ModuleObj):
            atom.env.late[attr] = join([atom.env.late.get(attr, NOTHING), val])
            atom.env.names.setdefault(attr, NOTHING)
            keep(machine, atom.env.place(attr), val, node, frame)


def assign_element(machine: Machine, owner: Value, index: Value, val: Value, node: ast.AST, frame: Frame) -> None:
    """`owner[index] = val`."""
    from evaluator.integrity.analysis import imports, outside_state

    for atom in owner:
        if isinstance(atom, Container):
            put(machine, atom, index, val, node, frame)
        elif isinstance(atom, TensorObj):
            outside_state.write_elements(machine, atom, val, node, frame)
        elif isinstance(atom, Ext) and atom.name == "sys.modules":
            imports.put_loaded_module(machine, index, val, node, frame)
        elif isinstance(atom, Ext):
            outside_state.assign_outside(machine, atom, "[...]", val, node, frame)
        elif atom is Mark.NUMPY and machine.phase is Phase.CALL:
            words = "an array that shares memory with a tensor is written into"
            machine.report.add(FindingClass.INPUT_MUTATION, frame.file, node, words, Severity.SUSPICIOUS)


def put(machine: Machine, container: Container, index: Value, val: Value, node: ast.AST, frame: Frame) -> None:
    """Store an element, under a key where there is one."""
    only = folding.single(index)
    if (
        container.items is not None
        and only is not None
        and type(only.value) is int
        and 0 <= only.value < len(container.items)
    ):
        container.items[only.value] = join([container.items[only.value], val])
    elif only is not None and isinstance(only.value, str):
        container.fields[only.value] = join([container.fields.get(only.value, NOTHING), val])
    else:
        container.elements = join([container.elements, val])
    container.keys = join([container.keys, index])
    if container.outlives:
        keep(machine, container.place, val, node, frame, key=index)


def append(machine: Machine, container: Container, val: Value, node: ast.AST, frame: Frame) -> None:
    container.elements = join([container.elements, val])
    if container.outlives:
        if machine.phase is Phase.CALL:
            container.place.counts = True
        keep(machine, container.place, val, node, frame)


def keep(machine: Machine, place: Place, val: Value, node: ast.AST, frame: Frame, key: Value = NOTHING) -> None:
    """Something is stored where it outlives the call."""
    outlive(machine, val)
    if machine.phase is not Phase.CALL:
        return
    if any(isinstance(atom, StateRead) and atom.place is place for atom in val):
        place.counts = True
    elif all(isinstance(atom, Const) or atom is Mark.SCALAR for atom in val):
        place.latches = True
    kept = [tensor for tensor in _reachable(val) if _holds_data(machine, tensor)]
    for tensor in kept:
        what = "an input" if tensor.kind is TensorKind.INPUT else "a tensor computed from the inputs"
        machine.report.add(
            FindingClass.OUTPUT_CACHE, frame.file, node, f"{what} is kept in {_where(place)} after the call"
        )
    if kept:
        return
    if Mark.DATA_SCALAR in val:
        machine.report.add(
            FindingClass.OUTPUT_CACHE, frame.file, node, f"a number read from a tensor is kept in {_where(place)}"
        )
    elif _holds_address(key) and not _only_settings(val):
        machine.report.add(
            FindingClass.OUTPUT_CACHE, frame.file, node, f"{_where(place)} is keyed by the address of a tensor"
        )
    elif _holds_address(key) or _holds_address(val):
        machine.report.add(
            FindingClass.OUTPUT_CACHE,
            frame.file,
            node,
            f"the address of a tensor is kept in {_where(place)}",
            Severity.SUSPICIOUS,
        )


def _where(place: Place) -> str:
    return place.name if place.name.startswith("a") and " " in place.name else f"`{place.name}`"


def _only_settings(val: Value) -> bool:
    return not any(isinstance(atom, TensorObj | Container | Instance) for atom in val)


def _holds_address(val: Value) -> bool:
    return Mark.ADDRESS in val or any(
        Mark.ADDRESS in part
        for atom in val
        if isinstance(atom, Container)
        for part in (*(atom.items or ()), atom.elements)
    )


def _holds_data(machine: Machine, tensor: TensorObj) -> bool:
    if tensor.kind is TensorKind.TABLE and not tensor.written:
        return False
    if tensor.kind in (TensorKind.INPUT, TensorKind.COPY, TensorKind.RESULT):
        return True
    return tensor in machine.written


def _reachable(val: Value) -> list[TensorObj]:
    found: list[TensorObj] = []
    pending = list(val)
    seen: set[Atom] = set()
    while pending and len(seen) < MOST_REACHED:
        atom = pending.pop()
        if isinstance(atom, TensorObj):
            if atom not in seen:
                found.append(atom)
                seen.add(atom)
        elif isinstance(atom, Container | Instance) and atom not in seen:
            seen.add(atom)
            pending.extend(_held(atom))
    return found


def flattened(val: Value) -> Value:
    """A value with everything that its containers hold."""
    found: set[Atom] = set()
    pending = list(val)
    while pending and len(found) < MOST_REACHED:
        atom = pending.pop()
        if atom not in found:
            found.add(atom)
            if isinstance(atom, Container):
                pending.extend(_held(atom))
    return frozenset(found)


def reachable_tensors(val: Value) -> list[TensorObj]:
    """Tensors that a value is or holds."""
    return _reachable(val)


def outlive(machine: Machine, val: Value) -> None:
    """Everything reachable from a value now outlives the call. What an outliving object holds is marked already."""
    pending = list(val)
    while pending:
        atom = pending.pop()
        if isinstance(atom, TensorObj):
            if machine.phase is Phase.CALL or atom.kind is not TensorKind.INPUT:
                atom.kept = True
        elif isinstance(atom, Container | Instance) and not atom.outlives:
            atom.outlives = True
            pending.extend(_held(atom))


def mark_display(machine: Machine, made: Container) -> None:
    """A list or dict that was written out: while loading, it and what it holds outlive every call."""
    if made.outlives:
        made.outlives = False
        outlive(machine, frozenset({made}))


def _held(atom: Container | Instance) -> Value:
    if isinstance(atom, Instance):
        return join(atom.attributes.values())
    return join([*(atom.items or ()), atom.elements, *atom.fields.values()])


def elements_of(machine: Machine, val: Value, node: ast.AST, frame: Frame) -> Value:
    """What iterating over a value yields."""
    found: list[Value] = []
    for atom in val:
        if isinstance(atom, Container):
            inner = join([*(atom.items or ()), atom.elements])
            found.append(join([inner, atom.keys]) if atom.kind != "dict" else join([atom.keys, NOTHING]))
        elif isinstance(atom, TensorObj | Tentative) or atom in (Mark.GRAPH_VALUE, Mark.DATA_SCALAR):
            found.append(value(atom))
        elif isinstance(atom, Const) and isinstance(atom.value, str):
            found.append(value(*(Const(letter, built=True) for letter in atom.value[:20])))
        elif isinstance(atom, Ext):
            found.append(value(atom) if atom.name.endswith(("()", ".__dict__")) else SCALAR)
        else:
            found.append(SCALAR if atom is not Mark.UNKNOWN else UNKNOWN)
    return join(found) if found else UNKNOWN


def scope_outlives(machine: Machine, env: Env) -> None:
    env.outlives = env.outlives or machine.phase is Phase.LOAD


def check_grid(machine: Machine, grid: Value, node: ast.AST, frame: Frame) -> None:
    """A grid that depends on a call counter switches work off after a while."""
    parts = join([grid, *(item for atom in grid if isinstance(atom, Container) for item in atom.items or ())])
    if machine.phase is Phase.CALL and _counted(parts):
        machine.report.add(
            FindingClass.PHASE_DETECTION,
            frame.file,
            node,
            "the launch grid depends on how often the launcher was called",
        )


def check_chosen(machine: Machine, options: Value, index: Value, node: ast.AST, frame: Frame | None = None) -> None:
    """`[work, skip][calls > 5]`: a call counter chooses what is run."""
    callables = [atom for atom in options if isinstance(atom, Function | Kernel | ClassObj)]
    if machine.phase is Phase.CALL and len(callables) > 1 and _counted(index):
        file = callables[0].function.file if isinstance(callables[0], Kernel) else callables[0].file
        machine.report.add(
            FindingClass.PHASE_DETECTION, file, node, "what is run depends on how often the launcher was called"
        )


def _counted(val: Value) -> bool:
    return any(isinstance(atom, StateRead) and atom.place.counts for atom in val)


def report_mutation(
    machine: Machine, node: ast.AST, frame: Frame, evidence: str, severity: Severity = Severity.VIOLATION
) -> None:
    """Patterns that work in place may be replaced in place: there the run decides by looking at the inputs."""
    if machine.phase is Phase.CALL and not machine.pattern_in_place:
        machine.report.add(FindingClass.INPUT_MUTATION, frame.file, node, evidence, severity)
