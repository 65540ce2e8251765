"""Judges, when everything is known: branches that tell calls apart, side streams, clocks."""

import ast
from collections.abc import Iterable

from evaluator.integrity.analysis import state
from evaluator.integrity.analysis.machine import Machine, Test
from evaluator.integrity.analysis.values import (
    NOTHING,
    Container,
    Mark,
    StateRead,
    Value,
)
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

_QUIET_CALLS = words(
    """print warn warning info debug log append add update setdefault clear discard pop warn_once write flush extend"""
)


def judge_tests(machine: Machine) -> None:
    """Every branch whose condition told one call from another."""
    seen: set[tuple[ast.AST, str]] = set()
    for test in machine.tests:
        for kind in _kinds(test.condition):
            if (test.node, kind) not in seen:
                seen.add((test.node, kind))
                _judge(machine, test, kind)


def _kinds(condition: Value) -> list[str]:
    places = [atom.place for atom in condition if isinstance(atom, StateRead)]
    places += [atom.place for atom in condition if isinstance(atom, Container) and atom.outlives]
    kinds = {
        "counts": any(place.counts for place in places),
        "latches": any(place.latches for place in places),
        "clock": Mark.CLOCK in condition,
        "type name": Mark.TYPE_NAME in condition,
        "sign": Mark.SIGN in condition,
        "probe": Mark.PROBE in condition,
        "device": Mark.DEVICE in condition,
    }
    return [kind for kind, holds in kinds.items() if holds]


def _judge(machine: Machine, test: Test, kind: str) -> None:
    add = machine.report.add
    if kind == "counts" and _matters(test.node):
        add(
            FindingClass.PHASE_DETECTION,
            test.file,
            test.node,
            "what is done depends on how often the launcher was called",
        )
    elif kind == "latches" and _returns_data(machine, test.node):
        add(
            FindingClass.PHASE_DETECTION, test.file, test.node, "the first call and later calls return different things"
        )
    elif kind == "clock" and _matters(test.node):
        add(FindingClass.PHASE_DETECTION, test.file, test.node, "what is done depends on a clock or on chance")
    elif kind == "type name" and _matters(test.node):
        add(FindingClass.GUARD_DETECTION, test.file, test.node, "what is done depends on the name of an input's type")
    elif kind == "sign" and _matters(test.node):
        words = "what is done depends on who runs a kernel, or on memory that nobody has written yet"
        add(FindingClass.GUARD_DETECTION, test.file, test.node, words)
    elif kind == "device" and _matters(test.node):
        words = "what is done depends on what the device is doing: on being captured, or on memory in use"
        add(FindingClass.PHASE_DETECTION, test.file, test.node, words, Severity.SUSPICIOUS)
    elif kind == "probe" and _leads_to_violation(machine, test):
        add(
            FindingClass.GUARD_DETECTION,
            test.file,
            test.node,
            "a forbidden branch is taken depending on how the code is being run",
        )


def _matters(node: ast.AST) -> bool:
    """Whether a branch does more than keep books, print or raise."""
    if isinstance(node, ast.If):
        return not (_is_quiet(node.body) and _is_quiet(node.orelse))
    return not isinstance(node, ast.Assert)


def _is_quiet(body: Iterable[ast.stmt]) -> bool:
    return all(_quiet_statement(statement) for statement in body)


def _quiet_statement(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass | ast.Raise | ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        call = node.value
        if isinstance(call, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            return name in _QUIET_CALLS
        return isinstance(call, ast.Constant)
    if isinstance(node, ast.AugAssign):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(
            isinstance(target, ast.Subscript | ast.Attribute) or _is_state_name(target) for target in node.targets
        )
    if isinstance(node, ast.If):
        return _is_quiet(node.body) and _is_quiet(node.orelse)
    if isinstance(node, ast.With):
        return _is_quiet(node.body)
    return False


def _is_state_name(target: ast.expr) -> bool:
    """`_READY = True`: module state, going by how such names are written."""
    return isinstance(target, ast.Name) and (target.id.isupper() or target.id.startswith("_"))


def _returns_data(machine: Machine, node: ast.AST) -> bool:
    body = [*node.body, *node.orelse] if isinstance(node, ast.If) else []
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Return):
                returned = state.reachable_tensors(machine.returned.get(part, NOTHING))
                if any(tensor.is_data for tensor in returned):
                    return True
    return False


def _leads_to_violation(machine: Machine, test: Test) -> bool:
    """Whether a violation lies in one of the branches, or behind a branch that leaves the function early."""
    lines = machine.report.violation_lines(test.file)
    first, last = getattr(test.node, "lineno", 0), getattr(test.node, "end_lineno", 0)
    leaves = any(isinstance(part, ast.Return | ast.Raise) for part in ast.walk(test.node))
    if leaves and test.scope is not None:
        last = max(last, getattr(test.scope, "end_lineno", last))
    return any(first <= line <= last for line in lines)


def judge_streams(machine: Machine) -> None:
    """Work on a side stream that nothing waits for, or that does not wait itself; with both it is only unusual."""
    streams = machine.streams
    for file, node in streams.used:
        if not streams.joined:
            words = "work is put on a stream of its own that nothing waits for"
            machine.report.add(FindingClass.UNSYNCED_STREAM, file, node, words)
        elif not streams.inputs_awaited:
            words = "a stream of its own does not wait for the work before it"
            machine.report.add(FindingClass.UNSYNCED_STREAM, file, node, words, Severity.SUSPICIOUS)


def judge_clock(machine: Machine) -> None:
    """Reading a clock alone changes nothing, but a launcher has no use for it."""
    told = {key for key in machine.report.entries if key[0] is FindingClass.PHASE_DETECTION}
    for file, node in machine.clock_reads:
        if not told:
            machine.report.add(FindingClass.PHASE_DETECTION, file, node, "a clock is read", Severity.NOTE)
