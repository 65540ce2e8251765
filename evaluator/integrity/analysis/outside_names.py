"""Findings for the use of outside names, called or handed on, and for arguments that make a harmless call none."""

import ast
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import policy_python
from evaluator.integrity.analysis.attributes import STORAGE
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.values import Const, Ext, Method, Value, join
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

_ELEMENTS = words(
    """builtins.bytes builtins.bytearray builtins.memoryview builtins.list builtins.tuple builtins.map builtins.sum
    builtins.sorted builtins.max builtins.min builtins.iter numpy.frombuffer numpy.asarray numpy.array"""
)


def judge_name(machine: Machine, name: str, node: ast.AST, frame: Frame) -> None:
    """Findings for using an outside name, whatever it is given."""
    rule = policy_python.rule_for(name)
    if rule is not None:
        machine.report.add(rule.cls, frame.file, node, f"`{name}` {rule.why}", rule.severity)
        if name.startswith(("torch.load", "numpy.load")):
            machine.report.add(
                FindingClass.UNPICKLE,
                frame.file,
                node,
                f"`{name}` can run whatever a pickle names",
                Severity.SUSPICIOUS,
            )
    top = name.split(".")[0]
    if top in policy_python.COMPILERS and machine.phase is not Phase.TRACED:
        machine.report.add(
            FindingClass.COMPILE_DELEGATION, frame.file, node, f"`{name}` hands the work to another compiler"
        )


def is_something(given: Value | None) -> bool:
    return bool(given) and not all(isinstance(atom, Const) and atom.value is None for atom in given or ())


def judge_handed(machine: Machine, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """Forbidden functions may be handed over instead of being called."""
    for atom in join(arguments.everything()):
        if isinstance(atom, Ext) and not atom.name.endswith("()") and atom.name not in ("builtins.open",):
            rule = policy_python.rule_for(atom.name)
            if rule is not None and "." in atom.name:
                machine.report.add(rule.cls, frame.file, node, f"`{atom.name}` is handed on: {rule.why}", rule.severity)


def judge_arguments(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """Calls that are harmless but for one argument of theirs."""
    if name in ("inspect.signature", "inspect.get_annotations") and is_something(arguments.kwargs.get("eval_str")):
        words = f"`{name}` evaluates annotations given as text"
        machine.report.add(FindingClass.DYNAMIC_CODE, frame.file, node, words, Severity.SUSPICIOUS)
    storages = [atom for val in arguments.args for atom in val if isinstance(atom, Method) and atom.name == STORAGE]
    if name in _ELEMENTS and storages:
        words = f"`{name}` reads the elements of a tensor through its storage"
        machine.report.add(FindingClass.RAW_MEMORY, frame.file, node, words, Severity.SUSPICIOUS)


def judge_registered(machine: Machine, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """An operator of torch that a generic function is to call for tensors."""
    from evaluator.integrity.analysis import torch_calls

    for part in join(arguments.everything()):
        if isinstance(part, Ext) and part.name.startswith("torch.") and torch_calls.computes(part.name):
            words = f"`{part.name}` is registered to do the work"
            machine.report.add(FindingClass.TORCH_COMPUTE, frame.file, node, words)
