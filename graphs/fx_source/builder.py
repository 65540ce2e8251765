"""The nodes of a graph as they are found, and what each name of the text stands for."""

import ast
from dataclasses import dataclass, replace

from graphs.fx_source.model import Arg, FxGraph, FxNode, Op, Ref, Span
from graphs.fx_source.names import Namer
from graphs.problems import ReadProblem

Located = ast.stmt | ast.expr | ast.arg


@dataclass(frozen=True)
class Place:
    """Where a piece of text lies in its file: how to turn positions of `ast` into lines and Monaco's columns."""

    file: str
    offset: int  # added to a line of ast to get the line of the file
    lines: list[str] | None  # the piece's lines when it holds more than ASCII

    def span(self, node: Located) -> Span:
        """Where a piece of the syntax tree stands in the file."""
        end_line = node.end_lineno or node.lineno
        return Span(
            node.lineno + self.offset,
            self._column(node.lineno, node.col_offset),
            end_line + self.offset,
            self._column(end_line, node.end_col_offset or node.col_offset),
        )

    def problem(self, node: Located, why: str) -> ReadProblem:
        return ReadProblem(self.file, node.lineno + self.offset, why)

    def _column(self, line: int, column: int) -> int:
        """ast counts bytes of UTF-8, Monaco counts units of UTF-16."""
        if self.lines is None or self.lines[line - 1].isascii():
            return column
        return len(self.lines[line - 1].encode()[:column].decode().encode("utf-16-le")) // 2


@dataclass(frozen=True)
class Wanted:
    """What the outermost node of an assigned expression is to be called."""

    name: str
    span: Span
    annotation: str | None = None


class GraphBuilder:
    """Nodes in order, and the value of every variable."""

    def __init__(self, namer: Namer) -> None:
        self.namer = namer
        self.nodes: list[FxNode] = []
        self.variables: dict[str, Arg] = {}
        self.returned = False

    def emit(
        self,
        op: Op,
        target: str,
        args: tuple[Arg, ...],
        kwargs: tuple[tuple[str, Arg], ...],
        span: Span,
        wanted: Wanted | None,
        base: str,
    ) -> Ref:
        """Add a node, called after the variable that it is assigned to or else after `base`."""
        if wanted is None:
            self.nodes.append(FxNode(self.namer.generated(base), op, target, args, kwargs, span))
        else:
            name = self.namer.variable(wanted.name)
            self.nodes.append(FxNode(name, op, target, args, kwargs, wanted.span, wanted.annotation))
        return Ref(self.nodes[-1].name)

    def placeholder(self, name: str, default: tuple[Arg, ...], span: Span, annotation: str | None) -> None:
        self.nodes.append(
            FxNode(self.namer.variable(name), "placeholder", name, default, span=span, annotation=annotation)
        )
        self.variables[name] = Ref(name)

    def output(self, value: Arg, span: Span) -> None:
        self.nodes.append(FxNode(self.namer.generated("output"), "output", "output", (value,), span=span))
        self.returned = True

    def rename_last(self, name: str, annotation: str | None, variable: str) -> bool:
        """Call the last node `name`; False when the name is taken. No variable but `variable` stands for it yet."""
        last = self.nodes[-1]
        if not self.namer.rename(last.name, name):
            return False
        self.nodes[-1] = replace(last, name=name, annotation=annotation)
        if self.variables.get(variable) == Ref(last.name):
            self.variables[variable] = Ref(name)
        return True

    def graph(self) -> FxGraph:
        return FxGraph(tuple(self.nodes))
