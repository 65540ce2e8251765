"""Reading a model.py: header, then the body in pieces, so that memory is bounded by the piece and not by the file."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from graphs.big_numbers import refuse_big_numbers
from graphs.fx_source.builder import GraphBuilder, Place
from graphs.fx_source.expressions import Expressions
from graphs.fx_source.header import Header, read_header
from graphs.fx_source.lines import Cut, assigned_names, cut
from graphs.fx_source.literals import take_out
from graphs.fx_source.model import FxGraph
from graphs.fx_source.names import RESERVED, Namer
from graphs.fx_source.statements import Statements
from graphs.problems import ReadProblem, TooLarge

MAX_STATEMENTS = 50_000  # of forward's body, clean-up lines not counted
MAX_CHARACTERS = 64 << 20
MAX_BRACES = 2_000  # beside formatted text: Python's parser takes the square of their number, and graphs have none
_BRACKET = re.compile(r"[()\[\]{}]")
_FORMATTED = re.compile(r"""\b(?:[fF][rR]?|[rR][fF])["']""")
MAX_PIECE = 4 << 20  # characters of one statement (long lists of numbers not counted) or of what is not the body
_PIECE = 128 << 10


def parse(source: str, file: str = "model.py", max_statements: int = MAX_STATEMENTS) -> FxGraph:
    """The graph of a `class GraphModule` with one `forward`, or of a bare `def forward(self, …)`.

    `file` is only named in messages. Raises ReadProblem with the line for anything but straight-line FX code, and
    TooLarge, without building anything, beyond `max_statements` statements (clean-up lines not counted).
    """
    if len(source) > MAX_CHARACTERS:
        counts = {"characters": len(source), "limit": MAX_CHARACTERS}
        raise TooLarge(file, None, f"has {len(source):,} characters; the limit is {MAX_CHARACTERS:,}", counts)
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = text if text.endswith("\n") else text + "\n"
    found = cut(text, max_statements)
    if found.statements > max_statements:
        counts = {
            "statements": found.statements,
            "clean_ups": found.clean_ups,
            "lines": found.lines,
            "characters": len(source),
            "limit": max_statements,
        }
        why = f"forward has {found.statements:,} statements; the limit is {max_statements:,}: too large to draw"
        raise TooLarge(file, found.forward_line, why, counts)
    try:
        return _Reader(text, file, found).graph()
    except (RecursionError, MemoryError) as error:
        raise ReadProblem(file, None, f"is nested too deeply to be read ({error})") from error


def deepest_line(text: str) -> int:
    """The line (from 1) with the innermost bracket."""
    depth, deepest, where = 0, 0, 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] in "([{" else -1
        if depth > deepest:
            deepest, where = depth, found.start()
    return text.count("\n", 0, where) + 1


class _Reader:
    def __init__(self, text: str, file: str, found: Cut) -> None:
        self._text = text
        self._file = file
        self._cut = found
        self._header = self._read_header()
        self._builder = GraphBuilder(Namer(assigned_names(text[found.start : found.end])))

    def graph(self) -> FxGraph:
        self._placeholders()
        for body, place, literals in self._pieces():
            statements = Statements(self._expressions(place, literals))
            for statement in body:
                try:
                    statements.read(statement)
                except RecursionError:
                    raise place.problem(statement, "this statement is nested too deeply to be read") from None
        if not self._builder.returned:
            raise ReadProblem(
                self._file, self._cut.forward_line, "forward returns nothing: its last line is no `return`"
            )
        return self._builder.graph()

    def _read_header(self) -> Header:
        """Everything but the body, which is blanked out so that lines keep their numbers."""
        text, found = self._text, self._cut
        if found.starts:
            blank = " " * 80 + "pass" + "\n" * text.count("\n", found.start, found.end)
            text = text[: found.start] + blank + text[found.end :]
        self._check_size(len(text), 1, "what stands around forward")
        return read_header(self._parse(text, 0), self._file, self._place(text, 0))

    def _expressions(self, place: Place, literals: dict[str, Any]) -> Expressions:
        return Expressions(self._builder, place, self._header.self_name, self._header.imports, literals)

    def _placeholders(self) -> None:
        expressions = self._expressions(self._header.place, {})
        for parameter in self._header.parameters:
            name = parameter.node.arg
            if name in RESERVED:
                raise ReadProblem(
                    self._file, parameter.node.lineno, f"the input `{name}` hides a name that FX code needs for itself"
                )
            default = () if parameter.default is None else (expressions.value(parameter.default),)
            annotation = parameter.node.annotation
            self._builder.placeholder(
                name,
                default,
                self._header.place.span(parameter.node),
                None if annotation is None else ast.unparse(annotation),
            )

    def _pieces(self) -> Iterator[tuple[list[ast.stmt], Place, dict[str, Any]]]:
        """The body's statements, some hundred kilobytes of text at a time."""
        if not self._cut.starts:
            yield self._header.body, self._header.place, {}
            return
        ends = [*self._cut.starts[1:], (self._cut.end, 0)]
        first, first_line = self._cut.starts[0]
        for (_, line), (end, next_line) in zip(self._cut.starts, ends, strict=True):
            if end - first < _PIECE and end != self._cut.end:
                continue
            brackets = [offset for offset in self._cut.literals if first <= offset < end]
            text, literals = take_out(self._text, first, end, brackets)
            self._check_size(len(text.strip()), line, "this statement")
            text = f"def forward():\n{text}"
            function = self._parse(text, first_line - 2).body[0]
            assert isinstance(function, ast.FunctionDef)
            yield function.body, self._place(text, first_line - 2), literals
            first, first_line = end, next_line

    def _parse(self, text: str, offset: int) -> ast.Module:
        if text.count("{") > MAX_BRACES and _FORMATTED.search(text):
            raise ReadProblem(self._file, offset + 1, "holds formatted text with too many fields to be read")
        try:
            module = ast.parse(text)
        except SyntaxError as error:
            line = None if error.lineno is None else error.lineno + offset
            raise ReadProblem(self._file, line, f"is not Python: {error.msg}") from error
        except (ValueError, UnicodeEncodeError) as error:
            raise ReadProblem(self._file, None, f"is not Python: {error}") from error
        except (RecursionError, MemoryError) as error:  # how Python's parser says that its stack is full
            raise ReadProblem(self._file, deepest_line(text) + offset, "is nested too deeply to be read") from error
        refuse_big_numbers(text, module, self._file, offset)
        return module

    def _place(self, text: str, offset: int) -> Place:
        return Place(self._file, offset, None if text.isascii() else text.split("\n"))

    def _check_size(self, size: int, line: int, what: str) -> None:
        if size > MAX_PIECE:
            counts = {"characters": size, "limit": MAX_PIECE}
            raise TooLarge(self._file, line, f"{what} has {size:,} characters; the limit is {MAX_PIECE:,}", counts)
