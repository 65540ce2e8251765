"""What is not straight-line FX code, and why it can not be drawn as one graph."""

import ast

EXPRESSIONS: dict[type[ast.expr], str] = {
    ast.Lambda: "a lambda: a graph holds calls, not functions",
    ast.IfExp: "a conditional expression: which side runs depends on values, a graph always runs all of it",
    ast.BoolOp: "`and` or `or`: whether the right side runs depends on values, a graph always runs all of it",
    ast.ListComp: "a comprehension: a loop has no place in straight-line code",
    ast.SetComp: "a comprehension: a loop has no place in straight-line code",
    ast.DictComp: "a comprehension: a loop has no place in straight-line code",
    ast.GeneratorExp: "a generator: a loop has no place in straight-line code",
    ast.Await: "`await`: a graph runs at once",
    ast.Yield: "`yield`: a graph returns once",
    ast.YieldFrom: "`yield from`: a graph returns once",
    ast.JoinedStr: "a formatted text: only plain texts are arguments",
    ast.NamedExpr: "`:=`: assign on a line of its own",
    ast.Starred: "`*` before something that is not written out: how many arguments there are is not known",
    ast.Set: "a set: its order is not defined",
}

STATEMENTS: dict[type[ast.stmt], str] = {
    ast.For: "a loop: straight-line code runs each statement once",
    ast.AsyncFor: "a loop: straight-line code runs each statement once",
    ast.While: "a loop: straight-line code runs each statement once",
    ast.If: "an `if`: which branch runs depends on values, a graph always runs all of it",
    ast.Match: "a `match`: which branch runs depends on values, a graph always runs all of it",
    ast.With: "a `with` block: FX writes entering and leaving as calls",
    ast.AsyncWith: "a `with` block: FX writes entering and leaving as calls",
    ast.Try: "a `try`: a graph has no other way to go",
    ast.TryStar: "a `try`: a graph has no other way to go",
    ast.Raise: "a `raise`: a graph has no other way to go",
    ast.Assert: "an `assert`: FX writes checks as calls of torch._assert",
    ast.FunctionDef: "a function inside forward: only one level of straight-line code can be drawn",
    ast.AsyncFunctionDef: "a function inside forward: only one level of straight-line code can be drawn",
    ast.ClassDef: "a class inside forward: only one level of straight-line code can be drawn",
    ast.Import: "an import inside forward: imports of torch stand at the top",
    ast.ImportFrom: "an import inside forward: imports of torch stand at the top",
    ast.Global: "`global`: a graph has no variables outside",
    ast.Nonlocal: "`nonlocal`: a graph has no variables outside",
}


def shown(node: ast.AST) -> str:
    """The start of a piece of code, for a message."""
    text = ast.unparse(node).split("\n", 1)[0]
    return f"`{text if len(text) <= 80 else text[:77] + '...'}`"
