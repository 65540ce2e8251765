"""Python's operators and the names of their functions in the module `operator`."""

import ast

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
}

IN_PLACE: dict[type[ast.operator], str] = {kind: f"i{name.rstrip('_')}" for kind, name in BINARY.items()}

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Is: "is_",
    ast.IsNot: "is_not",
}

UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not_",
}

# How the printer writes them: target → sign
INFIX: dict[str, str] = {
    "operator.add": "+",
    "operator.sub": "-",
    "operator.mul": "*",
    "operator.matmul": "@",
    "operator.truediv": "/",
    "operator.floordiv": "//",
    "operator.mod": "%",
    "operator.pow": "**",
    "operator.lshift": "<<",
    "operator.rshift": ">>",
    "operator.and_": "&",
    "operator.or_": "|",
    "operator.xor": "^",
    "operator.eq": "==",
    "operator.ne": "!=",
    "operator.lt": "<",
    "operator.le": "<=",
    "operator.gt": ">",
    "operator.ge": ">=",
    "operator.is_": "is",
    "operator.is_not": "is not",
}

PREFIX: dict[str, str] = {
    "operator.neg": "-",
    "operator.pos": "+",
    "operator.invert": "~",
    "operator.not_": "not ",
}
