"""From a parsed graph to a module: what may be called, what may not, and that nothing else ever happens."""

import pytest
import torch
from pass_helpers import HEAD, graph

from evaluator.engine.build import UnsupportedTarget, build, on_device
from evaluator.engine.printed import rewritten_source, to_fx_graph
from graphs.fx_source import Device, FxGraph, FxNode, Ref, Symbol, parse


def call(target, *args, op="call_function", **kwargs):
    """A graph of one input and one call, as a hostile dataset could bring it."""
    value = FxNode("tmp_0", op, target, (Ref("in_0"), *args), tuple(kwargs.items()))
    return FxGraph(
        (
            FxNode("in_0", "placeholder", "in_0"),
            value,
            FxNode("output", "output", "output", ((Ref("tmp_0"),),)),
        )
    )


@pytest.mark.parametrize(
    "target",
    [
        "torch.load",
        "torch.save",
        "torch.hub.load",
        "torch.ops.load_library",
        "torch.ops.aten.from_file",
        "torch.ops.aten.sum.__class__",
        "torch.ops.aten.__class__",
        "torch.ops.profiler._record_function_enter",
        "torch.os.system",
        "torch.sys.exit",
        "torch.from_file",
        "torch.compile",
        "torch.jit.load",
        "torch.import_ir_module",
        "torch.classes.load_library",
        "torch.utils.cpp_extension.load",
        "torch.nn.functional.torch",
        "torch.nn.functional.importlib",
        "torch.nn.functional.handle_torch_function",
        "torch.functional.F",
        "torch._C._nn.__class__",
        "torch._C._nn._parse_to",
        "torch.set_default_device",
        "torch.manual_seed",
        "torch.set_num_threads",
        "torch.Tensor",
        "torch",
        "operator.attrgetter",
        "operator.methodcaller",
        "operator.call",
        "math.__loader__",
        "eval",
        "exec",
        "open",
        "__import__",
        "getattr",
        "print",
        "os.system",
        "",
    ],
)
def test_what_is_no_operation_is_refused(target):
    with pytest.raises(UnsupportedTarget) as caught:
        build(call(target))
    assert caught.value.file == "model.py"


@pytest.mark.parametrize(
    "method",
    ["__class__", "__reduce_ex__", "__init__", "apply_", "register_hook", "backward", "numpy", "data_ptr", "tolist",
     "share_memory_", "storage", "set_", "map_", "no_such_method", "__setstate__", "_make_subclass"],
)  # fmt: skip
def test_methods_that_lead_out_of_the_graph_are_refused(method):
    with pytest.raises(UnsupportedTarget, match=rf"\.{method}\(\)"):
        build(call(method, op="call_method"))


@pytest.mark.parametrize("attribute", ["__class__", "grad_fn", "_base", "__dict__", "numpy", "no_such"])
def test_attributes_that_lead_out_of_the_graph_are_refused(attribute):
    with pytest.raises(UnsupportedTarget, match=attribute):
        build(call("getattr", attribute))


@pytest.mark.parametrize("constant", [Symbol("torch.os"), Symbol("torch.nn"), Symbol("math.sin"), Device("no such")])
def test_constants_are_dtypes_layouts_and_devices(constant):
    with pytest.raises(UnsupportedTarget):
        build(call("torch.sum", dtype=constant))


def test_weights_that_are_no_inputs_are_refused():
    nodes = (FxNode("w", "get_attr", "layer.weight"), FxNode("output", "output", "output", (Ref("w"),)))
    with pytest.raises(UnsupportedTarget, match=r"self\.layer\.weight"):
        build(FxGraph(nodes))


def test_the_line_is_named():
    text = f"{HEAD}    def forward(self, x):\n        a = x + 1\n        b = torch.hub.load(a)\n        return (b,)\n"
    with pytest.raises(UnsupportedTarget) as caught:
        build(parse(text))
    assert (caught.value.line, caught.value.target) == (9, "torch.hub.load")
    assert str(caught.value) == "model.py:9: `torch.hub.load` is no operation that may be run"


def test_what_is_built_computes_what_is_written():
    module = graph(
        "x, y",
        "a = x @ y",
        "b = a[(slice(None, None, None), slice(0, 1, None))]",
        "a += 1.5",
        "c = torch.cat([a, b], dim=-1)",
        "d = c.to(torch.float64).masked_fill(c < 0, -inf)",
        "e = torch.nn.functional.softmax(d, -1)",
        "f = e.T.contiguous().view(-1, 2)",
        "n = x.shape[0]",
        "g = f ** 2 // 0.5 - (~(c > 1))[(0, 0)].to(torch.float64)",
        "return (f, n, g)",
    )
    x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, -1.0], [-1.0, 0.5]])
    a = x @ y + 1.5
    c = torch.cat([a, a[:, :1]], -1).double()
    f = torch.softmax(c.masked_fill(c < 0, -torch.inf), -1).T.contiguous().view(-1, 2)
    f_found, n, g = module(x, y)
    assert torch.equal(f_found, f) and n == 2
    assert torch.equal(g, f**2 // 0.5 - (0.0 if c[0, 0] > 1 else 1.0))


def test_names_are_kept_and_awkward_ones_are_harmless():
    module = graph(
        "torch_1, inp\u00fct, abs, self_1",
        "inf = abs + self_1",
        "input = inf * inp\u00fct - torch_1",
        "return (input,)",
    )
    assert [node.meta["source_name"] for node in module.graph.nodes][:4] == ["torch_1", "inp\u00fct", "abs", "self_1"]
    one, two, three, four = torch.tensor(1.0), torch.tensor(2.0), torch.tensor(3.0), torch.tensor(4.0)
    assert module(one, two, three, four)[0] == 13.0


def test_annotations_and_everything_else_come_back_as_text():
    text = (
        f"{HEAD}    def forward(self, x: torch.Tensor, s0: torch.SymInt, w: torch.nn.parameter.Parameter):\n"
        "        a = x.view(s0, -1)\n        b = F.linear(a, w)\n        return (b,)\n"
    )
    parsed = parse(text)
    assert to_fx_graph(build(parsed)) == parsed
    assert parse(rewritten_source(build(parsed))) == parsed


def test_inputs_that_hide_a_module_do_not():
    nodes = (
        FxNode("torch", "placeholder", "torch"),
        FxNode("inf", "placeholder", "inf"),
        FxNode("s", "call_function", "torch.sum", (Ref("torch"),)),
        FxNode("t", "call_function", "operator.add", (Ref("s"), Ref("inf"))),
        FxNode("c", "call_function", "torch.clamp", (Ref("t"),), (("max", float("inf")),)),
        FxNode("output", "output", "output", (Ref("c"),)),
    )
    assert build(FxGraph(nodes))(torch.ones(3), torch.tensor(2.0)) == 5.0


def test_devices_of_another_machine_are_replaced():
    module = graph(
        "x",
        "a = torch.arange(0, 3, device=device(type='cuda', index=0))",
        "c = torch.amp.autocast_mode._enter_autocast('cuda', torch.bfloat16, True, None)",
        "b = x.to(device(type='cuda', index=0)) + a",
        "d = torch.amp.autocast_mode._exit_autocast(c)",
        "return (b,)",
    )
    before = module.code
    here = on_device(module, "cpu")
    assert torch.equal(here(torch.ones(3))[0], torch.tensor([1.0, 2.0, 3.0]))
    assert module.code == before and "cuda" in before
    assert [node.meta["source_name"] for node in here.graph.nodes] == [
        node.meta["source_name"] for node in module.graph.nodes
    ]


def test_a_graph_that_returns_nothing():
    assert build(FxGraph((FxNode("x", "placeholder", "x"),)))(torch.ones(1)) is None


def test_five_thousand_nodes():
    lines = [f"x = x + {index}.0" for index in range(5_000)]
    module = graph("x", *lines, "return (x,)")
    assert module(torch.zeros(1, dtype=torch.float64))[0] == sum(range(5_000))
