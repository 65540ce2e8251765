"""Whole numbers of thousands of digits: Python reads them, and then can neither print them nor make floats of them."""

import ast
import re

from graphs.problems import ReadProblem

MOST_BITS = 1000  # about 300 digits; torch itself has 64 bits, a float 1024
_LONG = re.compile(r"0[xXoObB][0-9a-fA-F_]{249}|[0-9][0-9_]{299}")  # no shorter number has more bits


def refuse_big_numbers(text: str, module: ast.AST, file: str, offset: int = 0) -> None:
    """Raises ReadProblem with the line if `module`, which is `text` parsed, holds a whole number beyond MOST_BITS.

    `offset`: lines of the file before the text.
    """
    if not _LONG.search(text):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value.bit_length() > MOST_BITS:
            digits = f"holds a whole number of {node.value.bit_length():,} bits"
            raise ReadProblem(file, node.lineno + offset, f"{digits}; the limit is {MOST_BITS:,}, torch has 64")
