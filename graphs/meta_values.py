"""Literal values in meta files: what Python would make of them, without Python."""

import ast
from typing import Any

from graphs.problems import ReadProblem


def literal_value(node: ast.expr, file: str) -> Any:
    """The value of a literal: numbers, texts, None, inf and nan in their spellings, lists and tuples of such.

    Raises ReadProblem with the line for anything else.
    """
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, (int, float, complex, str)):
            return value
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=complex() as imaginary)):
            real = literal_value(left, file)
            if isinstance(real, (int, float)):
                return real + imaginary if isinstance(sign, ast.Add) else real - imaginary
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [item.value if type(item) is ast.Constant else literal_value(item, file) for item in elements]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value = literal_value(operand, file)
            if isinstance(value, (int, float, complex)):
                return -value if isinstance(sign, ast.USub) else value
        case (
            ast.Name(id=("inf" | "nan") as name)
            | ast.Attribute(value=ast.Name(id="math" | "torch" | "np" | "numpy"), attr=("inf" | "nan") as name)
        ):
            return float(name)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)], keywords=[]):
            try:
                return float(text)
            except ValueError:
                pass
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="Size"), args=[sizes], keywords=[]):
            return literal_value(sizes, file)
        case ast.Attribute(value=ast.Name(id="torch"), attr=name):
            return f"torch.{name}"
    raise ReadProblem(file, node.lineno, f"{shown(node)} is not a literal value; meta files are read, never run")


def shown(node: ast.AST) -> str:
    """The start of a piece of code, for a message."""
    try:
        text = ast.unparse(node).split("\n", 1)[0]
    except RecursionError:
        return "something that is nested too deeply to be shown"
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"
