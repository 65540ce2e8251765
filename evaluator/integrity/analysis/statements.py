"""Statements, function bodies and modules."""

import ast
from collections.abc import Callable
from typing import Any

from evaluator.integrity.analysis import (
    calls,
    expressions,
    folding,
    imports,
    operators,
    outside_state,
    policy_python,
    state,
)
from evaluator.integrity.analysis.calls import Arguments
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.policy_torch import TENSOR_CLASSES
from evaluator.integrity.analysis.values import (
    NOTHING,
    UNKNOWN,
    ClassObj,
    Container,
    Env,
    Ext,
    Function,
    Instance,
    ModuleObj,
    TensorObj,
    Value,
    join,
    value,
)
from evaluator.verdicts import FindingClass, Severity

ENDS = False  # the block does not fall through


def run_module(machine: Machine, module: ModuleObj) -> None:
    """Run a module's top level, once a round."""
    if module.file in machine.executed:
        return
    machine.executed.add(module.file)
    source = machine.project.by_module(module.name)
    if source is None:
        return
    with machine.in_phase(Phase.LOAD):
        before, machine.written = machine.written, frozenset()
        run_block(machine, source.tree.body, Frame(module.env, module.file))
        machine.written = before


def run_function_body(machine: Machine, function: Function, frame: Frame) -> bool:
    node = function.node
    if isinstance(node, ast.Lambda):
        frame.returns.append(expressions.evaluate(machine, node.body, frame))
        frame.exits.append(machine.written)
        return ENDS
    _declare(machine, node, frame)
    return run_block(machine, node.body, frame)


def _declare(machine: Machine, node: ast.AST, frame: Frame) -> None:
    """`global` and `nonlocal` hold for the whole function; the names they send out change between calls."""
    for part in _own_statements(node):
        if isinstance(part, ast.Global):
            frame.env.global_names |= set(part.names)
            if frame.env.module is not None:
                frame.env.module.env.changing |= set(part.names)
        elif isinstance(part, ast.Nonlocal):
            frame.env.outer_names |= set(part.names)
            scope = frame.env.parent
            while scope is not None:
                scope.changing |= set(part.names) & set(scope.names)
                scope = scope.parent


def _own_statements(node: ast.AST) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    pending = list(getattr(node, "body", []))
    while pending:
        part = pending.pop()
        found.append(part)
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for child in ast.iter_child_nodes(part):
            if isinstance(child, ast.stmt):
                pending.append(child)
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                pending.extend(child.body)
    return found


def run_block(machine: Machine, body: list[ast.stmt], frame: Frame) -> bool:
    """Run statements in order; False when control can not come out at the end."""
    for statement in body:
        machine.step()
        handler = _HANDLERS.get(type(statement))
        if handler is not None and handler(machine, statement, frame) is ENDS:
            return ENDS
        if isinstance(statement, ast.Break | ast.Continue):
            return True
    return True


def _branches(machine: Machine, bodies: list[Callable[[], bool]], frame: Frame) -> bool:
    """Run alternatives from the same start and join what they leave behind."""
    start_names, start_written = dict(frame.env.names), machine.written
    ends: list[tuple[dict[str, Value], frozenset[TensorObj]]] = []
    for body in bodies:
        frame.env.names, machine.written = dict(start_names), start_written
        if body():
            ends.append((frame.env.names, machine.written))
    if not ends:
        frame.env.names = start_names
        return ENDS
    names: dict[str, Value] = {}
    for end, _ in ends:
        for name, val in end.items():
            names[name] = join([names[name], val]) if name in names else val
    frame.env.names = names
    machine.written = frozenset.intersection(*(written for _, written in ends))
    return True


def _function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> bool:
    made: Value = value(expressions.make_function(machine, node, node.name, frame))
    for decorator in reversed(node.decorator_list):
        applied = expressions.evaluate(machine, decorator, frame)
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
            continue
        made = calls.call_value(machine, applied, Arguments([made], {}), decorator, frame)
    state.assign_name(machine, node.name, made, node, frame)
    return True


def _class(machine: Machine, node: ast.ClassDef, frame: Frame) -> bool:
    made = machine.site((node, "class"), lambda: ClassObj(node.name, frame.file, node.lineno))
    made.bases = [expressions.evaluate(machine, base, frame) for base in node.bases]
    for base in join(made.bases):
        if isinstance(base, Ext):
            _judge_base(machine, base, node, frame)
    env = Env({}, frame.env, frame.env.module, is_class=True)
    run_block(machine, node.body, Frame(env, frame.file, frame.function))
    for name, val in env.names.items():
        made.attributes[name] = join([made.attributes.get(name, NOTHING), val]) if machine.phase is Phase.CALL else val
        for atom in val:
            if isinstance(atom, Function) and atom.owner is None:
                atom.owner = made
    for special in ("__torch_dispatch__", "__torch_function__"):
        if special in env.names:
            machine.report.add(FindingClass.TENSOR_SUBCLASS, frame.file, node, f"`{node.name}` defines `{special}`")
    for special in ("__cuda_array_interface__", "__array_interface__", "__dlpack__"):
        if special in env.names:
            outside_state.judge_attribute(machine, special, node, frame)
    if "__del__" in env.names:
        machine.report.add(
            FindingClass.EXIT_HOOK,
            frame.file,
            node,
            f"`{node.name}` defines `__del__`: it runs outside the call",
            Severity.SUSPICIOUS,
        )
    val = value(made)
    for decorator in reversed(node.decorator_list):
        calls.call_value(
            machine, expressions.evaluate(machine, decorator, frame), Arguments([val], {}), decorator, frame
        )
    state.assign_name(machine, node.name, val, node, frame)
    return True


def _judge_base(machine: Machine, base: Ext, node: ast.ClassDef, frame: Frame) -> None:
    if base.name in TENSOR_CLASSES:
        machine.report.add(FindingClass.TENSOR_SUBCLASS, frame.file, node, f"`{node.name}` inherits from `{base.name}`")
    elif base.name.endswith(("TorchDispatchMode", "TorchFunctionMode")):
        machine.report.add(FindingClass.GUARD_DETECTION, frame.file, node, f"`{node.name}` inherits from `{base.name}`")
    else:
        rule = policy_python.rule_for(base.name)
        if rule is not None and base.name.split(".")[0] != "builtins":
            machine.report.add(
                rule.cls,
                frame.file,
                node,
                f"`{node.name}` inherits from `{base.name}`, which {rule.why}",
                rule.severity,
            )


def _return(machine: Machine, node: ast.Return, frame: Frame) -> bool:
    val = expressions.evaluate(machine, node.value, frame)
    frame.returns.append(val)
    frame.exits.append(machine.written)
    machine.returned[node] = join([machine.returned.get(node, NOTHING), val])
    return ENDS


def _raise(machine: Machine, node: ast.Raise, frame: Frame) -> bool:
    raised = expressions.evaluate(machine, node.exc, frame) if node.exc is not None else NOTHING
    for atom in _with_bases(raised):
        name = atom.name.removesuffix("()")
        if name in ("builtins.SystemExit", "builtins.KeyboardInterrupt"):
            machine.report.add(FindingClass.EARLY_EXIT, frame.file, node, f"raises {name.removeprefix('builtins.')}")
    return ENDS


def _with_bases(raised: Value, depth: int = 5) -> list[Ext]:
    """The outside classes that what is raised is made of, or inherits from."""
    found: list[Ext] = []
    for atom in raised:
        cls = atom.of if isinstance(atom, Instance) else atom
        if isinstance(cls, Ext):
            found.append(cls)
        elif isinstance(cls, ClassObj) and depth:
            found += [one for base in cls.bases for one in _with_bases(base, depth - 1)]
    return found


def _assign(machine: Machine, node: ast.Assign, frame: Frame) -> bool:
    val = expressions.evaluate(machine, node.value, frame)
    for target in node.targets:
        state.assign(machine, target, val, frame)
    return True


def _annotated(machine: Machine, node: ast.AnnAssign, frame: Frame) -> bool:
    if node.value is not None:
        state.assign(machine, node.target, expressions.evaluate(machine, node.value, frame), frame)
    elif frame.env.is_class and isinstance(node.target, ast.Name):
        frame.env.names.setdefault(node.target.id, NOTHING)
    return True


def _augmented(machine: Machine, node: ast.AugAssign, frame: Frame) -> bool:
    target = expressions.evaluate(machine, node.target, frame)
    operand = expressions.evaluate(machine, node.value, frame)
    for atom in target:
        if isinstance(atom, Container) and isinstance(node.op, ast.Add | ast.BitOr):
            state.append(machine, atom, state.elements_of(machine, operand, node, frame), node, frame)
            return True
    val = operators.augmented(machine, target, operand, node, frame)
    if isinstance(node.target, ast.Subscript):
        owner = expressions.evaluate(machine, node.target.value, frame)
        if any(isinstance(atom, TensorObj) for atom in owner):
            return True
    state.assign(machine, node.target, val, frame)
    return True


def _delete(machine: Machine, node: ast.Delete, frame: Frame) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Attribute | ast.Subscript):
            owner = expressions.evaluate(machine, target.value, frame)
            attr = target.attr if isinstance(target, ast.Attribute) else "[...]"
            for atom in owner:
                if isinstance(atom, Ext):
                    outside_state.delete_outside(machine, atom, attr, target, frame)
    return True


def _if(machine: Machine, node: ast.If, frame: Frame) -> bool:
    known = _known_condition(node.test, frame)
    if known is None:
        condition = expressions.evaluate(machine, node.test, frame)
        expressions.note_test(machine, node, condition, frame)
        known = _settled(machine, condition)
    if known is not None:
        return run_block(machine, node.body if known else node.orelse, frame)
    return _branches(
        machine, [lambda: run_block(machine, node.body, frame), lambda: run_block(machine, node.orelse, frame)], frame
    )


def _known_condition(test: ast.expr, frame: Frame) -> bool | None:
    """`if __name__ == "__main__"` and `if TYPE_CHECKING` never hold in a run."""
    if is_script_guard(test) and "__name__" not in frame.env.names:
        return False
    if (
        isinstance(test, ast.Name)
        and test.id == "TYPE_CHECKING"
        and frame.env.names.get("TYPE_CHECKING") == value(Ext("typing.TYPE_CHECKING"))
    ):
        return False
    return None


def is_script_guard(test: ast.expr) -> bool:
    """`__name__ == "__main__"`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def _settled(machine: Machine, condition: Value) -> bool | None:
    """What a comparison of two literals gives: `route == "rows"` where the pass says which route it takes."""
    only = folding.single(condition)
    if machine.phase is Phase.CALL and only is not None and isinstance(only.value, bool):
        return only.value
    return None


def _loop(machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> bool:
    """Two rounds. A loop over launches is taken to run: an output that is filled piece by piece is written."""
    filled = machine.written

    def body() -> bool:
        nonlocal filled
        if isinstance(node, ast.While):
            expressions.note_test(machine, node, expressions.evaluate(machine, node.test, frame), frame)
        else:
            source = expressions.evaluate(machine, node.iter, frame)
            state.assign(machine, node.target, state.elements_of(machine, source, node.iter, frame), frame)
        falls_through = run_block(machine, node.body, frame)
        filled |= machine.written
        return falls_through

    for _ in range(2):
        _branches(machine, [body, lambda: True], frame)
    machine.written |= filled
    run_block(machine, node.orelse, frame)
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
    return not (endless and not any(isinstance(part, ast.Break) for part in ast.walk(node)))


def _with(machine: Machine, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
    for item in node.items:
        val = expressions.evaluate(machine, item.context_expr, frame)
        entered = [
            calls.call_special(machine, atom, "__enter__", [], item.context_expr, frame)
            for atom in val
            if isinstance(atom, Instance)
        ]
        val = join([val, *entered])
        if item.optional_vars is not None:
            state.assign(machine, item.optional_vars, val, frame)
    return run_block(machine, node.body, frame)


def _try(machine: Machine, node: ast.Try, frame: Frame) -> bool:
    bodies = [lambda: run_block(machine, [*node.body, *node.orelse], frame)]
    for handler in node.handlers:
        bodies.append(lambda handler=handler: _handle(machine, handler, frame))  # type: ignore[misc]
    falls = _branches(machine, bodies, frame)
    return run_block(machine, node.finalbody, frame) and falls


def _handle(machine: Machine, handler: ast.ExceptHandler, frame: Frame) -> bool:
    if handler.name is not None:
        frame.env.names[handler.name] = UNKNOWN
    return run_block(machine, handler.body, frame)


def _match(machine: Machine, node: ast.Match, frame: Frame) -> bool:
    subject = expressions.evaluate(machine, node.subject, frame)
    expressions.note_test(machine, node, subject, frame)
    bodies: list[Callable[[], bool]] = [lambda: True]
    for case in node.cases:
        bodies.append(lambda case=case: _case(machine, case, subject, frame))  # type: ignore[misc]
    return _branches(machine, bodies, frame)


def _case(machine: Machine, case: ast.match_case, subject: Value, frame: Frame) -> bool:
    from evaluator.integrity.analysis import attributes

    for part in ast.walk(case.pattern):
        if isinstance(part, ast.MatchClass):
            for attr, inner in zip(part.kwd_attrs, part.kwd_patterns, strict=True):
                val = attributes.read(machine, subject, attr, part, frame)
                if isinstance(inner, ast.MatchAs) and inner.name:
                    frame.env.names[inner.name] = val
        elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name and part.name not in frame.env.names:
            frame.env.names[part.name] = join([subject, state.elements_of(machine, subject, part, frame)])
    return run_block(machine, case.body, frame)


def _expression(machine: Machine, node: ast.Expr, frame: Frame) -> bool:
    val = expressions.evaluate(machine, node.value, frame)
    if isinstance(node.value, ast.Call):
        for atom in val:
            if isinstance(atom, Ext) and atom.name in (
                "builtins.exit()",
                "builtins.quit()",
                "sys.exit()",
                "os._exit()",
            ):
                return ENDS
    return True


def _assert(machine: Machine, node: ast.Assert, frame: Frame) -> bool:
    expressions.note_test(machine, node, expressions.evaluate(machine, node.test, frame), frame)
    return True


def _import(machine: Machine, node: ast.Import, frame: Frame) -> bool:
    imports.run_import(machine, node, frame)
    return True


def _import_from(machine: Machine, node: ast.ImportFrom, frame: Frame) -> bool:
    imports.run_import_from(machine, node, frame)
    return True


_HANDLERS: dict[type[ast.stmt], Callable[[Machine, Any, Frame], bool]] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.If: _if,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.While: _loop,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Expr: _expression,
    ast.Assert: _assert,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
