"""Cutting Python text into statements without building a syntax tree.

A syntax tree costs some hundred times the memory of its text. Files beyond the limits are therefore counted here and
never parsed, and files within them are parsed in pieces (see reader.py).
"""

import re
from dataclasses import dataclass

from graphs.fx_source.literals import may_be_long_literal

# Everything that decides where a statement ends: strings, comments, brackets, joined lines, line ends, semicolons.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|\Z)'
    r"|'(?:[^'\\\n]|\\.)*(?:'|(?=\n)|\Z)"
    r"|\#[^\n]*|[\[({\])}]|\\\n|[;\n]",
    re.DOTALL,
)
_FORWARD = re.compile(r"[ \t]*(?:async[ \t]+)?def[ \t]+forward\b")
_CLEAN_UP = re.compile(r"\s*(?:[^\W\d]\w*[ \t]*=[ \t]*)+None[ \t]*")
_BLANK = re.compile(r"[ \t\f]*(?:\#[^\n]*)?\n?")
_ASSIGNED = re.compile(r"(?:^|;)[ \t]*([^\W\d]\w*)[ \t]*[=:]", re.MULTILINE)


@dataclass(frozen=True)
class Cut:
    """Where the body of `forward` stands in a text, and how much it holds.

    Offsets count characters; `starts` are those of the body's lines at its own depth, each the start of a statement.
    """

    forward_line: int | None  # 1-based; None when there is no `def forward`
    start: int  # the body, from the line after the `def` …
    end: int  # … to here
    start_line: int
    starts: tuple[tuple[int, int], ...]  # (offset, line)
    literals: tuple[int, ...]  # offsets of brackets that may open a very long list of numbers
    statements: int  # statements of the body other than clean-up
    clean_ups: int  # statements like `a = b = None`
    lines: int  # of the whole text


def assigned_names(text: str) -> set[str]:
    """Names that look like assigned variables; may hold some that are not (from inside a text)."""
    return set(_ASSIGNED.findall(text))


_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")


def cut(text: str, max_statements: int) -> Cut:
    """Find the body of `forward` in a text whose lines end with "\\n", the last one too.

    Beyond `max_statements` it goes on counting, but keeps no more `starts`.
    """
    return _Cutter(text, max_statements).run()


class _Cutter:
    def __init__(self, text: str, max_statements: int) -> None:
        self.text = text
        self.max_statements = max_statements
        self.forward_line: int | None = None
        self.start = self.end = self.start_line = 0
        self.starts: list[tuple[int, int]] = []
        self.literals: list[int] = []
        self.statements = self.clean_ups = 0
        self.inside = False
        self.base = self.depth_of_body = 0  # indentation of `def forward` and of its body

    def run(self) -> Cut:
        line, brackets = 1, 0
        first, first_line = 0, 1  # start of the line (joined lines count as one)
        piece = 0  # start of the statement
        for token in _TOKEN.finditer(self.text):
            mark = token.group()
            if mark in _OPEN:
                brackets += 1
                if mark != "{" and self.inside and may_be_long_literal(self.text, token.start()):
                    self.literals.append(token.start())
            elif mark in _CLOSE:
                brackets = max(brackets - 1, 0)
            elif mark == ";" and not brackets:
                self._statement(piece, token.start())
                piece = token.end()
            elif mark == "\n" and not brackets:
                line += 1
                stop = token.end()
                if not _BLANK.fullmatch(self.text, first, stop):
                    self._line(first, first_line, stop, line)
                    self._statement(piece, token.start())
                first, first_line, piece = stop, line, stop
            else:
                line += mark.count("\n")
        return Cut(
            self.forward_line,
            self.start,
            len(self.text) if self.inside else self.end,
            self.start_line,
            tuple(self.starts),
            tuple(self.literals),
            self.statements,
            self.clean_ups,
            line - 1,
        )

    def _statement(self, start: int, end: int) -> None:
        if not self.inside or start < self.start or _BLANK.fullmatch(self.text, start, end):
            return
        if _CLEAN_UP.fullmatch(self.text, start, end):
            self.clean_ups += 1
        else:
            self.statements += 1

    def _line(self, first: int, first_line: int, stop: int, next_line: int) -> None:
        width = _indentation(self.text, first)
        if self.inside and width <= self.base:
            self.inside, self.end = False, first
        if self.inside:
            if not self.starts:
                self.depth_of_body = width
            if width == self.depth_of_body and self.statements < self.max_statements:
                self.starts.append((first, first_line))
        elif self.forward_line is None and _FORWARD.match(self.text, first):
            self.forward_line, self.base, self.inside = first_line, width, True
            self.start, self.start_line = stop, next_line


def _indentation(text: str, start: int) -> int:
    end = start
    while text[end] in " \t":
        end += 1
    return len(text[start:end].expandtabs(8))
