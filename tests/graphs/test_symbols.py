"""Example values of dynamic sizes."""

import pytest

from graphs.problems import ReadProblem
from graphs.symbols import example_value, example_values

TEXT = """\
from sympy import Symbol

S0 = Symbol("s77")
S1 = Symbol("S1")
dynamic_dim_constraint_symbols = [S0, S1]
dynamic_dim_constraint_symbol2example_value = {S0: 5, S1: 4}
dynamic_dim_constraint_input_shapes = [([S0, 3], "L_x_")]
"""


def test_symbols_go_by_both_of_their_names() -> None:
    assert example_values(TEXT) == {"S0": 5, "s77": 5, "S1": 4}
    assert example_values("") == example_values("{S0: f(), 's': 1, **x, S1: True, S2: 2.5}") == {}


@pytest.mark.parametrize(
    ("text", "name", "only", "value"),
    [
        (TEXT, "s77", False, 5),
        (TEXT, "s0", False, 5),
        (TEXT, "S1", False, 4),
        (TEXT, "L_n_", True, None),  # two values: which one can not be said
        ("a = {S0: 5}", "L_n_", True, 5),
        ("a = {S0: 5}", "L_n_", False, None),
        ("a = {S0: 5, s0: 6}", "s0", False, 6),
    ],
)
def test_the_value_of_an_input(text: str, name: str, only: bool, value: int | None) -> None:
    assert example_value(text, name, only=only) == value


@pytest.mark.parametrize(("text", "line"), [("\nS0 = (", 2), ("\0", None), ("-" * 100_000 + "1", None)])
def test_texts_that_can_not_be_read(text: str, line: int | None) -> None:
    with pytest.raises(ReadProblem, match=r"input_tensor_constraints\.py.*is not Python") as caught:
        example_values(text)
    assert line is None or caught.value.line == line
