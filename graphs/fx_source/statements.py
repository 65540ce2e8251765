"""From statements of forward's body to nodes and variables."""

import ast

from graphs.fx_source import operators, refused
from graphs.fx_source.builder import Wanted
from graphs.fx_source.expressions import Expressions
from graphs.fx_source.model import Arg, Ref


class Statements:
    """Reads statements in order. What one piece of text leaves behind is in the graph builder alone."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._graph = expressions.graph
        self._place = expressions.place
        # After `x += y` or `x[i] = y`, FX names the node by `name = x`: (the variable, its value, the node's name)
        self._unnamed: tuple[str, Arg, str] | None = None

    def read(self, statement: ast.stmt) -> None:
        """Raises ReadProblem for what is not straight-line code."""
        if self._graph.returned:
            raise self._place.problem(statement, f"{refused.shown(statement)} stands after the `return`")
        unnamed, self._unnamed = self._unnamed, None
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Name(id=source))
            ) if unnamed is not None and unnamed[0] == source and self._graph.nodes[-1].name == unnamed[2]:
                annotation = ast.unparse(statement.annotation) if isinstance(statement, ast.AnnAssign) else None
                self._name_mutation(name, annotation, unnamed)
            case ast.Assign(targets=targets, value=value):
                self._assign(statement, targets, value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=noted, value=ast.expr() as value):
                wanted = self._wanted(statement, name, ast.unparse(noted))
                self._graph.variables[name] = self._expressions.value(value, wanted)
            case ast.AugAssign(target=target, op=op, value=value):
                self._augment(statement, target, op, value)
            case ast.Return(value=value):
                returned = None if value is None else self._expressions.value(value)
                self._graph.output(returned, self._place.span(statement))
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self._expressions.value(value)
            case ast.Delete(targets=deleted):
                for item in deleted:
                    if not isinstance(item, ast.Name):
                        raise self._place.problem(item, f"{refused.shown(item)} can not be deleted in a graph")
                    self._graph.variables.pop(item.id, None)
            case _:
                why = refused.STATEMENTS.get(type(statement), "not a statement of straight-line FX code")
                raise self._place.problem(statement, f"{refused.shown(statement)} is {why}")

    def _wanted(self, statement: ast.stmt, name: str, annotation: str | None = None) -> Wanted:
        return Wanted(name, self._place.span(statement), annotation)

    def _assign(self, statement: ast.stmt, targets: list[ast.expr], expression: ast.expr) -> None:
        if type(expression) is ast.Constant and expression.value is None:  # clean-up, the most frequent line of all
            value: Arg = None
        else:
            first = next((target.id for target in targets if isinstance(target, ast.Name)), None)
            wanted = None if first is None else self._wanted(statement, first)
            value = self._expressions.value(expression, wanted)
        for target in targets:
            self._bind(target, value, statement)

    def _bind(self, target: ast.expr, value: Arg, statement: ast.stmt) -> None:
        match target:
            case ast.Name(id=name):
                self._graph.variables[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(target, parts, value, statement)
            case ast.Subscript(value=container, slice=index):
                holder = self._expressions.value(container)
                node = self._emit(statement, "setitem", (holder, self._expressions.value(index), value))
                self._remember(container, holder, node)
            case _:
                raise self._place.problem(target, f"{refused.shown(target)} can not be assigned to in a graph")

    def _unpack(self, target: ast.expr, parts: list[ast.expr], value: Arg, statement: ast.stmt) -> None:
        if isinstance(value, (tuple, list)):
            if len(value) != len(parts):
                raise self._place.problem(
                    target, f"{refused.shown(target)} takes {len(parts)} values, there are {len(value)}"
                )
            items: list[Arg] = list(value)
        else:
            items = [
                self._emit(
                    part,
                    "getitem",
                    (value, index),
                    Wanted(part.id, self._place.span(part)) if isinstance(part, ast.Name) else None,
                )
                for index, part in enumerate(parts)
            ]
        for part, item in zip(parts, items, strict=True):
            self._bind(part, item, statement)

    def _augment(self, statement: ast.stmt, target: ast.expr, op: ast.operator, expression: ast.expr) -> None:
        name = operators.IN_PLACE[type(op)]
        match target:
            case ast.Name(id=variable):
                args = (self._expressions.value(target), self._expressions.value(expression))
                wanted = self._wanted(statement, variable)
                node = self._emit(statement, name, args, wanted)
                self._graph.variables[variable] = node
                self._unnamed = (variable, node, node.name)
            case ast.Subscript(value=container, slice=index):
                holder, key = self._expressions.value(container), self._expressions.value(index)
                old = self._emit(target, "getitem", (holder, key))
                new = self._emit(statement, name, (old, self._expressions.value(expression)))
                self._remember(container, holder, self._emit(statement, "setitem", (holder, key, new)))
            case _:
                raise self._place.problem(target, f"{refused.shown(target)} can not be assigned to in a graph")

    def _emit(self, node: ast.stmt | ast.expr, name: str, args: tuple[Arg, ...], wanted: Wanted | None = None) -> Ref:
        span = self._place.span(node)
        return self._graph.emit("call_function", f"operator.{name}", args, (), span, wanted, name)

    def _remember(self, container: ast.expr, holder: Arg, node: Ref) -> None:
        if isinstance(container, ast.Name):
            self._unnamed = (container.id, holder, node.name)

    def _name_mutation(self, name: str, annotation: str | None, unnamed: tuple[str, Arg, str]) -> None:
        variable, value, node = unnamed
        renamed = self._graph.rename_last(name, annotation, variable)
        self._graph.variables[name] = Ref(name) if renamed and value == Ref(node) else value
