"""What a submission looks for, drawn from its text alone: nothing of it is executed.

Of an imported submission whose task's graphs are not here this is the only picture there is.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphs.big_numbers import refuse_big_numbers
from graphs.fx_source import parse
from graphs.graph_json import graph_json
from graphs.layout import layout
from graphs.problems import ReadProblem

_FUNCTION = "pattern"
_MOST_TEXT = 64 << 10  # characters of a pass file; real ones have a few thousand
_MOST_STATEMENTS = 500
_MOST_FILES = 12
_MOST_LITERAL = 64  # characters of a literal that is put in wherever it is named: a long one would grow without bounds


@dataclass(frozen=True)
class Pattern:
    """One pass file's. `graph` is None where `problem` says why it is not drawn; `code` is what was drawn."""

    file: str
    code: str
    graph: dict[str, Any] | None
    problem: str


def drawn_patterns(files: Mapping[str, str]) -> list[Pattern]:
    """Of each file that has a `pattern`, by name; the first twelve."""
    return list(_patterns(files))[:_MOST_FILES]


def _patterns(files: Mapping[str, str]) -> Iterator[Pattern]:
    for name in sorted(files):
        text = files[name]
        if not name.endswith(".py") or f"def {_FUNCTION}" not in text:
            continue
        shown = name.encode("utf-8", "replace").decode()
        try:
            code = as_forward(text, shown)
        except ReadProblem as problem:
            yield Pattern(shown, "", None, str(problem))
            continue
        try:
            graph = parse(code, shown, _MOST_STATEMENTS)
            yield Pattern(shown, code, graph_json(graph, layout(graph), None), "")
        except ReadProblem as problem:
            yield Pattern(shown, code, None, f"It is no straight line of operators: {problem.why}")


def as_forward(text: str, file: str) -> str:
    """The module's `pattern` as the `forward` that graphs are read from. Raises ReadProblem: too long, no Python, no
    such function, or one with other than plain parameters."""
    if len(text) > _MOST_TEXT:
        raise ReadProblem(file, None, f"has {len(text):,} characters; up to {_MOST_TEXT:,} are looked at")
    try:
        module = ast.parse(text.encode("utf-8", "replace"))
        refuse_big_numbers(text, module, file)
        found = next((one for one in module.body if isinstance(one, ast.FunctionDef) and one.name == _FUNCTION), None)
        if found is None:
            raise ReadProblem(file, None, f"has no function {_FUNCTION} of its own")
        given = found.args
        if given.vararg or given.kwarg or given.kwonlyargs:
            raise ReadProblem(file, found.lineno, f"{_FUNCTION} takes other than plain parameters")
        names = [one.arg for one in (*given.posonlyargs, *given.args)]
        body = found.body[1:] if ast.get_docstring(found, clean=False) is not None else found.body
        known = _Constants(module, {*names, *_assigned(found)})
        lines = [line for one in body for line in ast.unparse(known.visit(one)).split("\n")]
    except SyntaxError as error:
        raise ReadProblem(file, error.lineno, f"is no Python: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise ReadProblem(file, None, f"can not be read ({type(error).__name__})") from error
    return "\n".join([f"def forward({', '.join(['self', *names])}):", *(f"    {line}" for line in lines)]) + "\n"


class _Constants(ast.NodeTransformer):
    """Puts in the module's own literals where the pattern names them, as `EPS = 1e-5` above it."""

    def __init__(self, module: ast.Module, taken: set[str]) -> None:
        self._values = {
            one.targets[0].id: one.value
            for one in module.body
            if isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Name)
            and one.targets[0].id not in taken
            and isinstance(one.value.operand if isinstance(one.value, ast.UnaryOp) else one.value, ast.Constant)
            and len(ast.unparse(one.value)) <= _MOST_LITERAL
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def _assigned(function: ast.FunctionDef) -> set[str]:
    return {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
