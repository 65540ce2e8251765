"""Random FX programs and graphs for property tests."""

import keyword
import math
from typing import Any

from hypothesis import strategies as st

from graphs.fx_source import Device, FxGraph, FxNode, Ref, Slice, Symbol
from graphs.fx_source.names import RESERVED

_AWKWARD = ["x", "tmp_0", "tmp_0_1", "add", "view", "größe", "переменная", "𝑥", "数", "device", "inf", "input", "sum"]


def is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text) and text not in RESERVED


names = st.one_of(
    st.sampled_from(_AWKWARD).filter(is_name), st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True).filter(is_name)
)
texts = st.text(st.characters(codec="utf-8"), max_size=8)
numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.just(math.nan),
    st.complex_numbers(allow_nan=False, max_magnitude=1e6),
    st.booleans(),
)
constants = st.one_of(
    numbers,
    texts,
    st.none(),
    st.just(Ellipsis),
    st.sampled_from([Symbol("torch.float32"), Symbol("torch.channels_last"), Symbol("int")]),
    st.builds(Device, st.sampled_from(["cpu", "cuda"]), st.one_of(st.none(), st.integers(0, 7))),
)


def arguments(known: list[str]) -> st.SearchStrategy[Any]:
    """Any argument of a node, made of constants and the nodes in `known`."""
    leaves = st.one_of(constants, st.sampled_from(known).map(Ref)) if known else constants
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.builds(Slice, inner, inner, inner),
            st.dictionaries(st.one_of(texts, st.integers(0, 9)), inner, max_size=2),
        ),
        max_leaves=6,
    )


_FUNCTIONS = st.sampled_from(
    ["torch.sum", "torch.nn.functional.layer_norm", "torch.ops.aten.add.Tensor", "Fuse_launcher", "getattr", "float"]
    + ["torch.device", "slice", "complex", "torch.Size"]
    + [f"operator.{name}" for name in ("add", "pow", "neg", "not_", "getitem", "setitem", "iadd", "and_", "is_not")]
)


@st.composite
def graphs(draw: st.DrawFn) -> FxGraph:
    """A graph that need not make sense to torch, with every kind of node and argument."""
    nodes: list[FxNode] = []
    known: list[str] = []
    annotation = st.sampled_from([None, None, "torch.Tensor", "'f32[2, 3]'", "dict[str, int]"])
    for name in draw(st.lists(names, min_size=1, max_size=10, unique_by=_normal)):
        args = st.lists(arguments(known), max_size=3).map(tuple)
        op = draw(st.sampled_from(["call_function", "call_function", "call_method", "get_attr"]))
        if len(nodes) == len(known) and not any(node.op != "placeholder" for node in nodes) and draw(st.booleans()):
            op = "placeholder"
        kwargs: tuple[tuple[str, Any], ...] = ()
        if op in ("call_function", "call_method"):
            kwargs = tuple(draw(st.dictionaries(names, arguments(known), max_size=2)).items())
        match op:
            case "placeholder":
                node = FxNode(_normal(name), op, _normal(name), annotation=draw(annotation))
            case "get_attr":
                node = FxNode(_normal(name), op, draw(st.sampled_from(["weight", "layers.0.bias", "a.b"])))
            case "call_method":
                receiver = draw(st.sampled_from(known).map(Ref)) if known else [Symbol("torch.float32")]
                node = FxNode(_normal(name), op, draw(st.sampled_from(["view", "to", "T"])), (receiver, *draw(args)))
            case _:
                node = FxNode(
                    _normal(name), op, draw(_FUNCTIONS), draw(args), _normal_keys(kwargs), None, draw(annotation)
                )
        if _is_call(node):
            nodes.append(node)
            known.append(node.name)
    nodes.append(FxNode("output", "output", "output", (draw(arguments(known)),)))
    return FxGraph(tuple(nodes))


def _normal(name: str) -> str:
    """Python reads an identifier in its compatibility form."""
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def _normal_keys(kwargs: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    return tuple({_normal(key): value for key, value in kwargs}.items())


def _is_call(node: FxNode) -> bool:
    """Leave out calls that spell a constant (`slice(1)`): in a graph they are constants, not nodes."""
    from graphs.fx_source.constants import constant_call

    return node.op != "call_function" or constant_call(node.target, node.args, node.kwargs) is None


_EXPRESSIONS = [
    "torch.add({a}, {b})",
    "torch.sum({a}, dim=(0,), keepdim=True) + {b}",
    "{a} + {b}",
    "{a} - 2.5",
    "-{a} ** 2",
    "(-2.0) ** {a}.abs().clamp(max=2)",
    "{a} @ {b}.transpose(0, 1)",
    "{a} * {b} + {a} / 3 - {b}",
    "torch.cat([{a}, {b}], dim=-1)[(slice(None, None, None), slice(0, 4, None))]",
    "{a}[:, 0:4][..., :4]",
    "{a}[None, :, :].squeeze(0)",
    "torch.nn.functional.layer_norm({a}, (4,), None, None, 1e-05)",
    "torch.where({a} > {b}, {a}, float('-inf'))",
    "torch.nn.functional.softmax(input={a}, dim=-1, dtype=torch.float32)",
    "{a}.to(device=device(type='cpu'), dtype=torch.float32)",
    "torch.split({a}, 2)[1].repeat(2, 1)",
    "{a}.view({b}.shape)",
    "{a}.add_({b})",
    "torch.full_like({a}, inf).where(~({a} == {b}), {b})",
    "{a}.T.contiguous()",
    "torch.ops.aten.mul.Tensor({a}, {b})",
    "{a}.reshape({b}.size(0), {b}.shape[1] * 1)",
    "{a}",
    "{a}.clone()",
]


@st.composite
def running_programs(draw: st.DrawFn) -> str:
    """A program on 4 × 4 tensors that torch can run, written as people and tracers write."""
    variables = ["in_0", "in_1"]
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 12))):
        a, b = draw(st.sampled_from(variables)), draw(st.sampled_from(variables))
        new = draw(st.sampled_from(["tmp_0", "tmp_1", "tmp_2", "add", "view", "größe", "tmp_0_1"]))
        expression = draw(st.sampled_from(_EXPRESSIONS)).format(a=a, b=b)
        annotation = draw(st.sampled_from(["", "", " : torch.Tensor", ': "f32[4, 4]"']))
        lines.append(
            draw(
                st.sampled_from(
                    [
                        f"{new}{annotation} = {expression}",
                        f"{new}{annotation} = {expression};  unused = None",
                        f"{new} = other = {expression}",
                        f"{new} = (\n            {expression}\n        )  # a comment; with = signs",
                        f"{a} += {b};  {new} = {a}",
                        f"{a} *= 0.5",
                        f"{a}[(slice(0, 2, None), Ellipsis)] = {b}[0:2];  setitem = {a};  setitem = None",
                        f"{new} = {a}.clone(); {new}[1] += {b}[0]",
                        f"n = {a}.shape[0]; m = n; n += 1; {new} = {a}.new_zeros(n, n)[:m, :m] + {b}",
                        f"{new}, {b} = {b}, {a}",
                        f"{new} = {a}.clone()\n        torch.relu_({new})",
                    ]
                )
            )
        )
        if f"{new} " in lines[-1] or f"{new}:" in lines[-1] or f"{new}," in lines[-1]:
            variables.append(new)
    returned = ", ".join(dict.fromkeys(draw(st.lists(st.sampled_from(variables), min_size=1, max_size=3))))
    body = "\n".join(f"        {line}" for line in lines)
    return (
        "import torch\nfrom torch import device, inf\n\nclass GraphModule(torch.nn.Module):\n"
        f"    def forward(self, in_0 : torch.Tensor, in_1):\n{body}\n        return ({returned},)\n"
    )
