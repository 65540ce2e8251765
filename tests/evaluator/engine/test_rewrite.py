"""What stands in a graph after a match has been replaced, and what its launcher is called with."""

import operator

import pytest
import torch
from pass_helpers import apply, first, graph, rule

from evaluator.engine.leaf import LauncherOutputs, Leaf
from evaluator.engine.printed import rewritten_source, to_fx_graph
from evaluator.engine.trace import PatternError
from graphs.fx_source import parse

X, Y = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([0.5, 0.25, -4.0])
GRAPH = ("x, y", "a = x * y", "b = torch.relu(a)", "c = b + 1.0", "return (c, b)")


def product(x, y):
    a = x * y
    return torch.relu(a)


def both(x, y):
    b = product(x, y)
    return b + 1.0, b


def fused(x, y, *rest):
    return torch.relu(x * y)


def nodes(applied):
    return {node.meta["source_name"]: node for node in applied.module.graph.nodes}


def test_one_output_is_the_launchers_own_node():
    applied = apply(graph(*GRAPH), rule(product, launcher=fused))
    assert list(nodes(applied)) == ["x", "y", "fused", "c", "output"]
    launcher = nodes(applied)["fused"]
    assert launcher.op == "call_function" and isinstance(launcher.target, Leaf) and launcher.target.launcher is fused
    assert launcher.meta["pass"] == "Fuse" and launcher.meta["origins"] == ("a", "b")
    assert applied.new_nodes == ["fused"]
    for one, other in zip(applied.module(X, Y), graph(*GRAPH)(X, Y), strict=True):
        assert torch.equal(one, other)


def test_several_outputs_are_items_of_the_launcher():
    both = rule(
        lambda x, y: (lambda b: (b + 1.0, b))(product(x, y)), launcher=lambda x, y: (fused(x, y) + 1, fused(x, y))
    )
    applied = apply(graph(*GRAPH), both)
    assert [node.target for node in applied.module.graph.nodes if node.target is operator.getitem] == [
        operator.getitem
    ] * 2
    assert applied.new_nodes == ["launcher", "launcher_0", "launcher_1"]
    for one, other in zip(applied.module(X, Y), graph(*GRAPH)(X, Y), strict=True):
        assert torch.equal(one, other)


def test_an_output_that_nobody_uses_leaves_no_item():
    module = graph("x, y", "a = x * y", "b = torch.relu(a)", "return (b,)")
    pair = rule(lambda x, y: (lambda a: (a, torch.relu(a)))(x * y), launcher=lambda x, y: (x * y, fused(x, y)))
    assert apply(module, pair).new_nodes == ["launcher", "launcher_1"]


def test_a_tuple_of_one():
    for launcher in (fused, lambda x, y: (fused(x, y),), lambda x, y: [fused(x, y)]):
        for pattern in (product, lambda x, y: (product(x, y),)):
            applied = apply(graph(*GRAPH), rule(pattern, launcher=launcher))
            assert torch.equal(applied.module(X, Y)[1], fused(X, Y))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda x, y: (x, y, x), "three returned 3 values; its pattern returns 2"),
        (lambda x, y: x, "three returned one value that is not a tuple; its pattern returns 2"),
        (lambda x, y: (), "three returned 0 values; its pattern returns 2"),
    ],
)
def test_another_number_of_values_is_said(returned, words):
    def three(x, y):
        return returned(x, y)

    pair = rule(both, launcher=three)
    with pytest.raises(LauncherOutputs) as caught:
        Leaf(three, "Fuse", 2)(X, Y)
    assert str(caught.value) == words
    with pytest.raises(RuntimeError, match="its pattern returns 2"):
        apply(graph(*GRAPH), pair).module(X, Y)


def test_values_of_the_graphs_nodes_are_known_of_the_launchers():
    module = graph(*GRAPH)
    for node in module.graph.nodes:
        node.meta["val"] = f"value of {node.name}"
    assert nodes(apply(module, rule(product, launcher=fused)))["fused"].meta["val"] == "value of b"


class TestArguments:
    def launched(self, args, pattern=product, module=None):
        applied = apply(module or graph(*GRAPH), rule(pattern, launcher=fused, args=args))
        assert applied.matches == 1
        return nodes(applied), nodes(applied)["fused"]

    def test_literals(self):
        _, launcher = self.launched(lambda x, y: (x, y, "route_a", 3, 0.5, None, True, torch.float16, (1, [2, "b"])))
        assert launcher.args[2:] == ("route_a", 3, 0.5, None, True, torch.float16, (1, [2, "b"]))

    def test_in_any_order_and_only_some(self):
        _, launcher = self.launched(lambda x, y: (y,))
        assert [node.name for node in launcher.args] == ["y"]

    def test_expressions_and_subscripts_become_nodes_before_the_launcher(self):
        found, launcher = self.launched(lambda x, y: (x[0], y * 2 + 1, x.shape[-1], torch.sum(y, 0)))
        assert list(found) == [
            "x",
            "y",
            "getitem",
            "mul",
            "add",
            "getattr_1",
            "getitem_1",
            "sum_1",
            "fused",
            "c",
            "output",
        ]
        assert [node.name for node in launcher.args] == ["getitem", "add", "getitem_1", "sum_1"]
        assert found["mul"].meta["origins"] == () and found["mul"].meta["pass"] == "Fuse"

    def test_they_are_computed_when_the_graph_runs(self):
        seen = []

        def launcher(first, twice, size):
            seen.append((first.item(), twice.tolist(), size))
            return torch.relu(X * Y)

        apply(graph(*GRAPH), rule(product, launcher=launcher, args=lambda x, y: (x[0], y * 2, x.shape[0]))).module(X, Y)
        assert seen == [(1.0, [1.0, 0.5, -8.0], 3)]

    def test_expressions_of_constants_are_constants(self):
        module = graph("x", "y = x * 0.125", "return (y,)")
        _, launcher = self.launched(lambda x, k: (x, 1 / k, int(k * 16)), lambda x, k: x * k, module)
        assert launcher.args[1:] == (8.0, 2)

    def test_a_decision_by_a_constant(self):
        module = graph("x", "y = x * 0.125", "return (y,)")
        _, launcher = self.launched(lambda x, k: (x, "small" if k < 1 else "large"), lambda x, k: x * k, module)
        assert launcher.args[1] == "small"

    def test_by_name_where_it_takes_no_positions(self):
        def args(*, y, x):
            return (y, x)

        _, launcher = self.launched(args)
        assert [node.name for node in launcher.args] == ["y", "x"]

    def test_defaults_and_keywords(self):
        def args(x, y, route="a", *, size=4):
            return x, y, route, size

        _, launcher = self.launched(args)
        assert launcher.args[2:] == ("a", 4)

    def test_a_tensor_that_the_pass_holds_goes_along(self):
        held = torch.tensor([1.0, 2.0, 3.0])
        applied = apply(
            graph(*GRAPH), rule(product, launcher=lambda x, y, h: fused(x, y) + h, args=lambda x, y: (x, y, held))
        )
        assert torch.equal(applied.module(X, Y)[1], fused(X, Y) + held)
        assert parse(rewritten_source(applied.module)) == to_fx_graph(applied.module)

    def test_what_is_computed_for_nothing_is_not_put_in(self):
        found, _ = self.launched(lambda x, y: (x, y * 2, torch.exp(y))[:2])
        assert list(found) == ["x", "y", "mul", "fused", "c", "output"]

    def test_the_graph_itself_is_out_of_reach(self):
        def args(x, y):
            for node in list(x.node.graph.nodes):
                node.name = "mine"
            x.node.graph.call_function(torch.exp, (x.node,))
            return x, y

        found, _ = self.launched(args)
        assert list(found) == ["x", "y", "fused", "c", "output"]

    @pytest.mark.parametrize(
        ("args", "words"),
        [
            (lambda x, y: x, r"has to return a tuple: write a comma"),
            (lambda x, y: None, "returns nothing"),
            (lambda x, y: "route", "returns a str"),
            (lambda x, y: (x, first), "can not stand in a graph"),
            (lambda x, y: (x, object()), "can not stand in a graph"),
            (lambda x, y: (x if x.sum() > 0 else y,), "decides by the value of a tensor"),
            (lambda x, y: (x / undefined,), "NameError"),  # noqa: F821
            (lambda a, b, c: (a,), r"takes 3 \(a, b, c\), the pattern has 2 inputs \(x, y\): both take the same"),
            (lambda x: (x,), r"takes 1 \(x\), the pattern has 2 inputs \(x, y\): both take the same"),
        ],
    )
    def test_what_can_not_be_understood(self, args, words):
        with pytest.raises(PatternError, match=words) as caught:
            apply(graph(*GRAPH), rule(product, args=args))
        assert caught.value.file == "Fuse.py"
        assert caught.value.line == args.__code__.co_firstlineno

    def test_an_input_that_the_pattern_does_not_use(self):
        unused = lambda x, y, z: product(x, y)  # noqa: E731
        assert apply(graph(*GRAPH), rule(unused, args=lambda x, y, z: (x, y))).matches == 1
        with pytest.raises(PatternError, match="passes on `z`, but the pattern does not use it"):
            apply(graph(*GRAPH), rule(unused))
        notes = apply(graph(*GRAPH), rule(unused, args=lambda x, y, z: (x, y))).notes
        assert notes == ["Fuse: the input `z` is not used by what the pattern returns"]
        defaulted = rule(lambda x, y, z=7: product(x, y), args=lambda x, y, z: (x, y, z))
        assert nodes(apply(graph(*GRAPH), defaulted))["first"].args[2] == 7


def test_the_rewritten_code_is_readable():
    both = rule(
        lambda x, y: (lambda b: (b + 1.0, b))(product(x, y)), launcher=fused, args=lambda x, y: (x, y[0], "route")
    )
    applied = apply(graph(*GRAPH), both)
    text = rewritten_source(applied.module)
    body = [line.strip() for line in text.splitlines() if "=" in line or "return" in line]
    assert body == [
        "getitem = y[0]",
        "fused = Fuse_fused(x, getitem, 'route')",
        "fused_0 = fused[0]",
        "fused_1 = fused[1]",
        "return (fused_0, fused_1)",
    ]
    assert parse(text) == to_fx_graph(applied.module)


def test_names_of_the_dataset_stay_in_the_rewritten_code():
    module = graph("größe, input", "täg = größe * input", "r = torch.relu(täg)", "s = r + größe", "return (s,)")
    applied = apply(module, rule(product, launcher=fused))
    assert applied.matched_nodes == [["täg", "r"]]
    assert "fused = Fuse_fused(größe, input)" in rewritten_source(applied.module)
    assert "s = fused + größe" in rewritten_source(applied.module)


def test_two_passes_of_one_launcher_name():
    module = graph("x, y", "a = x * y", "b = torch.relu(a)", "c = torch.sin(b)", "return (c,)")
    one = rule(product, launcher=fused, name="One")
    two = rule(lambda x: torch.sin(x), launcher=torch.sin, name="Two", args=lambda x: (x,))
    applied = apply(module, one, two)
    assert "fused = One_fused(x, y)" in rewritten_source(applied.module)
    assert "sin = Two_sin(fused)" in rewritten_source(applied.module)
    assert torch.equal(applied.module(X, Y)[0], module(X, Y)[0])


def test_a_line_that_counts_for_nothing_is_noted():
    def pattern(x, y):
        total = x * y
        count = y.sum(1)
        count = count + 1
        return total

    first_line = pattern.__code__.co_firstlineno
    applied = apply(graph(*GRAPH), rule(pattern, launcher=fused))
    assert applied.notes == [f"Fuse: line {first_line + 3}: `count_1` is not used by what the pattern returns"]
