"""What can be seen in the text of a submission's files. Nothing is run; torch is not needed."""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.portability import launchers, sources
from evaluator.portability.rules import Finding

ORDER = "sorted_output_pass_rule_names.json"
MOST_PASSES = 100


@dataclass(frozen=True)
class File:
    """A Python file of a submission. `listed`: it is a pass."""

    name: str  # relative to pass_dir
    tree: ast.Module
    listed: bool

    @property
    def module(self) -> str:
        return self.name.removesuffix(".py").replace("/", ".")


def check_files(files: dict[str, str]) -> list[Finding]:
    """Findings on a submission's files (name relative to pass_dir → text), by file and line.

    Files that are not Python, and what the evaluator itself refuses, are left out.
    """
    order = _order(files)
    found: list[Finding] = []
    if order is None:
        found.append(Finding("order_file", ORDER, None, "it is missing, or no list of texts"))
    names = {f"{name}.py" for name in order or ()}
    parsed = list(_parsed(files, names))
    for file in parsed:
        if file.listed:
            found += sources.check(file.name, file.tree)
            found += _pattern(file)
            found += _settings(file)
        found += launchers.check(file.name, file.tree)
    listed = [file for file in parsed if file.listed]
    found += launchers.check_identity([(file.module, file.name, file.tree) for file in listed])
    if len(names) > MOST_PASSES:
        found.append(Finding("many_passes", ORDER, None, f"{len(names)} passes are listed"))
    return sorted(set(found), key=lambda finding: (finding.file, finding.line or 0, finding.rule))


def _order(files: dict[str, str]) -> list[str] | None:
    try:
        names = json.loads(files[ORDER])
    except (KeyError, ValueError, RecursionError):
        return None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def _parsed(files: dict[str, str], names: set[str]) -> Iterator[File]:
    for name, text in sorted(files.items()):
        if name.endswith(".py"):
            try:
                yield File(name, ast.parse(text), name in names)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue


def _pattern(file: File) -> Iterator[Finding]:
    function = next(
        (node for node in file.tree.body if isinstance(node, ast.FunctionDef) and node.name == "pattern"), None
    )
    if function is None:
        return
    if function.args.vararg or function.args.kwarg:
        yield Finding("variadic_pattern", file.name, function.lineno, "the pattern takes *args")
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
            yield Finding(
                "several_outputs", file.name, node.lineno, f"the pattern returns {len(node.value.elts)} values"
            )
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        if argument.arg not in used:
            yield Finding("unused_in_pattern", file.name, argument.lineno, f"the pattern does not use `{argument.arg}`")


def _settings(file: File) -> Iterator[Finding]:
    for node in file.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "commutative" for target in targets):
            assert isinstance(node, ast.Assign)
            if isinstance(node.value, ast.Constant) and node.value.value is True:
                yield Finding("commutative", file.name, node.lineno, "operands may be swapped in a match")
