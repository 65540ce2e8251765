"""What Triton's compiler refuses in a kernel's text and its interpreter lets pass.

The interpreter runs a kernel as Python. It reads any global and takes `break`, `try` or a lambda; on a GPU the same
kernel does not compile. Only what the compiler refuses for certain is refused here: code that it may never look at (a
branch of an `if` whose condition may be known to it, an unrolled loop) is not looked at either. Types are not checked.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import triton
from triton.compiler.code_generator import CodeGenerator
from triton.runtime.interpreter import InterpretedFunction

from evaluator.engine.leaf import LauncherFault, Origin

_PLAIN = (bool, int, float, str)
_SELDOM_SEEN: dict[type[ast.AST], str] = {
    ast.Break: "`break`",
    ast.Continue: "`continue`",
    ast.Try: "`try`",
    ast.Raise: "`raise`",
    ast.With: "`with`",
    ast.Match: "`match`",
    ast.Lambda: "a lambda",
    ast.FunctionDef: "a function inside the kernel",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.ListComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.GeneratorExp: "a generator",
    ast.JoinedStr: "a formatted text",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Global: "`global`",
    ast.Delete: "`del`",
}
# A function is known to the compiler's visitor, but only as the kernel itself.
_REFUSED = {
    kind: words
    for kind, words in _SELDOM_SEEN.items()
    if kind is ast.FunctionDef or not hasattr(CodeGenerator, f"visit_{kind.__name__}")
}


class DoesNotCompile(LauncherFault):
    """A kernel, or a function that it calls, would not compile on a GPU."""


def install() -> None:
    """Look at the text of each kernel, and of each function it calls, before it is interpreted for the first time."""
    rewrite = InterpretedFunction.rewrite

    def looked_at(self: Any) -> Any:
        if self.fn not in self.rewritten_fn and not str(self.fn.__module__).startswith("triton."):
            refuse(self.fn)
        return rewrite(self)

    InterpretedFunction.rewrite = looked_at


def refuse(function: Callable[..., Any]) -> None:
    """Raises DoesNotCompile if Triton's compiler takes the text of `function` for certain no more than Python does."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # no source: nothing can be said
        return
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return
    look = _Look(tree.body[0], _globals(function))
    look.statements(tree.body[0].body)
    if look.found is not None:
        node, words = look.found
        origin = Origin(function.__code__.co_filename, node.lineno + first - 1)
        raise DoesNotCompile(f"kernel {function.__name__} does not compile on a GPU: {words}", origin)


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    """The globals that a kernel may not read: plain values that are not `tl.constexpr` nor annotated so."""
    if triton.knobs.compilation.allow_non_constexpr_globals:
        return {}
    allowed = {*CodeGenerator.builtin_namespace, *function.__globals__.get("__annotations__", ())}
    everything = function.__globals__.items()
    return {name: value for name, value in everything if type(value) in _PLAIN and name not in allowed}


class _Look(ast.NodeVisitor):
    """Visits what the compiler visits in any case; `found` is the first thing that it refuses, with the reason."""

    def __init__(self, kernel: ast.FunctionDef, outside: dict[str, Any]) -> None:
        self.found: tuple[Any, str] | None = None
        arguments = kernel.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        local = {one.arg for one in named}
        local |= {
            node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self._outside = {name: value for name, value in outside.items() if name not in local}
        self._counters: set[str] = set()  # of loops that are not unrolled: never known to the compiler

    def statements(self, body: Iterable[ast.stmt]) -> None:
        """Statements in order, up to the `return` behind which nothing is compiled."""
        for statement in body:
            if self.found is None:
                self.visit(statement)
            if isinstance(statement, ast.Return):
                return

    def visit(self, node: ast.AST) -> None:
        if self.found is None and type(node) in _REFUSED:
            self.found = (node, f"it holds {_REFUSED[type(node)]}, which Triton does not take")
        elif self.found is None:
            super().visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in self._outside:
            value = repr(self._outside[node.id])
            fix = f": write `{node.id} = tl.constexpr({value})`" if len(value) <= 40 else ""
            why = "and of the globals with a plain value a kernel may only read those that are tl.constexpr"
            self.found = (node, f"it reads the global {node.id}, {why}{fix}")

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        if self._depends_on_a_counter(node.test):
            self.statements(node.body)
            self.statements(node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        called = node.iter.func if isinstance(node.iter, ast.Call) else None
        if isinstance(node.target, ast.Name) and ast.unparse(called or node.iter) in ("range", "tl.range"):
            self._counters.add(node.target.id)
            self.statements(node.body)
            self._counters.discard(node.target.id)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def _depends_on_a_counter(self, test: ast.expr) -> bool:
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        return isinstance(test, ast.Compare) and bool(names & self._counters)
