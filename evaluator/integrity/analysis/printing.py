"""What a submission prints, judged by the constant text in it."""

import ast
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import text_rules
from evaluator.integrity.analysis.machine import Frame, Machine
from evaluator.integrity.analysis.values import Const, Container, Value, text_constants
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

_PRINTERS = (
    "builtins.print",
    "sys.stdout.write",
    "sys.stderr.write",
    "sys.__stdout__.write",
    "sys.__stderr__.write",
    "sys.stdout.writelines",
    "sys.stdout.buffer.write",
    "logging.",
    "warnings.warn",
    "pprint.",
    "os.write",
    "rich.",
    "loguru.",
)


def check_printing(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    if not name.startswith(_PRINTERS):
        return
    texts = [text for val in arguments.everything() for text in texts_in(val)]
    texts += [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    verdict = text_rules.looks_forged(texts)
    if verdict is not None:
        machine.report.add(
            FindingClass.FORGED_OUTPUT, frame.file, node, "prints text in the form of a result", Severity(verdict)
        )


def texts_in(val: Value, depth: int = 3) -> list[str]:
    """Constant text in a value; a dict reads like its own print."""
    found = text_constants(val)
    found += [
        atom.value.decode(errors="replace") for atom in val if isinstance(atom, Const) and isinstance(atom.value, bytes)
    ]
    for atom in val:
        if isinstance(atom, Container) and depth:
            for part in (*(atom.items or ()), atom.elements):
                found += texts_in(part, depth - 1)
            for key, part in atom.fields.items():
                found += [f"{key}: {text}" for text in texts_in(part, depth - 1)] or [f"{key}: "]
    return found
