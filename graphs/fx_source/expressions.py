"""From expressions of Python's syntax tree to arguments and nodes."""

import ast
import keyword
from collections.abc import Callable
from typing import Any

from graphs.fx_source import operators, refused
from graphs.fx_source.builder import GraphBuilder, Place, Wanted
from graphs.fx_source.constants import NUMBERS, TYPES, constant_call
from graphs.fx_source.model import Arg, Ref, Slice, Symbol
from graphs.problems import ReadProblem

_KEPT = frozenset({int, float, bool, str, complex, type(None), type(Ellipsis)})


class Expressions:
    """Reads the expressions of one piece of text; nested calls become nodes in the order in which Python runs them."""

    def __init__(
        self,
        graph: GraphBuilder,
        place: Place,
        self_name: str | None,
        imports: dict[str, str],
        literals: dict[str, Any],
    ) -> None:
        self.graph = graph
        self.place = place
        self._self_name = self_name
        self._imports = imports  # name in the text → dotted name
        self._literals = literals

    def value(self, node: ast.expr, wanted: Wanted | None = None) -> Arg:
        """The argument that an expression stands for. Raises ReadProblem."""
        method = _METHODS.get(type(node))
        if method is None:
            raise self._refused(node)
        return method(self, node, wanted)

    def _refused(self, node: ast.expr) -> ReadProblem:
        why = refused.EXPRESSIONS.get(type(node), "not an expression of straight-line FX code")
        return self.place.problem(node, f"{refused.shown(node)} is {why}")

    def _constant(self, node: ast.Constant, wanted: Wanted | None) -> Arg:
        if type(node.value) not in _KEPT:
            raise self.place.problem(node, f"{refused.shown(node)} is bytes: only plain texts are arguments")
        return node.value

    def _sequence(self, node: ast.Tuple | ast.List, wanted: Wanted | None) -> Arg:
        values = [
            item.value if type(item) is ast.Constant and type(item.value) in _KEPT else item for item in node.elts
        ]
        read = [value for item in values for value in (self._items(item) if isinstance(item, ast.expr) else (item,))]
        return read if type(node) is ast.List else tuple(read)

    def _items(self, node: ast.expr) -> tuple[Arg, ...]:
        """The values of one element or argument: several for `*(a, b)`."""
        if not isinstance(node, ast.Starred):
            return (self.value(node),)
        value = self.value(node.value)
        if not isinstance(value, (tuple, list)):
            raise self._refused(node)
        return tuple(value)

    def _dict(self, node: ast.Dict, wanted: Wanted | None) -> Arg:
        read: dict[Any, Arg] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant) or type(key.value) not in _KEPT:
                raise self.place.problem(node, f"{refused.shown(node)} has a key that is not a plain constant")
            read[key.value] = self.value(value)
        return read

    def _slice(self, node: ast.Slice, wanted: Wanted | None) -> Arg:
        return Slice(*(None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)))

    def _name(self, node: ast.Name, wanted: Wanted | None) -> Arg:
        name = node.id
        if name in self.graph.variables:
            return self.graph.variables[name]
        if name in self._literals:
            return self._literals[name]
        if name == "Ellipsis":
            return Ellipsis
        dotted = self._imports.get(name, name)
        if dotted in NUMBERS:
            return NUMBERS[dotted]
        if dotted != name or name in TYPES:
            return Symbol(dotted)
        raise self.place.problem(node, f"`{name}` is used before it is assigned, and is no input")

    def _attribute(self, node: ast.Attribute, wanted: Wanted | None) -> Arg:
        path = self._self_path(node)
        if path is not None:
            return self._emit(node, "get_attr", path, (), (), wanted, path.replace(".", "_"))
        dotted = self._dotted(node)
        if dotted is None:
            value = self.value(node.value)
            return self._emit(node, "call_function", "getattr", (value, node.attr), (), wanted, node.attr)
        if dotted in NUMBERS:
            return NUMBERS[dotted]
        if dotted.split(".", 1)[0] not in ("torch", "math", "operator"):
            raise self.place.problem(
                node, f"`{dotted}`: `{dotted.split('.', 1)[0]}` is no input, no variable, not torch"
            )
        return Symbol(dotted)

    def _subscript(self, node: ast.Subscript, wanted: Wanted | None) -> Arg:
        args = (self.value(node.value), self.value(node.slice))
        return self._emit(node, "call_function", "operator.getitem", args, (), wanted, "getitem")

    def _unary(self, node: ast.UnaryOp, wanted: Wanted | None) -> Arg:
        value = self.value(node.operand)
        if type(value) in (int, float, complex) and isinstance(node.op, (ast.USub, ast.UAdd)):
            if isinstance(node.op, ast.UAdd) or value != value:
                return value
            return -value
        return self._operator(node, operators.UNARY[type(node.op)], (value,), wanted)

    def _binary(self, node: ast.BinOp, wanted: Wanted | None) -> Arg:
        chain = [node]  # a + b + c + … leans to the left and may be thousands of terms long
        while type(chain[-1].left) is ast.BinOp:
            chain.append(chain[-1].left)
        left = self.value(chain[-1].left)
        for link in reversed(chain):
            right = self.value(link.right)
            folded = _complex_number(link.op, left, right)
            if folded is None:
                name = operators.BINARY[type(link.op)]
                left = self._operator(link, name, (left, right), wanted if link is node else None)
            else:
                left = folded
        return left

    def _compare(self, node: ast.Compare, wanted: Wanted | None) -> Arg:
        if len(node.ops) != 1:
            raise self.place.problem(node, f"{refused.shown(node)} compares more than two values at once")
        name = operators.COMPARE.get(type(node.ops[0]))
        if name is None:
            raise self.place.problem(node, f"{refused.shown(node)}: `in` is not an operator of FX graphs")
        return self._operator(node, name, (self.value(node.left), self.value(node.comparators[0])), wanted)

    def _operator(self, node: ast.expr, name: str, args: tuple[Arg, ...], wanted: Wanted | None) -> Ref:
        return self._emit(node, "call_function", f"operator.{name}", args, (), wanted, name)

    def _call(self, node: ast.Call, wanted: Wanted | None) -> Arg:
        path = self._self_path(node)
        if path is not None:
            return self._emit(node, "get_attr", path, (), (), wanted, path.replace(".", "_"))
        function = node.func
        dotted = self._dotted(function)
        if dotted is not None:
            args, kwargs = self._arguments(node)
            constant = constant_call(dotted, args, kwargs)
            if constant is not None:
                return constant
            return self._emit(node, "call_function", dotted, args, kwargs, wanted, _base_name(dotted))
        if not isinstance(function, ast.Attribute):
            raise self.place.problem(
                node, f"{refused.shown(node)} calls a value; only functions and methods are called"
            )
        if self._self_path(function) is not None:
            raise self.place.problem(
                node, f"{refused.shown(node)} calls a submodule; a graph in this format takes all its weights as inputs"
            )
        receiver = self.value(function.value)
        args, kwargs = self._arguments(node)
        return self._emit(node, "call_method", function.attr, (receiver, *args), kwargs, wanted, function.attr)

    def _arguments(self, node: ast.Call) -> tuple[tuple[Arg, ...], tuple[tuple[str, Arg], ...]]:
        args = tuple(value for item in node.args for value in self._items(item))
        kwargs: dict[str, Arg] = {}
        for item in node.keywords:
            value = self.value(item.value)
            named = {item.arg: value} if item.arg is not None else value
            if not isinstance(named, dict):
                raise self.place.problem(node, f"{refused.shown(node)}: `**` before something that is not written out")
            for key, part in named.items():
                if not isinstance(key, str) or not key.isidentifier() or keyword.iskeyword(key) or key in kwargs:
                    raise self.place.problem(node, f"{refused.shown(node)}: {key!r} can not name an argument here")
                kwargs[key] = part
        return args, tuple(kwargs.items())

    def _self_path(self, node: ast.expr) -> str | None:
        """ "layers.0.weight" for `self.layers.0.weight` in its spellings, else None."""
        parts: list[str] = []
        while True:
            match node:
                case ast.Attribute(value=inner, attr=name):
                    parts.append(name)
                case ast.Call(
                    func=ast.Name(id="getattr"), args=[inner, ast.Constant(value=str() as name)], keywords=[]
                ):
                    parts.append(name)
                case ast.Name(id=name) if name == self._self_name and parts and name not in self.graph.variables:
                    return ".".join(reversed(parts))
                case _:
                    return None
            node = inner

    def _dotted(self, node: ast.expr) -> str | None:
        """The dotted name of something that is not a variable's attribute, with imports resolved; else None."""
        parts: list[str] = []
        while type(node) is ast.Attribute:
            parts.append(node.attr)
            node = node.value
        if type(node) is not ast.Name or node.id in self.graph.variables or node.id == self._self_name:
            return None
        parts.append(self._imports.get(node.id, node.id))
        return ".".join(reversed(parts))

    def _emit(
        self,
        node: ast.expr,
        op: Any,
        target: str,
        args: tuple[Arg, ...],
        kwargs: tuple[tuple[str, Arg], ...],
        wanted: Wanted | None,
        base: str,
    ) -> Ref:
        span = self.place.span(node) if wanted is None else wanted.span
        return self.graph.emit(op, target, args, kwargs, span, wanted, base)


_METHODS: dict[type[ast.expr], Callable[[Expressions, Any, Wanted | None], Arg]] = {
    ast.Constant: Expressions._constant,
    ast.Tuple: Expressions._sequence,
    ast.List: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.Slice: Expressions._slice,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.UnaryOp: Expressions._unary,
    ast.BinOp: Expressions._binary,
    ast.Compare: Expressions._compare,
    ast.Call: Expressions._call,
}


def _base_name(dotted: str) -> str:
    """What FX would call a node: the function's name, for torch.ops the operator's without its overload."""
    parts = dotted.split(".")
    return parts[3] if dotted.startswith("torch.ops.") and len(parts) > 3 else parts[-1]


def _complex_number(op: ast.operator, left: Arg, right: Arg) -> complex | None:
    """`1 - 2j`, which Python's own notation makes a sum."""
    if type(left) not in (int, float) or type(right) is not complex or right.real != 0:
        return None
    if isinstance(op, ast.Add):
        return complex(left, right.imag)
    return complex(left, -right.imag) if isinstance(op, ast.Sub) else None
