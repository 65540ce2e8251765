"""Inputs from metadata, by the formula of the file format."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.engine.inputs import INPUT_SETS, InputProblem, graph_inputs, replay
from graphs.fx_source import parse
from graphs.samples import TensorMeta

PLAIN = TensorMeta("x", (1000,), "float32", mean=2.0, std=3.0)


def drawn(seed=0, spread=0.2, **changes):
    (value,) = replay([dataclasses.replace(PLAIN, **changes)], seed, spread)
    return value


def test_the_formula():
    noise = torch.randn(1000, generator=torch.Generator().manual_seed(7))
    assert torch.equal(drawn(seed=7), noise * (3.0 * 0.2) + 2.0)
    assert torch.equal(drawn(seed=7, spread=1.0), noise * 3.0 + 2.0)
    assert torch.equal(drawn(seed=7, mean=None, std=None, spread=1.0), noise * 0.1)


def test_a_seed_gives_the_same_values_and_another_others():
    assert torch.equal(drawn(seed=3), drawn(seed=3))
    assert not torch.equal(drawn(seed=3), drawn(seed=4))


def test_inputs_of_one_graph_differ():
    one, two = replay([PLAIN, dataclasses.replace(PLAIN, name="y")], 0)
    assert not torch.equal(one, two)


def test_std_zero_is_constant():
    assert drawn(std=0.0).unique().tolist() == [2.0]


def test_exact_data_is_taken_as_it_is():
    assert drawn(shape=(2, 2), data=(1, 2, 3, 4)).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert drawn(shape=(2,), data=(-math.inf, 1e6)).tolist() == [-math.inf, 1e6]  # not limited to 100
    assert drawn(shape=(), dtype="int64", data=(7,)).item() == 7
    assert drawn(shape=(2,), dtype="bool", data=(True, False)).tolist() == [True, False]


def test_data_that_does_not_fill_the_shape():
    with pytest.raises(InputProblem, match=r"'x' has 3 values for the shape \[2, 2\]"):
        drawn(shape=(2, 2), data=(1, 2, 3))


def test_bool_is_a_fair_coin():
    values = drawn(shape=(10_000,), dtype="bool", mean=5.0)
    assert values.dtype is torch.bool and 4_700 < int(values.sum()) < 5_300


def test_integers_truncate_toward_zero():
    # −0.6 ± a little truncates to 0, where rounding would give −1; 1.7 ± a little to 1, where rounding would give 2
    assert drawn(dtype="int64", mean=-0.6, std=0.1).unique().tolist() == [0]
    assert drawn(dtype="int32", mean=1.7, std=0.1).unique().tolist() == [1]


def test_indices_stay_inside_their_table():
    values = drawn(dtype="int64", mean=25.0, std=40.0, spread=1.0, min_val=0, max_val=49)
    assert values.dtype is torch.int64 and int(values.min()) == 0 and int(values.max()) == 49


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint16"])
def test_integers_never_leave_their_dtype(dtype):
    info = torch.iinfo(getattr(torch, dtype))
    values = drawn(dtype=dtype, mean=0.0, std=1e30, spread=1.0).to(torch.int64)
    assert int(values.min()) == info.min and int(values.max()) >= info.max - 1024
    assert drawn(dtype=dtype, mean=math.nan).to(torch.int64).unique().tolist() == [0]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "float8_e4m3fn"])
@pytest.mark.parametrize(
    ("changes", "low", "high"),
    [
        ({"mean": 300.0}, 100.0, 100.0),
        ({"mean": -300.0}, -100.0, -100.0),
        ({"mean": 0.5, "std": 9.0, "min_val": 0.0, "max_val": 1.0}, 0.0, 1.0),
        ({"min_val": -3.4e38, "max_val": 3.4e38, "mean": 50.0, "std": 0.0}, 50.0, 50.0),
        ({"min_val": -math.inf, "max_val": math.nan, "mean": 50.0, "std": 0.0}, 50.0, 50.0),
    ],
)
def test_floats_are_clipped_and_limited(dtype, changes, low, high):
    values = drawn(dtype=dtype, spread=1.0, **changes)
    assert values.dtype is getattr(torch, dtype)
    rounded = [float(torch.tensor(bound).to(values.dtype)) for bound in (low, high)]  # float8 holds 100 as 96 or 104
    assert [float(values.double().min()), float(values.double().max())] == rounded


@pytest.mark.parametrize("changes", [{"mean": math.nan}, {"mean": math.inf}, {"std": math.inf}, {"std": math.nan}])
def test_what_is_not_finite_becomes_small_noise(changes):
    values = drawn(**changes)
    assert torch.isfinite(values).all() and 0 < float(values.abs().max()) < 0.1


def test_complex():
    values = drawn(dtype="complex64", mean=0.0)
    assert values.dtype is torch.complex64 and float(values.imag.std()) > 0.1


def test_unknown_dtypes_and_shapes():
    with pytest.raises(InputProblem, match="'float33' is not a dtype"):
        drawn(dtype="float33")
    with pytest.raises(InputProblem, match="'x' has a negative size"):
        drawn(shape=(-1,))


def test_empty_and_zero_dimensional():
    assert drawn(shape=(0, 3)).shape == (0, 3) and drawn(shape=()).ndim == 0


def test_the_input_sets():
    assert [entry.spread for entry in INPUT_SETS] == [0.2, 1.0, 1.0]
    assert len({entry.name for entry in INPUT_SETS}) == 3


GRAPH = parse(
    "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
    "    def forward(self, s0: torch.SymInt, L_x_: torch.Tensor, steps: torch.Tensor):\n"
    "        y = L_x_ + steps\n        return (y, s0)\n"
)


def test_symbolic_sizes_become_python_numbers():
    metas = [
        TensorMeta("steps", (), "int64", data=(4,)),
        TensorMeta("L_x_", (4,), "float32"),
        TensorMeta("s0", (), "int64", data=(4,)),
    ]
    ordered, scalars = graph_inputs(GRAPH, metas)
    assert [meta.name for meta in ordered] == ["s0", "L_x_", "steps"] and scalars == {"s0"}
    size, x, steps = replay(ordered, 0, scalars=scalars)
    assert size == 4 and type(size) is int and x.shape == (4,) and steps.shape == ()


@pytest.mark.parametrize(
    ("meta", "value"),
    [
        (TensorMeta("s0", (), "int64", min_val=6, max_val=6), 6),
        (TensorMeta("s0", (), "int64", mean=12.0), 12),
        (TensorMeta("s0", (), "int64"), 1),
        (TensorMeta("s0", (), "float64", data=(0.5,)), 0.5),
        (TensorMeta("s0", (), "bool", data=(1,)), True),
    ],
)
def test_where_a_number_comes_from(meta, value):
    (found,) = replay([meta], 0, scalars={"s0"})
    assert found == value and type(found) is type(value)


def test_a_symbolic_size_without_a_class_has_its_example_value():
    metas = [TensorMeta("steps", (), "int64", data=(4,)), TensorMeta("L_x_", (4,), "float32")]
    ordered, scalars = graph_inputs(GRAPH, metas, "S0 = Symbol('S0')\nexample_value = {S0: 5}\n")
    assert ordered[0] == TensorMeta("s0", (), "int64", data=(5,)) and scalars == {"s0"}
    assert replay(ordered, 0, scalars=scalars)[0] == 5
    for constraints in (None, "", "example_value = {S1: 5, S2: 6}\n"):
        with pytest.raises(InputProblem, match=r"'s0' .* not described: .*weight_meta.py.*input_tensor_constraints"):
            graph_inputs(GRAPH, metas, constraints)


def test_an_input_that_nobody_describes():
    with pytest.raises(InputProblem, match="'L_x_' of the graph is not described"):
        graph_inputs(GRAPH, [TensorMeta("s0", (), "int64")])


@given(
    st.sampled_from(["float32", "float16", "bfloat16", "int64", "int32", "uint8"]),
    st.floats(-200, 200),
    st.floats(0, 50),
    st.integers(-90, 0),
    st.integers(0, 90),
)
def test_values_stay_between_their_bounds(dtype, mean, std, low, high):
    low = max(low, 0) if dtype == "uint8" else low
    values = drawn(shape=(64,), dtype=dtype, mean=mean, std=std, min_val=low, max_val=high, spread=1.0).double()
    assert low <= float(values.min()) and float(values.max()) <= high
