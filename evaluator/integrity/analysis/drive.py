"""Runs a submission abstractly from end to end: loading, tracing, launching; then judges what was seen."""

import ast
from collections.abc import Iterator

from evaluator.integrity.analysis import calls, imports, launches, patterns, phases, state, statements, tensor_methods
from evaluator.integrity.analysis.calls import Arguments
from evaluator.integrity.analysis.machine import Frame, Machine, OutOfSteps, Phase, read_name
from evaluator.integrity.analysis.project import Project, SourceFile
from evaluator.integrity.analysis.report import Report
from evaluator.integrity.analysis.values import (
    NOTHING,
    UNKNOWN,
    ClassObj,
    Container,
    Env,
    Function,
    Instance,
    Kernel,
    Mark,
    ModuleObj,
    TensorKind,
    Value,
    join,
    value,
)
from evaluator.verdicts import FindingClass, Severity

ROUNDS = 3  # what one call stores, the next one reads


def check_project(project: Project, report: Report) -> None:
    """Follow the whole submission and fill the report."""
    machine = Machine(project, report)
    for file in project.files:
        env = Env({}, None, outlives=True)
        env.module = machine.modules[file.module] = ModuleObj(file.module, file.name, env)
    try:
        for _ in range(ROUNDS):
            _one_round(machine)
        _run_leftovers(machine)
        _one_round(machine)
    except (OutOfSteps, RecursionError):
        _report_too_long(machine)
    for thing in list(machine.sites.values()):
        if isinstance(thing, Kernel):
            launches.check_kernel_body(machine, thing)
    phases.judge_tests(machine)
    phases.judge_streams(machine)
    phases.judge_clock(machine)


def _report_too_long(machine: Machine) -> None:
    file = machine.project.files[0].name if machine.project.files else ""
    words = "the files are too involved to be followed to the end; the guards of the run decide"
    machine.report.add(FindingClass.RESOURCE, file, 1, words, Severity.SUSPICIOUS)
    machine.report.muted = False
    for source in machine.project.files:
        imports.judge_all(machine, source)


def _one_round(machine: Machine) -> None:
    machine.executed.clear()
    machine.memo.clear()
    machine.contexts.clear()
    machine.active.clear()
    machine.tests.clear()
    for file in machine.project.files:
        statements.run_module(machine, machine.modules[file.module])
    for file in machine.project.files:
        if file.listed:
            _run_pass(machine, file)


def _run_pass(machine: Machine, file: SourceFile) -> None:
    """`pattern` and `replacement_args` are traced; what `replacement_func` returns is called with their result."""
    env = machine.modules[file.module].env
    pattern = read_name(machine, env, "pattern") or NOTHING
    machine.pattern_in_place = patterns.works_in_place(pattern)
    traced = patterns.placeholders(machine, pattern)
    frame = Frame(env, file.name)
    node = file.tree
    with machine.in_phase(Phase.TRACED):
        for atom in pattern:
            if isinstance(atom, Function):
                calls.call_value(machine, value(atom), Arguments(list(traced), {}), node, frame)
        given = read_name(machine, env, "replacement_args")
        arguments = calls.call_value(machine, given, Arguments(list(traced), {}), node, frame) if given else UNKNOWN
    with machine.in_phase(Phase.LOAD):
        make = read_name(machine, env, "replacement_func")
        launcher = calls.call_value(machine, make, Arguments([], {}), node, frame) if make else NOTHING
    _call_launcher(machine, launcher, arguments, node, frame)
    machine.pattern_in_place = False


def _call_launcher(machine: Machine, launcher: Value, arguments: Value, node: ast.AST, frame: Frame) -> None:
    given = _launcher_arguments(arguments)
    with machine.in_phase(Phase.CALL):
        for atom in launcher:
            machine.written = frozenset()
            result = calls.call_value(machine, value(atom), given, node, frame)
            tensor_methods.confirm(machine, _flat(result))
            _check_returned(machine, atom, result, frame)
    machine.written = frozenset()


def _launcher_arguments(arguments: Value) -> Arguments:
    only = next(iter(arguments)) if len(arguments) == 1 else None
    if isinstance(only, Container) and only.items is not None:
        return Arguments(list(only.items), {})
    elements = join(
        [part for atom in arguments if isinstance(atom, Container) for part in (*(atom.items or ()), atom.elements)]
    )
    return Arguments([], {}, elements or value(Mark.GRAPH_VALUE))


def _flat(val: Value, depth: int = 3) -> Value:
    parts = [val]
    if depth:
        for atom in val:
            if isinstance(atom, Container):
                parts.append(_flat(join([*(atom.items or ()), atom.elements]), depth - 1))
    return join(parts)


def _check_returned(machine: Machine, launcher: object, result: Value, frame: Frame) -> None:
    """A returned tensor must have been made by this very call."""
    line = _line_of(launcher)
    file = _file_of(launcher, frame)
    for tensor in state.reachable_tensors(result):
        tensor.returned = True
        if tensor.from_numbers and not tensor.written:
            words = f"an output (line {tensor.line}) is put together from numbers that were read out of a tensor"
            machine.report.add(FindingClass.TORCH_COMPUTE, file, line, words, Severity.SUSPICIOUS)
        if not tensor.kept or tensor.kind is TensorKind.INPUT:
            continue
        if tensor.kind is TensorKind.TABLE and not tensor.written:
            continue
        if tensor in machine.written:
            words = f"a buffer that is kept between calls (line {tensor.line}) is returned: a later call overwrites it"
            machine.report.add(FindingClass.OUTPUT_ALIAS, file, line, words, Severity.SUSPICIOUS)
        else:
            words = f"an output that an earlier call has made (line {tensor.line}) is returned again"
            machine.report.add(FindingClass.OUTPUT_CACHE, file, line, words)


def _line_of(launcher: object) -> int:
    node = launcher.node if isinstance(launcher, Function) else None
    return getattr(node, "lineno", 1)


def _file_of(launcher: object, frame: Frame) -> str:
    return launcher.file if isinstance(launcher, Function) else frame.file


def _run_leftovers(machine: Machine) -> None:
    """Functions that nothing was seen to call: those that are named somewhere may still run, the others can not."""
    named = _names_in_use(machine.project)
    for _ in range(3):
        pending = [(node, made) for node, made in machine.functions.items() if made not in machine.touched]
        if not pending:
            return
        for _, function in pending:
            machine.touched.add(function)
            if function.owner is not None and not _owner_lives(function, named):
                continue
            machine.report.muted = not _may_run(machine, function, named)
            frame = Frame(function.env, function.file)
            arguments = [_guess(machine, function, name) for name in _parameters(function)]
            machine.written = frozenset()
            with machine.in_phase(Phase.CALL):
                calls.call_function(machine, function, arguments, {}, function.node)
            machine.report.muted = False
            del frame


def _owner_lives(function: Function, named: set[str]) -> bool:
    """Methods that only training needs are never called here."""
    return function.name not in ("backward", "jvp", "setup_context", "vmap", "symbolic")


def _may_run(machine: Machine, function: Function, named: set[str]) -> bool:
    if function.owner is not None:
        return function.owner.name in named and (
            function.name in named or function.name.startswith("__") or function.kind == "property"
        )
    if isinstance(function.node, ast.Lambda):
        return True
    return function.name in named


def _names_in_use(project: Project) -> set[str]:
    """Every name that is read, imported, written as text or as an attribute anywhere."""
    found: set[str] = set()
    for file in project.files:
        for node in _imported_nodes(file.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.alias):
                found.add(node.name)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                found.add(node.value)
    return found


def _imported_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only run when the file is started as a script."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and statements.is_script_guard(child.test):
            yield from (node for part in child.orelse for node in _imported_nodes(part))
        else:
            yield from _imported_nodes(child)


def _parameters(function: Function) -> list[str]:
    spec = function.node.args
    return [arg.arg for arg in (*spec.posonlyargs, *spec.args)]


def _guess(machine: Machine, function: Function, name: str) -> Value:
    if name == "self" and function.owner is not None:
        owner: ClassObj = function.owner
        return value(machine.site((owner, "some instance"), lambda: Instance(owner, outlives=True)))
    if name in function.defaults:
        return function.defaults[name]
    if name in launches.tensor_names(machine, function):
        return value(machine.tensor(function.node, TensorKind.INPUT, name))
    return UNKNOWN
