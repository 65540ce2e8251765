"""Passes that are being written: a pattern can be matched before there is anything to put in its place."""

import ast

_MISSING = {
    "replacement_args": "def replacement_args(*values):\n    return values\n",
    "replacement_func": (
        "def nothing_yet(*values):\n    return values\n\n\ndef replacement_func():\n    return nothing_yet\n"
    ),
}


def completed(files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The files, where each that has a `pattern` has the other two functions as well; and what was missing, in words.

    What is put in stands behind what is there, so that lines keep their numbers.
    """
    whole, notes = dict(files), []
    for name, text in files.items():
        bound = _bound(text) if name.endswith(".py") else None
        if bound is None or "pattern" not in bound:
            continue
        for function, body in _MISSING.items():
            if function not in bound:
                whole[name] += f"\n\n{body}"
                notes.append(f"{name.removesuffix('.py')} has no `{function}` yet.")
    return whole, notes


def _bound(text: str) -> set[str] | None:
    """Names that the file's own level binds; None where that can not be told."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found.update(each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
            case ast.Import() | ast.ImportFrom():
                found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
            case ast.Expr():
                pass
            case _:  # a condition, a loop: it may bind anything
                return None
    return None if "*" in found else found
