"""Edits of an author's pattern that take away the first difference of a near miss.

They are worked out from the expressions that made the pattern's nodes, and offered only where the text says plainly
what to change: one expression for one node, variables that hold one value each, names that the pass's file knows.
"""

import ast
import builtins
import inspect
import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from torch.fx import Node

from evaluator.engine.pattern import Pattern
from evaluator.engine.printed import call_code
from evaluator.engine.recording import Place
from evaluator.events import ArgumentDiff, Edit, Fix

_TITLES = {"form": "Use the graph's form", "constant": "Take the graph's constant"}
_LONGEST = 400  # characters of a new expression


def as_the_graph(
    pattern: Pattern,
    wanted: Node,
    found: Node,
    laid: Mapping[Node, Node],
    kind: str,
    differences: Sequence[ArgumentDiff] = (),
) -> list[Fix]:
    """Write the pattern's call `wanted` as the graph's `found`. `laid`: graph nodes → what the pattern has there."""
    author = _Author.of(pattern)
    place = None if author is None else author.place_of_call(wanted)
    if author is None or place is None:
        return []
    smaller = author.constant(place, differences[0]) if kind == "constant" and len(differences) == 1 else None
    if smaller is not None:
        return [Fix(kind=kind, title=f"{_TITLES[kind]}: {smaller['text']}", edits=[smaller])]
    try:
        text = call_code(found, lambda node: author.written(laid.get(node), wanted, place))
    except (_CanNotSay, TypeError):
        return []
    if len(text) > _LONGEST or not author.knows_names_of(text):
        return []
    return [Fix(kind=kind, title=f"{_TITLES[kind]}: {text}", edits=[author.edit(place, text)])]


def return_as_well(pattern: Pattern, leaking: Sequence[Node]) -> list[Fix]:
    """Return these values too. The launcher has to do the same, which is the author's."""
    author = _Author.of(pattern)
    if author is None:
        return []
    names, edits = [], []
    for node in leaking:
        name = author.variable(node)
        if name is None:
            place = author.place_of_call(node)
            if place is None:
                return []
            name = author.new_name(node.name)
            edits += [author.edit(Place(place.line, place.column, place.line, place.column), f"({name} := ")]
            edits += [author.edit(Place(place.end_line, place.end_column, place.end_line, place.end_column), ")")]
        names.append(name)
    addition = author.more_outputs(names)
    if addition is None:
        return []
    words = ", ".join(names)
    title = f"Return {words} as well, and let the launcher do so too"
    return [Fix(kind="output", title=title, edits=[*edits, addition])]


class _CanNotSay(Exception):
    """There is no expression for a value at this place."""


@dataclass(frozen=True)
class _Author:
    """The author's function: its text, its syntax tree and what its nodes were written as."""

    pattern: Pattern
    lines: list[bytes]
    function: ast.FunctionDef
    globals: Mapping[str, Any]

    @staticmethod
    def of(pattern: Pattern) -> "_Author | None":
        """None where the pattern is no plain function of the pass's own file."""
        source = pattern.traced.source
        code = source.__code__ if inspect.isfunction(source) and not hasattr(source, "__wrapped__") else None
        if not isinstance(code, CodeType) or not code.co_filename.endswith(f"/{pattern.traced.file}"):
            return None
        lines = linecache.getlines(code.co_filename)
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _starts(node, code)]
        if len(found) != 1:
            return None
        return _Author(pattern, [line.encode() for line in lines], found[0], source.__globals__)

    def place_of_call(self, node: Node) -> Place | None:
        """The expression that made this node and no other."""
        places = self.pattern.traced.places
        place = places.get(node)
        if place is None or sum(other == place for other in places.values()) != 1:
            return None
        expression = self._expression(place)
        return place if expression is not None and _makes(expression, node) else None

    def written(self, node: Node | None, user: Node, within: Place) -> str:
        """How the author says a value at `user`, whose own expression is `within`. Raises _CanNotSay."""
        if node is None or self.pattern.order[node] >= self.pattern.order[user]:
            raise _CanNotSay
        name = self.variable(node)
        if name is not None:
            return name
        place = self.place_of_call(node)
        if place is None or place[:2] < within[:2] or place[2:] > within[2:]:
            raise _CanNotSay
        text = self.text(place)
        return text if isinstance(self._expression(place), (ast.Call, ast.Attribute, ast.Subscript)) else f"({text})"

    def variable(self, node: Node) -> str | None:
        """The variable that holds a node and never anything else."""
        traced = self.pattern.traced
        name = traced.names.get(node) or (str(node.target) if node.op == "placeholder" else None)
        stored = [
            one.id for one in ast.walk(self.function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        ]
        parameters = [one.arg for one in ast.walk(self.function.args) if isinstance(one, ast.arg)]
        return name if name is not None and [*stored, *parameters].count(name) == 1 else None

    def new_name(self, wanted: str) -> str:
        """A variable that the function does not have."""
        taken = {one.id for one in ast.walk(self.function) if isinstance(one, ast.Name)} | set(self.globals)
        name, count = wanted, 1
        while name in taken:
            name, count = f"{wanted}_{count}", count + 1
        return name

    def constant(self, place: Place, difference: ArgumentDiff) -> Edit | None:
        """The edit of one constant within a call, where it is written there once."""
        call = self._expression(place)
        if not isinstance(call, ast.Call):
            return None
        wanted = _literal(difference["expected"])
        named = [one.value for one in call.keywords if one.arg == difference["argument"]]
        found = [one for one in named or call.args if _same_literal(_literal(ast.unparse(one)), wanted)]
        if len(found) != 1 or wanted is None or _literal(difference["found"]) is None:
            return None
        inner = self._outside(found[0], place)
        return None if inner is None else self.edit(inner, difference["found"])

    def more_outputs(self, names: Sequence[str]) -> Edit | None:
        """The edit of the only `return` that adds values to what it returns."""
        returns = [node for node in ast.walk(self.function) if isinstance(node, ast.Return)]
        if len(returns) != 1 or returns[0].value is None:
            return None
        value = returns[0].value
        assert value.end_lineno is not None and value.end_col_offset is not None
        end = Place(value.end_lineno, value.end_col_offset, value.end_lineno, value.end_col_offset)
        more = ", ".join(names)
        last = self.lines[end.line - 1]
        if isinstance(value, ast.Tuple) and last[: end.column].endswith(b")") and self._is_wrapped(value):
            inside = Place(end.line, end.column - 1, end.line, end.column - 1)
            before = last[: inside.column].rstrip()
            return self.edit(inside, f" {more}" if before.endswith(b",") else f", {more}")
        if last[end.column :].split(b"#")[0].strip():
            return None  # in parentheses that are not the tuple's own
        return self.edit(end, f", {more}")

    def knows_names_of(self, text: str) -> bool:
        """Whether each name of an expression is one of the function's or of its file."""
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            return False
        local = {one.id for one in ast.walk(self.function) if isinstance(one, ast.Name)}
        local |= {one.arg for one in ast.walk(self.function.args) if isinstance(one, ast.arg)}
        names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
        return all(name in local or name in self.globals or hasattr(builtins, name) for name in names)

    def text(self, place: Place) -> str:
        """What stands at a place."""
        lines = self.lines[place.line - 1 : place.end_line]
        if not lines:
            return ""
        lines = [*lines[:-1], lines[-1][: place.end_column]]
        return b"".join([lines[0][place.column :], *lines[1:]]).decode()

    def edit(self, place: Place, text: str) -> Edit:
        """Put `text` there."""
        return Edit(
            line=place.line,
            column=self._utf16(place.line, place.column),
            end_line=place.end_line,
            end_column=self._utf16(place.end_line, place.end_column),
            text=text,
        )

    def _expression(self, place: Place) -> ast.expr | None:
        try:
            return ast.parse(f"({self.text(place)})", mode="eval").body
        except (SyntaxError, ValueError):
            return None

    def _outside(self, node: ast.expr, place: Place) -> Place | None:
        """Where a part of the expression at `place` stands in the file; `_expression` has put a parenthesis before."""
        if node.end_lineno is None or node.end_col_offset is None:
            return None
        start = place.column - 1 if node.lineno == 1 else 0
        end = place.column - 1 if node.end_lineno == 1 else 0
        first = place.line - 1
        return Place(first + node.lineno, start + node.col_offset, first + node.end_lineno, end + node.end_col_offset)

    def _is_wrapped(self, value: ast.Tuple) -> bool:
        return self.lines[value.lineno - 1][value.col_offset :].startswith(b"(")

    def _utf16(self, line: int, column: int) -> int:
        return len(self.lines[line - 1][:column].decode().encode("utf-16-le")) // 2


def _starts(function: ast.FunctionDef, code: CodeType) -> bool:
    first = function.decorator_list[0].lineno if function.decorator_list else function.lineno
    return function.name == code.co_name and first == code.co_firstlineno


def _makes(expression: ast.expr, node: Node) -> bool:
    """Whether an expression can be the one call that a node stands for."""
    if node.op == "call_method":
        return (
            isinstance(expression, ast.Call)
            and isinstance(expression.func, ast.Attribute)
            and expression.func.attr == node.target
        )
    if node.op != "call_function":
        return False
    if isinstance(expression, ast.Call):
        return True
    is_operator = getattr(node.target, "__module__", None) in ("_operator", "operator") or node.target is getattr
    return is_operator and isinstance(expression, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute))


def _literal(text: str) -> Any:
    """What a text stands for, with its type; None where it is no plain constant."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return (type(value), value)


def _same_literal(one: Any, other: Any) -> bool:
    return one is not None and one == other and repr(one) == repr(other)
