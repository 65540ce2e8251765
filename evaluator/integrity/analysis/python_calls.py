"""Calls of builtins, of Python's own modules and of other packages."""

import ast
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import (
    known_functions,
    operators,
    outside_names,
    outside_state,
    own_files,
    policy_python,
    printing,
    state,
)
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.values import (
    SCALAR,
    Ext,
    Function,
    Kernel,
    Mark,
    TensorKind,
    Value,
    data_tensors,
    join,
    value,
)
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

# What tells one call of a launcher from another and has no honest part in what it computes.
_CHANCES = (
    "random.", "secrets.", "uuid.uuid", "os.urandom", "numpy.random.", "sys.getrefcount", "threading.active_count",
    "threading.enumerate", "gc.get_count", "gc.get_stats", "os.times", "os.getloadavg", "resource.getrusage",
    "sys.getallocatedblocks", "weakref.getweakrefcount", "weakref.getweakrefs",
)  # fmt: skip


_CLOCKS = ("time.", "datetime.datetime.now", "datetime.datetime.utcnow", "timeit.")


_NOT_CLOCKS = ("time.sleep", "time.strftime", "time.strptime")


_WEAK = ("weakref.ref", "weakref.proxy", "weakref.ReferenceType", "weakref.WeakMethod")


def call(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`name(…)` for a name outside torch."""
    name = atom.name
    printing.check_printing(machine, name, arguments, node, frame)
    outside_names.judge_arguments(machine, name, arguments, node, frame)
    if outside_state.writes_namespace(name):
        outside_state.assign_namespace(machine, atom, node, frame)
    handler = known_functions.handler_of(name)
    if handler is not None:
        return handler(machine, atom, arguments, node, frame)
    if own_files.reads_own_file(machine, name, node, frame):
        return SCALAR
    outside_names.judge_name(machine, name, node, frame)
    outside_names.judge_handed(machine, arguments, node, frame)
    if name in _WEAK and outside_names.is_something(arguments.get(1, "callback")):
        words = f"`{name}` with a callback runs code later, outside the call"
        machine.report.add(FindingClass.EXIT_HOOK, frame.file, node, words, Severity.SUSPICIOUS)
    if name.startswith(_CLOCKS) and not name.startswith(_NOT_CLOCKS):
        machine.clock_reads.append((frame.file, node))
        return value(Mark.CLOCK)
    if name.startswith(_CHANCES) and machine.phase is Phase.CALL:
        return value(Mark.CLOCK)
    if name == "functools.singledispatch().register":
        outside_names.judge_registered(machine, arguments, node, frame)
    worked = _library_work(machine, name, arguments, node, frame)
    if worked is not None:
        return worked
    return _generic(machine, atom, arguments, node, frame)


def _library_work(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value | None:
    """Other numerical packages, on data."""
    given = join(arguments.everything())
    held = join([given, *(value(tensor) for tensor in state.reachable_tensors(given))])
    on_data = bool(data_tensors(held)) or Mark.NUMPY in held or Mark.GRAPH_VALUE in held
    top = name.split(".")[0]
    if not on_data or top not in {"numpy", *policy_python.LIBRARIES, *policy_python.COMPILERS}:
        return None
    if name in ("numpy.asarray", "numpy.array", "numpy.ascontiguousarray"):
        return value(Mark.NUMPY)
    if machine.phase is Phase.CALL:
        machine.report.add(
            FindingClass.TORCH_COMPUTE, frame.file, node, f"`{operators.text_of(node)}`: `{name}` does the work"
        )
    return value(Mark.NUMPY) if top == "numpy" else value(machine.tensor(node, TensorKind.RESULT))


def _generic(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """Anything else: functions that are handed over may run; what comes back is opaque."""
    from evaluator.integrity.analysis import calls

    name = atom.name
    if name.startswith("triton."):
        functions = frozenset(part for part in join(arguments.everything()) if isinstance(part, Function))
        with machine.in_phase(Phase.CALL):  # hooks and heuristics run at every launch
            calls.call_back(machine, calls.Arguments([functions], {}), node, frame)
    if name.startswith(("triton.", "functools.wraps")):
        kept = frozenset(part for part in arguments.get(0) or () if isinstance(part, Kernel | Function))
        if kept:
            return kept
    if name.endswith("?") and (machine.phase is Phase.CALL) and _on_data(arguments):
        machine.report.add(
            FindingClass.DYNAMIC_IMPORT,
            frame.file,
            node,
            "a function that was fetched by a computed name is given tensors",
        )
    calls.call_back(machine, arguments, node, frame)
    if _is_wait(name):
        machine.streams.anything_waits()
    if name == "itertools.count":
        return value(Ext("itertools.count()"))
    if name.startswith(("math.", "builtins.len", "triton.", "itertools.")):
        return join([SCALAR, operators.traces(arguments.everything())])
    decorated = frozenset(part for part in join(arguments.everything()) if isinstance(part, Function | Kernel))
    return decorated | {Ext(name if name.endswith("()") else f"{name}()", atom.by_name, atom.computed)}


def _is_wait(name: str) -> bool:
    return name.endswith((".wait_stream", ".synchronize", ".wait_event")) and "triton" not in name


def _on_data(arguments: "Arguments") -> bool:
    given = join(arguments.everything())
    return bool(data_tensors(given)) or Mark.GRAPH_VALUE in given
