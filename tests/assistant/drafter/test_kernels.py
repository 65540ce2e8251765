"""Drafted kernels, run in Triton's interpreter against eager, for each kind of operator that can be drafted."""
# ruff: noqa: E501 - a case is easier to read in one line

import pytest
import torch
from drafting import arguments, check, difference, drafted, load

from assistant.drafter import GraphFacts, draft
from graphs.fx_source import parse

DTYPES = ("float32", "float16", "bfloat16")

POINTWISE = """
tmp_0 = in_0 * in_1
tmp_1 = torch.nn.functional.gelu(tmp_0)
tmp_2 = torch.nn.functional.silu(tmp_1)
tmp_3 = torch.clamp(tmp_2, -1.5, 4.0)
tmp_4 = tmp_3 - 2 * in_0
tmp_5 = torch.where(in_0 > 0.5, tmp_4, in_1)
tmp_6 = tmp_5.masked_fill(in_1 < 0, -3.0)
tmp_7 = torch.nn.functional.leaky_relu(tmp_6, 0.1)
return (tmp_7,)
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise_with_broadcasting(dtype):
    made = check(POINTWISE, [(3, 7, 50), (1, 7, 1)], dtype=dtype)
    assert made.text.count("@triton.jit") == 1


FUNCTIONS = (
    "torch.exp(in_0 * 0.1)", "torch.log(torch.abs(in_0) + 1)", "torch.sqrt(torch.abs(in_0))", "torch.rsqrt(in_0 * in_0 + 1)",
    "torch.sin(in_0)", "torch.cos(in_0)", "torch.tanh(in_0)", "torch.erf(in_0)", "in_0.sigmoid()", "torch.nn.functional.mish(in_0)",
    "torch.nn.functional.hardswish(in_0)", "torch.nn.functional.hardsigmoid(in_0)", "torch.nn.functional.relu6(in_0)",
    "torch.nn.functional.elu(in_0, 0.7)", "torch.nn.functional.softplus(in_0)", "torch.nn.functional.softsign(in_0)",
    "torch.nn.functional.gelu(in_0, approximate='tanh')", "in_0.pow(2) + torch.pow(in_0, 3.0) - (in_0 * in_0 + 1) ** -0.5",
    "torch.maximum(in_0, -in_0)", "in_0 // 1" , "torch.floor(in_0) + torch.ceil(in_0)", "torch.square(in_0)", "1.0 / (in_0 * in_0 + 2)",
    "torch.add(in_0, in_0, alpha=3)", "torch.addcmul(in_0, in_0, in_0, value=0.5)", "in_0.to(torch.float16) + 1", "2 - in_0",
    "torch.logical_and(in_0 > 0, in_0 < 1)", "~(in_0 > 0)", "(in_0 > 0) * in_0", "(in_0 > 0).to(torch.float32) * 3",
    "torch.nn.functional.hardtanh(in_0, -2.0, 2.0)", "torch.nn.functional.logsigmoid(in_0)",
)  # fmt: skip
NOT_DRAFTED = {"in_0 // 1"}


@pytest.mark.parametrize("expression", [text for text in FUNCTIONS if text not in NOT_DRAFTED])
def test_functions(expression):
    check(f"tmp_0 = {expression}\nreturn (tmp_0,)", [(5, 9)])


REDUCTIONS = {
    "last": ("tmp_0 = in_0.sum(-1)", 1),
    "middle, kept": ("tmp_0 = torch.mean(in_0, 1, keepdim=True)", 1),
    "two": ("tmp_0 = in_0.amax((1, 2))", 1),
    "first": ("tmp_0 = torch.sum(in_0, dim=0)", 1),
    "all": ("tmp_0 = in_0.mean()", 1),
    "variance": ("tmp_0 = torch.var(in_0, 2)", 1),
    "deviation": ("tmp_0 = in_0.std(-1, keepdim=True, unbiased=False)", 1),
    "length": ("tmp_0 = in_0.norm(dim=-1)", 1),
    "smallest": ("tmp_0 = torch.amin(in_0, -1) * 2", 1),
    "log sum exp": ("tmp_0 = torch.logsumexp(in_0, 1)", 1),
    "normalise": ("tmp_0 = torch.nn.functional.normalize(in_0, dim=-1)", 1),
    "softmax": ("tmp_0 = torch.nn.functional.softmax(in_0 / 3, dim=1)", 1),
    "log softmax": ("tmp_0 = torch.log_softmax(in_0, -1)", 1),
    "two, one after the other": ("tmp_1 = in_0.sum(-1)\ntmp_0 = tmp_1.amax(0) + 1", 2),
    "across each other": ("tmp_1 = in_0.mean(-1, keepdim=True)\ntmp_2 = in_0.amax(1, keepdim=True)\ntmp_0 = in_0 - tmp_1 * tmp_2", None),
    "then back into a sum": ("tmp_1 = torch.softmax(in_0, -1)\ntmp_0 = (tmp_1 * in_0).sum(-1)", 1),
}  # fmt: skip


@pytest.mark.parametrize("what", REDUCTIONS)
def test_reductions(what):
    source, kernels = REDUCTIONS[what]
    made = check(f"{source}\nreturn (tmp_0,)", [(3, 5, 40)])
    assert kernels is None or made.text.count("@triton.jit") == kernels


@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_reductions_of_narrow_floats_round_where_eager_does(dtype):
    check(
        "tmp_0 = in_0 * in_1\ntmp_1 = tmp_0.sum(1)\ntmp_2 = torch.softmax(tmp_1, -1)\nreturn (tmp_2,)",
        [(3, 5, 40), (3, 5, 1)],
        dtype=dtype,
    )


NORMALISATIONS = {
    "layer norm": ("tmp_0 = torch.nn.functional.layer_norm(in_0, (40,), in_1, in_2, 1e-05)", [(3, 5, 40), (40,), (40,)]),
    "layer norm over two": ("tmp_0 = torch.nn.functional.layer_norm(in_0, (5, 40), in_1, None, 1e-06)", [(3, 5, 40), (5, 40)]),
    "rms norm": ("tmp_0 = torch.nn.functional.rms_norm(in_0, (40,), in_1, 1e-06)", [(3, 5, 40), (40,)]),
    "batch norm": (
        "tmp_0 = torch.nn.functional.batch_norm(in_0, in_1, in_2, in_3, in_4, False, 0.1, 1e-05)",
        [(2, 6, 5, 3), (6,), (6,), (6,), (6,)],
    ),
    "group norm": ("tmp_0 = torch.nn.functional.group_norm(in_0, 3, in_1, in_2, 1e-05)", [(2, 6, 5, 3), (6,), (6,)]),
    "instance norm": ("tmp_0 = torch.nn.functional.instance_norm(in_0)", [(2, 6, 5, 3)]),
}  # fmt: skip


@pytest.mark.parametrize("what", NORMALISATIONS)
def test_normalisations(what):
    source, shapes = NORMALISATIONS[what]
    if what == "batch norm":
        source = f"tmp_1 = in_2 * in_2\n{source.replace('in_2,', 'tmp_1,')}"
    made = check(f"{source}\nreturn (tmp_0,)", shapes)
    assert made.text.count("@triton.jit") == 1


MOVES = {
    "roll, slice, view, add": (
        "tmp_0 = torch.roll(in_0, shifts=(3, 3), dims=(1, 2))\n"
        "tmp_1 = tmp_0[:, :7, :6, :].contiguous()\ntmp_2 = tmp_1.view(1, 42, 8)\ntmp_3 = tmp_2 + in_1",
        [(1, 9, 9, 8), (1, 42, 8)],
    ),
    "heads": (
        "tmp_0 = in_0.view(2, 6, 3, 5)\ntmp_1 = tmp_0.transpose(1, 2)\ntmp_2 = tmp_1 * in_1\n"
        "tmp_3 = tmp_2.permute(0, 2, 1, 3).reshape(2, 6, 15)",
        [(2, 6, 15), (2, 3, 6, 5)],
    ),
    "windows": (
        "tmp_0 = in_0.view(2, 2, 4, 3, 4, 5)\ntmp_1 = tmp_0.permute(0, 1, 3, 2, 4, 5).contiguous()\n"
        "tmp_2 = tmp_1.view(-1, 4, 4, 5)\ntmp_3 = tmp_2 * 2",
        [(2, 8, 12, 5)],
    ),
    "halves put together": (
        "tmp_0 = in_0[..., :5]\ntmp_1 = in_0[..., 5:]\ntmp_2 = torch.cat((-tmp_1, tmp_0), dim=-1)\ntmp_3 = tmp_2 * in_1",
        [(2, 3, 10), (3, 10)],
    ),
    "parts": ("tmp_0, tmp_1 = in_0.chunk(2, dim=-1)\ntmp_3 = torch.nn.functional.silu(tmp_0) * tmp_1", [(3, 4, 10)]),
    "split": ("tmp_0, tmp_1, tmp_2 = torch.split(in_0, [2, 3, 5], 1)\ntmp_3 = tmp_0.sum(1) + tmp_2.amax(1)", [(3, 10, 4)]),
    "every other, from behind": ("tmp_0 = in_0[:, ::2] * in_0[:, -1:]\ntmp_3 = tmp_0.flip(1) + 1", [(4, 9, 3)]),
    "picked": ("tmp_0 = in_0[:, 0]\ntmp_1 = in_0.select(1, -1)\ntmp_3 = tmp_0 + tmp_1", [(4, 9, 3)]),
    "new and gone": ("tmp_0 = in_0.unsqueeze(1) + in_0[:, None]\ntmp_3 = tmp_0.squeeze(1) * 2", [(4, 9)]),
    "flattened": ("tmp_0 = in_0.flatten(2).transpose(1, 2)\ntmp_3 = torch.nn.functional.layer_norm(tmp_0, (6,), None, None, 1e-5)",
                  [(2, 6, 3, 4)]),
    "widened, repeated": ("tmp_0 = in_0.expand(-1, 4, -1).sum(1)\ntmp_3 = tmp_0.repeat(2, 3) + 1", [(3, 1, 5)]),
    "stacked": ("tmp_0 = torch.stack([in_0, in_1], dim=1)\ntmp_3 = tmp_0.mean(1)", [(3, 5), (3, 5)]),
    "summed after a view": ("tmp_0 = (in_0 * 2).view(3, 4, 10)\ntmp_3 = tmp_0.sum(1) - 1", [(3, 40)]),
    "rotated as one": ("tmp_0 = torch.roll(in_0, 5)\ntmp_3 = tmp_0 + in_0", [(3, 7)]),
    "softmax of a view": ("tmp_0 = in_0.view(2, 3, 4, 4) + in_1\ntmp_1 = torch.softmax(tmp_0, -1)\ntmp_3 = tmp_1.view(6, 4, 4)",
                          [(6, 4, 4), (2, 1, 1, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("what", MOVES)
def test_chains_of_moves(what):
    source, shapes = MOVES[what]
    check(f"{source}\nreturn (tmp_3,)", shapes)


def test_rows_of_a_table():
    check(
        "tmp_0 = torch.nn.functional.embedding(in_0, in_1)\ntmp_1 = torch.nn.functional.layer_norm(tmp_0, (12,), in_2, None, 1e-5)\n"
        "return (tmp_1,)",
        [(2, 5), (9, 12), (12,)],
        dtypes={"in_0": "int64"},
    )


def test_several_results_from_one_kernel():
    made = check(
        "tmp_0 = in_0 + in_1\ntmp_1 = torch.nn.functional.layer_norm(tmp_0, (20,), None, None, 1e-5)\nreturn (tmp_0, tmp_1)",
        [(3, 4, 20), (3, 4, 20)],
    )
    assert made.text.count("@triton.jit") == 1
    assert (made.outputs, made.leaks) == (("tmp_0", "tmp_1"), ("tmp_0",))


def test_changes_in_place_are_followed():
    made = check("tmp_0 = in_0 * 2\ntmp_1 = tmp_0.add_(in_1)\ntmp_2 = tmp_0 * tmp_1\nreturn (tmp_2,)", [(3, 4), (3, 4)])
    assert "tmp_1 = tmp_0.add_(in_1)" in made.text


LONG = {
    "rows": ("tmp_0 = torch.softmax(in_0, -1)", [(2, 5000)]),
    "columns": ("tmp_0 = in_0.mean(1) * 2", [(2, 300, 3)]),
    "norm": ("tmp_0 = torch.nn.functional.layer_norm(in_0 + 1, (4200,), None, None, 1e-5)", [(3, 4200)]),
}  # fmt: skip


@pytest.mark.parametrize("what", LONG)
def test_rows_longer_than_a_block_are_looped_over(what):
    source, shapes = LONG[what]
    made = check(f"{source}\nreturn (tmp_0,)", shapes)
    assert "for start in range(" in made.text


def test_more_than_one_block_of_elements():
    check("tmp_0 = in_0 + 1\nreturn (tmp_0,)", [(3, 1111)])


def test_sizes_come_from_the_tensors():
    """A draft for one size is right for another one."""
    import torch
    from drafting import difference

    made = check("tmp_0 = torch.softmax(in_0 * in_1, -1)\nreturn (tmp_0,)", [(3, 5, 40), (1, 5, 40)])
    assert "40" not in made.text
    assert difference(made, [torch.randn(2, 7, 19), torch.randn(1, 7, 19)]) is None


def test_another_shape_than_drafted_for_is_refused_not_computed_wrongly():
    import torch
    from drafting import load

    made = check("tmp_0 = in_0 * in_1\nreturn (tmp_0,)", [(3, 5), (3, 1)])
    launcher = load(made).replacement_func()
    with pytest.raises(ValueError, match="in_1"):
        launcher(torch.randn(3, 5), torch.randn(3, 5))


def test_sizes_of_a_tensor_that_is_only_looked_at_are_read_off_it():
    check("tmp_0 = in_0.expand_as(in_1)\nreturn (tmp_0,)", [(5, 1), (5, 7)])
    check("tmp_0 = in_0.reshape_as(in_1)\nreturn (tmp_0,)", [(6, 4), (2, 3, 4)])


def test_one_element_and_a_scalar_are_not_taken_for_any_shape():
    made, _ = drafted("tmp_0 = torch.nn.functional.softplus(in_0)\nreturn (tmp_0,)", [(1,)])
    assert difference(made, [torch.ones(1)]) is None
    with pytest.raises(ValueError, match="in_0"):
        difference(made, [torch.ones(2, 3)])
    made, _ = drafted("tmp_0 = in_0 * in_1\nreturn (tmp_0,)", [(3, 4), ()])
    assert difference(made, [torch.ones(3, 4), torch.tensor(2.0)]) is None
    with pytest.raises(ValueError, match="in_1"):
        difference(made, [torch.ones(3, 4), torch.ones(2, 3, 4)])


def test_the_names_that_numpy_has_for_arguments():
    check("tmp_0 = in_0.mean(axis=-1, keepdims=True)\ntmp_1 = in_0 - tmp_0\nreturn (tmp_1,)", [(3, 50)])


def test_a_group_norm_fits_the_batches_of_all_graphs():
    source = "tmp_0 = torch.nn.functional.group_norm(in_0, 3, in_1, in_2, 1e-05)"
    graph = parse(
        f"import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, in_0, in_1, in_2):\n"
        f"        {source}\n        return (tmp_0,)\n"
    )
    one, two = (
        GraphFacts({
            name: {"shape": shape, "dtype": "float32"}
            for name, shape in {"in_0": [batch, 6, 5, 3], "in_1": [6], "in_2": [6], "tmp_0": [batch, 6, 5, 3]}.items()
        })
        for batch in (1, 2)
    )  # fmt: skip
    made = draft(graph, ["tmp_0"], one, [(graph, two)])
    for batch in (1, 2):
        inputs = [torch.arange(batch * 90.0).sin().reshape(batch, 6, 5, 3), torch.arange(6.0), torch.arange(6.0).cos()]
        assert difference(made, inputs) is None


def test_contiguous_stays_where_what_comes_in_may_lie_otherwise():
    made, _ = drafted("tmp_0 = in_0.contiguous()\ntmp_1 = tmp_0.view(-1, 3)\nreturn (tmp_1,)", [(4, 3)])
    assert made.kind == "views" and difference(made, [torch.ones(3, 4).t()]) is None


def test_next_to_the_middle_of_two_float16_neither_side_is_taken():
    """A root of 1025.5/1024 lies between 1025/1024 and 1026/1024, neighbours in float16, and eager's last digit of a
    mean decides. Times 1946/1024 they are 1947.9/1024 → 1948/1024 and 1949.8/1024 → 1950/1024: two steps apart, more
    than a thousandth. 1946 · 1025.5 / 1024 = 1948.85 → 1949/1024 is one step from either. Far from a middle it is
    eager's: a root of 1 gives the weight itself."""
    source = """
    tmp_0 = in_0.mean(-1, keepdim=True)
    tmp_1 = torch.sqrt(tmp_0)
    tmp_2 = tmp_1.to(torch.float16)
    tmp_3 = in_1 * tmp_2
    return (tmp_3,)
    """
    made, _ = drafted(source, [(2, 2), (2, 1)], dtypes={"in_1": "float16"})
    assert arguments(made) == ["in_0", "in_1"]
    means = torch.tensor([[1025.5 / 1024], [1.0]], dtype=torch.float64).square().float().expand(2, 2)
    found = load(made).replacement_func()(means.contiguous(), torch.full((2, 1), 1946 / 1024, dtype=torch.float16))
    assert (found.double() * 1024).tolist() == [[1949.0], [1946.0]]


def test_right_in_the_middle_a_sum_is_rounded_as_eager_rounds():
    """1 + 2⁻¹¹ is a sum without error: it goes to the even neighbour, 1, and 1 + 3 · 2⁻¹¹ to 1 + 2⁻⁹."""
    source = "tmp_0 = in_0.sum(-1, keepdim=True)\ntmp_1 = tmp_0 - 1\nreturn (tmp_1,)"
    made, _ = drafted(source, [(2, 2)], dtype="float16")
    values = torch.tensor([[1.0, 2**-11], [1.0, 3 * 2**-11]], dtype=torch.float16)
    assert load(made).replacement_func()(values).tolist() == [[0.0], [2**-9]]
