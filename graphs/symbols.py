"""Example values of dynamic sizes: `input_tensor_constraints.py`, read with `ast` and never executed."""

import ast

from graphs.big_numbers import refuse_big_numbers
from graphs.problems import ReadProblem

FILE = "input_tensor_constraints.py"


def example_values(constraints: str) -> dict[str, int]:
    """Symbol → example value, from every dict that maps symbols to integers (`{S0: 5}`).

    A symbol goes by the name of its variable and, for `S0 = Symbol("s77")`, by its own too. Raises ReadProblem for a
    text that is not Python.
    """
    try:
        module = ast.parse(constraints.removeprefix("\ufeff"), filename=FILE)
        nodes = list(ast.walk(module))
        refuse_big_numbers(constraints, module, FILE)
    except SyntaxError as error:
        raise ReadProblem(FILE, error.lineno, f"is not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ReadProblem(FILE, None, f"is not Python that can be read: {error}") from error
    values: dict[str, int] = {}
    names: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Dict(keys=keys, values=items):
                for key, item in zip(keys, items, strict=True):
                    if isinstance(key, ast.Name) and isinstance(item, ast.Constant) and type(item.value) is int:
                        values[key.id] = item.value
            case ast.Assign(
                targets=[ast.Name(id=variable)], value=ast.Call(args=[ast.Constant(value=str() as name), *_])
            ):
                names[variable] = name
    return {**{names[variable]: value for variable, value in values.items() if variable in names}, **values}


def example_value(constraints: str, name: str, *, only: bool) -> int | None:
    """The example value of the graph input `name`: of the symbol of that name, in capitals or not.

    `only`: the input is the only one without a description, so that a value that stands alone must be its.
    """
    values = example_values(constraints)
    if name in values:
        return values[name]
    found = {value for symbol, value in values.items() if symbol.casefold() == name.casefold()}
    if not found and only:
        found = set(values.values())
    return found.pop() if len(found) == 1 else None
