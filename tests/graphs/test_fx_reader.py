"""What each construct of FX code is read as, worked out by hand."""

import math

import pytest

from graphs.fx_source import Device, FxGraph, FxNode, Ref, Slice, Span, Symbol, parse, to_source
from graphs.fx_source.builder import GraphBuilder
from graphs.fx_source.names import Namer

ALL = Slice(None, None, None)


def read(*lines: str, inputs: str = "in_0, in_1", top: str = "import torch") -> FxGraph:
    """The graph of a module with these lines in its forward."""
    body = "\n".join(f"        {line}" for line in lines)
    graph = parse(f"{top}\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, {inputs}):\n{body}\n")
    assert parse(to_source(graph)) == graph
    return graph


def only(*lines: str, **where: str) -> FxNode:
    """The one node beside inputs and output."""
    (node,) = [node for node in read(*lines, **where).nodes if node.op not in ("placeholder", "output")]
    return node


def value(text: str) -> object:
    """What an argument is read as."""
    return only(f"tmp_0 = f({text})", "return (tmp_0,)").args[0]


def test_a_whole_graph() -> None:
    graph = read(
        "tmp_0 = in_0 * in_1;  in_0 = None",
        "tmp_1 = torch.sum(tmp_0, 1);  tmp_0 = None",
        "tmp_2 = torch.clamp(tmp_1, min = 1e-09);  tmp_1 = None",
        "return (tmp_2,)",
    )
    assert graph.nodes == (
        FxNode("in_0", "placeholder", "in_0"),
        FxNode("in_1", "placeholder", "in_1"),
        FxNode("tmp_0", "call_function", "operator.mul", (Ref("in_0"), Ref("in_1"))),
        FxNode("tmp_1", "call_function", "torch.sum", (Ref("tmp_0"), 1)),
        FxNode("tmp_2", "call_function", "torch.clamp", (Ref("tmp_1"),), (("min", 1e-09),)),
        FxNode("output", "output", "output", ((Ref("tmp_2"),),)),
    )
    assert [node.name for node in graph.inputs] == ["in_0", "in_1"]
    assert graph.outputs == ("tmp_2",)
    assert graph.edges() == (
        ("in_0", "tmp_0"),
        ("in_1", "tmp_0"),
        ("tmp_0", "tmp_1"),
        ("tmp_1", "tmp_2"),
        ("tmp_2", "output"),
    )
    assert graph.users("tmp_0") == ("tmp_1",)
    assert graph.users("output") == ()
    assert graph.node("tmp_1").target == "torch.sum"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("in_0 + in_1", "operator.add"),
        ("in_0 - in_1", "operator.sub"),
        ("in_0 * in_1", "operator.mul"),
        ("in_0 @ in_1", "operator.matmul"),
        ("in_0 / in_1", "operator.truediv"),
        ("in_0 // in_1", "operator.floordiv"),
        ("in_0 % in_1", "operator.mod"),
        ("in_0 ** in_1", "operator.pow"),
        ("in_0 << in_1", "operator.lshift"),
        ("in_0 >> in_1", "operator.rshift"),
        ("in_0 & in_1", "operator.and_"),
        ("in_0 | in_1", "operator.or_"),
        ("in_0 ^ in_1", "operator.xor"),
        ("in_0 == in_1", "operator.eq"),
        ("in_0 != in_1", "operator.ne"),
        ("in_0 < in_1", "operator.lt"),
        ("in_0 <= in_1", "operator.le"),
        ("in_0 > in_1", "operator.gt"),
        ("in_0 >= in_1", "operator.ge"),
        ("in_0 is in_1", "operator.is_"),
        ("in_0 is not in_1", "operator.is_not"),
    ],
)
def test_operators_with_two_sides(text: str, target: str) -> None:
    node = only(f"tmp_0 = {text}", "return tmp_0")
    assert (node.target, node.args) == (target, (Ref("in_0"), Ref("in_1")))


@pytest.mark.parametrize(
    ("text", "target"), [("-in_0", "neg"), ("+in_0", "pos"), ("~in_0", "invert"), ("not in_0", "not_")]
)
def test_operators_with_one_side(text: str, target: str) -> None:
    node = only(f"tmp_0 = {text}", "return tmp_0")
    assert (node.target, node.args) == (f"operator.{target}", (Ref("in_0"),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1),
        ("-1", -1),
        ("- -1.5", 1.5),
        ("-1e-05", -1e-05),
        ("0xff", 255),
        ("1_000", 1000),
        ("True", True),
        ("None", None),
        ("'a\\n\"b'", 'a\n"b'),
        ("'größe 𝑥'", "größe 𝑥"),
        ("...", Ellipsis),
        ("Ellipsis", Ellipsis),
        ("2j", 2j),
        ("1 - 2j", 1 - 2j),
        ("(-0.5+3j)", -0.5 + 3j),
        ("complex(1, -2)", 1 - 2j),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("float('-inf')", -math.inf),
        ("float('inf')", math.inf),
        ("torch.inf", math.inf),
        ("math.inf", math.inf),
        ("math.pi", math.pi),
        ("(1, 2)", (1, 2)),
        ("(1,)", (1,)),
        ("()", ()),
        ("[1, [2, (3,)]]", [1, [2, (3,)]]),
        ("[*(1, 2), 3]", [1, 2, 3]),
        ("{'a': 1, 2: [3]}", {"a": 1, 2: [3]}),
        ("torch.Size([1, 2])", (1, 2)),
        ("torch.float32", Symbol("torch.float32")),
        ("torch.channels_last", Symbol("torch.channels_last")),
        ("torch.strided", Symbol("torch.strided")),
        ("float", Symbol("float")),
        ("device(type='cuda', index=0)", Device("cuda", 0)),
        ("torch.device('cuda:1')", Device("cuda", 1)),
        ("device('cpu')", Device("cpu")),
        ("device('cuda', 2)", Device("cuda", 2)),
        ("torch.device(type='cpu')", Device("cpu")),
        ("slice(None, 3, None)", Slice(None, 3, None)),
        ("slice(3)", Slice(None, 3, None)),
        ("slice(1, None)", Slice(1, None, None)),
        ("(slice(None, None, None), (slice(-1, in_0, 2), None))", (ALL, (Slice(-1, Ref("in_0"), 2), None))),
        ("[in_0, {'k': in_1}]", [Ref("in_0"), {"k": Ref("in_1")}]),
    ],
)
def test_arguments(text: str, expected: object) -> None:
    found = value(text)
    assert found == expected
    assert repr(found) == repr(expected)  # 1 is not True


def test_nan_is_one_object_so_that_graphs_with_it_are_equal() -> None:
    assert value("nan") is value("float('nan')") is value("torch.nan") is value("-math.nan")


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("0", 0),
        ("-1", -1),
        ("(slice(None, None, None), slice(None, 1, None))", (ALL, Slice(None, 1, None))),
        (":, 1:", (ALL, Slice(1, None, None))),
        ("::2", Slice(None, None, 2)),
        ("..., None", (Ellipsis, None)),
        ("(Ellipsis, None, 3)", (Ellipsis, None, 3)),
        ("in_1", Ref("in_1")),
        (":in_1, 0", (Slice(None, Ref("in_1"), None), 0)),
        ("'key'", "key"),
    ],
)
def test_subscripts(index: str, expected: object) -> None:
    node = only(f"tmp_0 = in_0[{index}]", "return (tmp_0,)")
    assert (node.target, node.args) == ("operator.getitem", (Ref("in_0"), expected))


@pytest.mark.parametrize(
    "target",
    [
        "torch.nn.functional.layer_norm",
        "torch._C._nn.gelu",
        "torch.functional.split",
        "torch.ops.aten.sum.dim_IntList",
        "torch.ops.aten.view.default",
        "torch.amp.autocast_mode._enter_autocast",
        "torch._C._set_grad_enabled",
        "operator.iadd",
        "FuseMaskedPool_masked_pool",
        "pass_dir.helper.launch",
        "getattr",
        "float",
    ],
)
def test_functions_are_kept_by_their_dotted_name(target: str) -> None:
    node = only(f"tmp_0 = {target}(in_0, *(1, 2), dim = -1, **{{'keepdim': True}})", "return (tmp_0,)")
    assert (node.op, node.target) == ("call_function", target)
    assert node.args == (Ref("in_0"), 1, 2)
    assert node.kwargs == (("dim", -1), ("keepdim", True))


def test_methods_and_attributes() -> None:
    graph = read("tmp_0 = in_0.view(1, -1)", "tmp_1 = tmp_0.shape", "tmp_2 = tmp_1.numel()", "return (tmp_2,)")
    assert graph.node("tmp_0") == FxNode("tmp_0", "call_method", "view", (Ref("in_0"), 1, -1))
    assert graph.node("tmp_1") == FxNode("tmp_1", "call_function", "getattr", (Ref("tmp_0"), "shape"))
    assert graph.node("tmp_2") == FxNode("tmp_2", "call_method", "numel", (Ref("tmp_1"),))


def test_attributes_of_the_module() -> None:
    graph = read(
        "a = self.weight", "b = getattr(self.layers, '0').bias + getattr(self, 'scale')", "return (a, b)", inputs="x"
    )
    assert graph.node("a") == FxNode("a", "get_attr", "weight")
    assert [node.target for node in graph.nodes if node.op == "get_attr"] == ["weight", "layers.0.bias", "scale"]


def test_nested_calls_become_nodes_in_the_order_in_which_python_runs_them() -> None:
    graph = read("tmp_0 = torch.cat([in_0.view(2), in_1.view(2)], in_0.dim() - 1).relu()", "return (tmp_0,)")
    assert [(node.name, node.target) for node in graph.nodes[2:]] == [
        ("view", "view"),
        ("view_1", "view"),
        ("dim", "dim"),
        ("sub", "operator.sub"),
        ("cat", "torch.cat"),
        ("tmp_0", "relu"),
        ("output", "output"),
    ]
    assert graph.node("cat").args == ([Ref("view"), Ref("view_1")], Ref("sub"))


def test_generated_names_keep_clear_of_variables_of_the_text() -> None:
    graph = read("tmp_0 = in_0.view(2).sum()", "view = in_1.view(2)", "return (tmp_0, view)")
    assert [node.name for node in graph.nodes[2:5]] == ["view_1", "tmp_0", "view"]


def test_assigning_again_gives_numbered_names() -> None:
    graph = read("x = in_0 + 1", "y = x * 2", "x = x + y", "x = x + y", "return (x, y)")
    assert [node.name for node in graph.nodes[2:-1]] == ["x", "y", "x_1", "x_2"]
    assert graph.node("x_2").args == (Ref("x_1"), Ref("y"))
    assert graph.outputs == ("x_2", "y")


def test_a_numbered_name_is_left_to_the_variable_that_has_it() -> None:
    graph = read("x = in_0 + 1", "x = x + 2", "x_1 = x + 3", "return (x_1,)")
    assert [node.name for node in graph.nodes[2:-1]] == ["x", "x_2", "x_1"]


def test_chained_assignments_and_aliases_make_one_node() -> None:
    graph = read("a = b = in_0 + in_1", "c = a", "d = 3", "e = torch.add(c, b, alpha = d)", "return (e,)")
    assert [node.name for node in graph.nodes[2:-1]] == ["a", "e"]
    assert graph.node("e").args == (Ref("a"), Ref("a"))
    assert graph.node("e").kwargs == (("alpha", 3),)


def test_clean_up_makes_no_node() -> None:
    graph = read("a = in_0 + 1;  in_0 = a_1 = None", "b = a + 1", "a = None", "del b", "c = in_1", "return (c, None)")
    assert [node.name for node in graph.nodes[2:-1]] == ["a", "b"]
    assert graph.nodes[-1].args == ((Ref("in_1"), None),)


@pytest.mark.parametrize(
    ("sign", "target"),
    [
        ("+=", "iadd"),
        ("-=", "isub"),
        ("*=", "imul"),
        ("@=", "imatmul"),
        ("/=", "itruediv"),
        ("//=", "ifloordiv"),
        ("%=", "imod"),
        ("**=", "ipow"),
        ("<<=", "ilshift"),
        (">>=", "irshift"),
        ("&=", "iand"),
        ("|=", "ior"),
        ("^=", "ixor"),
    ],
)
def test_augmented_assignments(sign: str, target: str) -> None:
    graph = read("x = in_0 * 2", f"x {sign} in_1", "return (x,)")
    assert graph.node("x_1") == FxNode("x_1", "call_function", f"operator.{target}", (Ref("x"), Ref("in_1")))
    assert graph.outputs == ("x_1",)


def test_an_augmented_assignment_is_named_by_the_line_after_it_as_fx_writes_it() -> None:
    graph = read("add = in_0 + 1", "add += in_1;  iadd = add;  add = None", "return (iadd,)")
    assert [node.name for node in graph.nodes[2:-1]] == ["add", "iadd"]
    assert graph.node("iadd").args == (Ref("add"), Ref("in_1"))


def test_the_name_may_carry_an_annotation() -> None:
    graph = read("add = in_0 + 1", 'add += in_1;  iadd : "f32[2]" = add;  add = None', "return (iadd,)")
    assert (graph.nodes[3].name, graph.nodes[3].annotation) == ("iadd", "'f32[2]'")


def test_later_uses_of_an_augmented_variable_see_the_new_value() -> None:
    graph = read("x = in_0 + 1", "x += in_1;  iadd = x", "y = x * 2", "return (y,)")
    assert graph.node("y").args == (Ref("iadd"), 2)


def test_assigning_to_a_subscript() -> None:
    graph = read("x = in_0 + 1", "x[(slice(None, None, None), 0)] = in_1;  setitem = x;  setitem = None", "return (x,)")
    assert [node.name for node in graph.nodes[2:-1]] == ["x", "setitem"]
    assert graph.node("setitem").args == (Ref("x"), (ALL, 0), Ref("in_1"))
    assert graph.outputs == ("x",)


def test_augmenting_a_subscript_reads_changes_and_writes() -> None:
    graph = read("in_0[0] += in_1", "return (in_0,)")
    assert [(node.target, node.args) for node in graph.nodes[2:-1]] == [
        ("operator.getitem", (Ref("in_0"), 0)),
        ("operator.iadd", (Ref("getitem"), Ref("in_1"))),
        ("operator.setitem", (Ref("in_0"), 0, Ref("iadd"))),
    ]


def test_unpacking() -> None:
    graph = read("a, (b, c) = torch.split(in_0, 2)", "d, e = b, a", "return (d, c, e)")
    assert [(node.name, node.args) for node in graph.nodes[2:-1]] == [
        ("split", (Ref("in_0"), 2)),
        ("a", (Ref("split"), 0)),
        ("getitem", (Ref("split"), 1)),
        ("b", (Ref("getitem"), 0)),
        ("c", (Ref("getitem"), 1)),
    ]
    assert graph.outputs == ("b", "c", "a")


def test_calls_without_a_variable_are_nodes_too() -> None:
    graph = read("'a docstring'", "pass", "torch._assert(in_0, 'no')", "in_0.add_(1)", "return (in_0,)")
    assert [node.name for node in graph.nodes[2:-1]] == ["_assert", "add_"]


def test_annotations_and_defaults() -> None:
    graph = read(
        'x : "f32[2, 3]" = in_0 + s0',
        "return (x,)",
        inputs='in_0 : torch.Tensor, s0 : torch.SymInt, scale: "float" = -1.5, none = None',
    )
    assert [node.annotation for node in graph.nodes] == [
        "torch.Tensor",
        "torch.SymInt",
        "'float'",
        None,
        "'f32[2, 3]'",
        None,
    ]
    assert [node.args for node in graph.inputs] == [(), (), (-1.5,), (None,)]


def test_one_parameter_a_line() -> None:
    inputs = "\n            L_x_ : torch.nn.parameter.Parameter,  # the first\n            größe: torch.Tensor,\n    "
    graph = read("y = L_x_ + größe", "return (y,)", inputs=inputs)
    assert [node.name for node in graph.inputs] == ["L_x_", "größe"]
    assert [node.span.line for node in graph.inputs if node.span] == [5, 6]


def test_many_inputs_are_printed_one_a_line() -> None:
    graph = read("return (input_of_the_model_0,)", inputs=", ".join(f"input_of_the_model_{i}" for i in range(9)))
    assert "\n        input_of_the_model_8,\n    ):\n" in to_source(graph)


@pytest.mark.parametrize(
    "text",
    [
        "def forward(self, x):\n    return x + 1",
        "def forward(x):\n    return x + 1\n",
        "def forward(self, x): return x + 1",
        "class GraphModule(torch.nn.Module):\n\tdef forward(self, x):\n\t\ty = x + 1\n\t\treturn y",
        'wrap("launch")\ntorch.fx.wrap("other")\ndef forward(self, x):\n    return x + 1',
        '"""A docstring: def forward(self, y):"""\n\n\n\n# def forward(self, z)\ndef forward(self, x):\n  return x + 1',
        "class M(A):\n  def __init__(self):\n    super().__init__()\n\n  def forward(this, x):\n    return x + 1",
    ],
)
def test_frames_of_a_graph(text: str) -> None:
    for source in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.replace("\n", "\r")):
        graph = parse(source)
        assert [node.target for node in graph.nodes] == ["x", "operator.add", "output"]


def test_what_imports_stand_for() -> None:
    top = "import torch\nimport torch.nn.functional as F\nfrom torch import device, inf as infinity, add\nimport math"
    graph = read("x = F.relu(add(in_0, infinity))", "return x.to(device('cpu'), math.e)", top=top)
    assert [node.target for node in graph.nodes[2:]] == ["torch.add", "torch.nn.functional.relu", "to", "output"]
    assert graph.node("add").args == (Ref("in_0"), math.inf)
    assert graph.node("to").args == (Ref("x"), Device("cpu"), math.e)


def test_returned_values() -> None:
    assert read("return in_0").nodes[-1].args == (Ref("in_0"),)
    assert read("return [in_0, {'a': (in_1, 2)}]").nodes[-1].args == ([Ref("in_0"), {"a": (Ref("in_1"), 2)}],)
    assert read("return ()").outputs == ()
    assert read("return").nodes[-1].args == (None,)
    assert read("return (in_0, in_0)").outputs == ("in_0", "in_0")


def test_names_that_printed_code_needs_are_not_taken_by_nodes() -> None:
    graph = read("float = in_0.float()", "torch_ = in_1.to(float)", "y = torch_ + float", "return (y,)")
    assert [node.name for node in graph.nodes[2:-1]] == ["float_1", "torch_", "y"]


def test_identifiers_are_read_in_their_compatibility_form() -> None:
    graph = read("𝑥ﬁ = in_0 + 1", "return (𝑥ﬁ,)")
    assert graph.nodes[2].name == "xfi"


def test_a_literal_of_many_elements_in_any_form() -> None:
    numbers = [round(i * 0.37 - 400, 2) for i in range(5000)]
    nested = [numbers[i : i + 5] for i in range(0, 5000, 5)]
    folded = "[\n" + ",\n".join(map(str, numbers)) + "\n]"
    for text, expected in [
        (str(numbers), numbers),
        (str(tuple(numbers)), tuple(numbers)),
        (str(nested), nested),
        (folded, numbers),
        (str(numbers)[:-1] + ",]", numbers),
        ("[" + ", ".join(["True", "-0", "1_0", "inf"] * 500) + "]", [True, 0, 10, math.inf] * 500),
    ]:
        node, after = read(
            f"a = torch.tensor({text}, dtype = torch.int64); b = a", "c = in_0 + b", "return (c,)"
        ).nodes[2:4]
        assert node.args == (expected,)
        assert repr(node.args) == repr((expected,))
        assert node.kwargs == (("dtype", Symbol("torch.int64")),)
        assert after.span is not None and after.span.line == 6 + text.count("\n")


def test_long_lists_in_texts_and_subscripts_stay_what_they_are() -> None:
    numbers = ", ".join(map(str, range(300)))
    graph = read(f"a = in_0[{numbers}]", f"b = f({numbers})", f"c = f('=[{numbers}]')", "return (a, b, c)")
    assert graph.node("a").args[1] == tuple(range(300))
    assert graph.node("b").args == tuple(range(300))
    assert graph.node("c").args == (f"=[{numbers}]",)


def test_a_sum_of_thousands_of_terms() -> None:
    graph = read("x = " + " + ".join(["in_0"] * 1500), "return (x,)")
    assert len(graph.nodes) == 2 + 1499 + 1


def test_spans_count_lines_from_1_and_utf16_columns_from_0() -> None:
    source = (
        "import torch\n"
        "class GraphModule(torch.nn.Module):\n"
        "    def forward(self, größe, b):\n"
        "        # a comment\n"
        "        y = torch.add('𝑥', größe).relu();  größe = None\n"
        "        z = torch.cat(\n"
        "            [y, b],\n"
        "        )\n"
        "        return (z,)\n"
    )
    graph = parse(source)
    assert graph.node("größe").span == Span(3, 22, 3, 27)
    assert graph.node("b").span == Span(3, 29, 3, 30)
    assert graph.node("add").span == Span(5, 12, 5, 34)  # 𝑥 takes two units
    assert graph.node("y").span == Span(5, 8, 5, 41)
    assert graph.node("z").span == Span(6, 8, 8, 9)
    assert graph.nodes[-1].span == Span(9, 8, 9, 19)


class Uncounted(dict):
    """Variables that may be looked up, and never gone through: there are as many as nodes."""

    def items(self):
        raise AssertionError("every variable is looked at")


def test_naming_what_was_changed_in_place_looks_at_one_variable():
    builder = GraphBuilder(Namer(set()))
    builder.variables = Uncounted(other=Ref("other"))
    builder.variables["x"] = builder.emit("call_function", "operator.iadd", (), (), Span(1, 0, 1, 1), None, "iadd")
    assert builder.rename_last("tmp_0", None, "x")
    assert dict.items(builder.variables) == {"other": Ref("other"), "x": Ref("tmp_0")}.items()
