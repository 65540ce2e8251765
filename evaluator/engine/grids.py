"""A grid that is one number: Triton takes only a tuple, and says no more than that an int has no length."""

import ast
import traceback
from pathlib import Path

_SAYS = "object of type 'int' has no len()"


def grid_words(problem: BaseException, file: Path, line: int) -> str | None:
    """What to write, if `problem` is what Triton raises for the launch in this line of the file; else None."""
    frames = traceback.extract_tb(problem.__traceback__)
    if not isinstance(problem, TypeError) or str(problem) != _SAYS or not frames:
        return None
    if "/triton/" not in frames[-1].filename:
        return None
    grid = _grid(file, line)
    return "a grid is a tuple, and this one is a number" + (f": write `({grid},)`" if grid else "")


def _grid(file: Path, line: int) -> str | None:
    """The text of the grid in `kernel[grid](…)`; of a lambda what it returns."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
            continue
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            index = node.func.slice
            return ast.unparse(index.body if isinstance(index, ast.Lambda) else index)
    return None
