"""The Python files of a submission, parsed: which of them the order file names, and how they import each other."""

import ast
import json
import warnings
from dataclasses import dataclass
from pathlib import PurePosixPath

ORDER_FILE = "sorted_output_pass_rule_names.json"
PACKAGE = "pass_dir"
MOST_NODES = 400_000  # of all syntax trees together; the largest real submission has about 20,000


@dataclass(frozen=True)
class SourceFile:
    name: str  # relative to pass_dir
    module: str  # dotted name below pass_dir: "helper", "sub.helper"; "" for the package's own __init__.py
    tree: ast.Module
    listed: bool


@dataclass(frozen=True)
class Project:
    files: tuple[SourceFile, ...]
    unreadable: tuple[str, ...]  # no Python, or nested too deeply to be parsed
    too_large: bool = False

    def by_module(self, module: str) -> SourceFile | None:
        return next((file for file in self.files if file.module == module), None)


def read_project(files: dict[str, str]) -> Project:
    """Parse every `.py` file. Files that do not parse are left to the loader, which rejects the submission."""
    names = _listed(files)
    parsed: list[SourceFile] = []
    unreadable: list[str] = []
    nodes = 0
    for name, text in sorted(files.items()):
        if not name.endswith(".py"):
            continue
        tree = _parse(text)
        if tree is None:
            unreadable.append(name)
            continue
        nodes += sum(1 for _ in ast.walk(tree))
        module = _module_name(name)
        listed = names is None or module in names
        parsed.append(SourceFile(name, module, tree, listed))
    return Project(tuple(parsed), tuple(unreadable), nodes > MOST_NODES)


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.encode())  # bytes, as Python reads a file: a comment may name another encoding
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        return None


def _listed(files: dict[str, str]) -> set[str] | None:
    """Names in the order file, or None when there is no usable one (then every file counts as a pass)."""
    try:
        names = json.loads(files.get(ORDER_FILE, ""))
    except (ValueError, RecursionError):
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return {name.removesuffix(".py") for name in names}


def _module_name(file: str) -> str:
    path = PurePosixPath(file)
    parts = list(path.parent.parts) if path.stem == "__init__" else [*path.parent.parts, path.stem]
    return ".".join(part for part in parts if part != ".")
