"""What kinds of patterns find what kinds of places in a graph."""

import functools
import inspect
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from pass_helpers import apply, count, first, graph, rule
from torch.fx import Graph, GraphModule

from evaluator.engine.trace import PatternError


def mul_relu(a, b):
    return torch.relu(a * b)


TWICE = (
    "a, b, c",
    "m0 = a * b",
    "r0 = torch.relu(m0)",
    "m1 = r0 * c",
    "r1 = torch.relu(m1)",
    "return (r1,)",
)


def test_several_matches_the_later_takes_the_result_of_the_earlier():
    applied = apply(graph(*TWICE), mul_relu)
    assert applied.matches == 2
    assert applied.matched_nodes == [["m0", "r0"], ["m1", "r1"]]
    assert applied.new_nodes == ["first", "first_1"]
    assert applied.near_misses == []


def test_each_node_has_the_line_that_matched_it_whatever_order_the_pattern_is_written_in():
    def pattern(x, y):
        late = torch.tanh(y)
        early = torch.tanh(x)
        return early - late

    start = inspect.getsourcelines(pattern)[1]
    module = graph("p, q", "a = torch.tanh(p)", "b = torch.tanh(q)", "c = a - b", "return (c,)")
    item = rule(pattern)
    item.file = Path(__file__).name
    assert apply(module, item).lines == [{"a": start + 2, "b": start + 1, "c": start + 3}]
    item.file = "Other.py"  # the pattern was imported from a helper
    assert apply(module, item).lines == [{}]


def test_a_pattern_of_six_hundred_nodes():
    lines = ["a = torch.tanh(x)", *["a = a + 1.0"] * 600, "b = torch.exp(a)"]

    def pattern(x):
        a = torch.tanh(x)
        for _ in range(600):
            a = a + 1.0
        return torch.exp(a)

    assert count(graph("x", *lines, "return (b,)"), pattern) == 1
    found = apply(graph("x", *lines[:-1], "b = torch.log(a)", "return (b,)"), pattern).near_misses[0]
    assert (found["kind"], len(found["matched"])) == ("operator", 601)


def test_matches_do_not_overlap():
    module = graph("x", "a = torch.relu(x)", "b = torch.relu(a)", "c = torch.relu(b)", "return (c,)")
    applied = apply(module, lambda x: torch.relu(torch.relu(x)))
    assert applied.matched_nodes == [["a", "b"]]


def test_pieces_that_are_not_connected_pair_up_in_order():
    lines = [f"y{k} = torch.tanh(x{k})" for k in range(4)]
    module = graph("x0, x1, x2, x3", *lines, "return (y0, y1, y2, y3)")
    applied = apply(module, lambda a, b: (torch.tanh(a), torch.tanh(b)))
    assert applied.matched_nodes == [["y0", "y1"], ["y2", "y3"]]


def two_outputs(x):
    y = torch.exp(x)
    return y, y + 1


@pytest.mark.parametrize("returned", ["(e, p)", "(p, e)", "(p, e, p)"])
def test_outputs_come_in_any_order(returned):
    module = graph("x", "e = torch.exp(x)", "p = e + 1", f"return {returned}")
    for pattern in (two_outputs, lambda x: two_outputs(x)[::-1]):
        assert count(module, pattern) == 1


def test_an_output_may_be_used_inside_and_outside():
    module = graph("x", "e = torch.exp(x)", "p = e + 1", "z = e * p", "return (z,)")
    assert count(module, two_outputs) == 1
    assert count(module, lambda x: torch.exp(x) + 1) == 0


def test_six_outputs():
    names = ["a", "b", "c", "d", "e", "f"]
    lines = [f"{name} = x * {index}.0" for index, name in enumerate(names)]
    module = graph("x", *lines, "return (f, a, e, b, d, c)")
    applied = apply(module, lambda x: tuple(x * float(k) for k in range(6)))
    assert applied.matches == 1 and len(applied.matched_nodes[0]) == 6


def test_an_input_used_twice_is_one_value():
    square = graph("x, y", "z = x * x", "return (z,)")
    product = graph("x, y", "z = x * y", "return (z,)")
    assert count(square, lambda x: x * x) == 1
    assert count(product, lambda x: x * x) == 0
    assert count(square, lambda a, b: a * b) == 1  # two inputs may be given the same tensor


def test_one_node_of_the_graph_is_not_two_of_the_pattern():
    module = graph("x", "e = torch.exp(x)", "y = e + e", "return (y,)")
    assert count(module, lambda x: torch.exp(x) + torch.exp(x)) == 0


def test_inputs_stand_for_constants():
    module = graph("x, w", "y = torch.nn.functional.layer_norm(x, (8,), w, None, 1e-12)", "return (y,)")
    seen = []

    def args(x, w, b, eps):
        seen.append((b, eps))
        return x, w, eps

    applied = apply(module, rule(lambda x, w, b, eps: F.layer_norm(x, (8,), w, b, eps), args=args))
    assert applied.matches == 1
    assert seen == [(None, 1e-12)]
    launcher = next(node for node in applied.module.graph.nodes if node.name == "first")
    assert launcher.args[2] == 1e-12


def test_an_input_stands_for_a_default_that_the_graph_leaves_out():
    module = graph("x", "y = torch.nn.functional.softmax(x, dim=-1)", "return (y,)")
    seen = []
    item = rule(lambda x, d, t: F.softmax(x, d, dtype=t), args=lambda x, d, t: seen.append((d, t)) or (x,))
    assert count(module, item) == 1
    assert seen == [(-1, None)]


def test_an_input_that_is_two_constants_at_once_does_not_match():
    pattern = rule(lambda x, k: (x + k) * k)
    assert count(graph("x", "a = x + 2", "b = a * 2", "return (b,)"), pattern) == 1
    assert count(graph("x", "a = x + 2", "b = a * 3", "return (b,)"), pattern) == 0
    assert count(graph("x", "a = x + 2", "b = a * 2.0", "return (b,)"), pattern) == 0


def test_an_input_stands_for_a_list():
    module = graph("a, b", "y = torch.cat([a, b], 1)", "return (y,)")
    applied = apply(module, rule(lambda xs: torch.cat(xs, 1), args=lambda xs: (xs[1], xs[0])))
    assert applied.matches == 1
    launcher = next(node for node in applied.module.graph.nodes if node.name == "first")
    assert [str(value) for value in launcher.args] == ["b", "a"]


def test_dead_code_is_ignored_on_both_sides():
    module = graph("x", "unused = torch.exp(x)", "y = torch.relu(x)", "also = y + 1", "x = None", "return (y,)")

    def pattern(x):
        torch.cos(x)
        y = torch.relu(x)
        y.view(-1)
        return y

    applied = apply(module, pattern)
    assert applied.matches == 1
    assert [node.op for node in applied.module.graph.nodes] == ["placeholder", "call_function", "output"]


def test_a_value_that_leaks_into_dead_code_does_not_leak():
    module = graph("x", "e = torch.exp(x)", "unused = e * 2", "y = e + 1", "return (y,)")
    assert count(module, lambda x: torch.exp(x) + 1) == 1


def test_a_value_that_leaves_and_comes_back_is_refused():
    module = graph("x", "e = torch.exp(x)", "between = torch.sin(e)", "y = e + between", "return (y,)")
    assert count(module, lambda x, b: (lambda e: (e, e + b))(torch.exp(x))) == 0
    assert count(module, lambda x: (lambda e: e + torch.sin(e))(torch.exp(x))) == 1


def test_two_matches_that_would_wait_for_each_other():
    """Each could be replaced alone: a1 → b2 and b1 → a2 cross. Both together would make a circle."""
    module = graph(
        "x, y",
        "a1 = torch.exp(x)",
        "b1 = torch.exp(y)",
        "a2 = torch.log(b1)",
        "b2 = torch.log(a1)",
        "return (a2, b2)",
    )
    applied = apply(module, rule(lambda p, q: (torch.exp(p), torch.log(q)), launcher=lambda p, q: (p, q)))
    assert applied.matches == 1
    assert sorted(applied.matched_nodes[0]) == ["a1", "a2"]


def test_passes_come_in_order_and_see_what_the_one_before_left():
    module = graph("x", "a = torch.exp(x)", "b = torch.log(a)", "c = torch.sin(b)", "return (c,)")
    inner = rule(lambda x: torch.exp(x), name="Inner")
    outer = rule(lambda x: torch.sin(torch.log(x)), name="Outer")
    applied = apply(module, inner, outer)
    assert applied.per_pass == {"Inner": 1, "Outer": 1}
    assert applied.matched_nodes == [["a"], ["b", "c"]]
    assert apply(module, rule(lambda x: torch.log(torch.exp(x)), name="Wide"), inner).per_pass == {
        "Wide": 1,
        "Inner": 0,
    }


def halve(x):
    return x / 2


torch.fx.wrap("halve")


def test_a_pattern_may_hold_an_earlier_launcher():
    module = graph("x", "a = x / 2", "b = torch.relu(a)", "return (b,)")
    small = rule(lambda x: x / 2, launcher=halve, name="Small")
    large = rule(lambda x: torch.relu(halve(x)), name="Large")
    applied = apply(module, small, large)
    assert applied.per_pass == {"Small": 1, "Large": 1}
    assert applied.matched_nodes == [["a"], ["a", "b"]]
    assert len(applied.new_nodes) == 1


def made_by_hand():
    built = Graph()
    x, k = built.placeholder("x"), built.placeholder("k")
    built.output(built.call_function(torch.sum, (built.call_function(torch.mul, (x, k)),), {"dim": 1}))
    return built


def test_patterns_made_by_hand():
    module = graph("x, y", "m = torch.mul(x, y)", "s = torch.sum(m, 1)", "return (s,)")
    assert count(module, made_by_hand()) == 1
    as_module = GraphModule(torch.nn.Module(), made_by_hand())
    as_module.__signature__ = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("x", "k")]
    )
    assert count(module, as_module) == 1
    assert count(module, torch.fx.symbolic_trace(lambda x, k: torch.sum(torch.mul(x, k), dim=1))) == 1
    assert count(module, lambda: made_by_hand()) == 1


def test_modules_in_a_pattern_are_the_calls_they_make():
    module = graph("x", "a = F.relu(x, inplace=False)", "b = F.dropout(a, 0.5, False, False)", "return (b,)")
    act, drop = torch.nn.ReLU(), torch.nn.Dropout().eval()
    assert count(module, lambda x: drop(act(x))) == 1
    assert count(module, rule(torch.nn.Sequential(act, drop), args=lambda x: (x,))) == 1


def test_variadic_patterns():
    module = graph("x, y, z", "m = x * y", "s = m + z", "return (s,)")

    def pattern(*args):
        a, b, c = args
        return a * b + c

    assert count(module, pattern) == 1
    assert count(module, rule(pattern, args=lambda a, b, c: (c, b, a))) == 1
    assert count(module, rule(lambda *xs: torch.cat(xs, 1), args=lambda a, b: (a, b))) == 0
    pair = graph("x, y", "c = torch.cat([x, y], 1)", "return (c,)")
    assert count(pair, rule(lambda *xs: torch.cat(xs, 1), args=lambda a, b: (a, b))) == 1


def test_defaults_are_inputs_unless_the_code_needs_their_value():
    def scaled(x, k=2.0):
        return x * k

    def repeated(x, n=2):
        for _ in range(n):
            x = torch.relu(x)
        return x

    assert count(graph("x", "y = x * 3.0", "return (y,)"), rule(scaled, args=lambda x, k=2.0: (x, k))) == 1
    module = graph("x", "a = torch.relu(x)", "b = torch.relu(a)", "return (b,)")
    seen = []
    assert count(module, rule(repeated, args=lambda x, n: seen.append(n) or (x,))) == 1
    assert seen == [2]
    assert count(module, rule(repeated, args=lambda x: (x,))) == 1


def test_control_flow_on_python_values():
    def pattern(x):
        y = torch.relu(x)
        if torch.float16.itemsize == 2 and isinstance(y, object):
            y = y * 2
        return y

    assert count(graph("x", "a = torch.relu(x)", "b = a * 2", "return (b,)"), pattern) == 1


def test_a_tensor_held_by_the_pass_matches_nothing():
    held = torch.ones(3)
    assert count(graph("x, w", "y = x + w", "return (y,)"), lambda x: x + held) == 0


def test_the_module_that_is_given_stays_as_it_is():
    module = graph(*TWICE)
    before = module.code
    apply(module, mul_relu)
    assert module.code == before and [node.name for node in module.graph.nodes][:3] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (lambda x: None, "returns nothing"),
        (lambda x: x, "nothing to match"),
        (lambda x: {"y": torch.relu(x)}, "returns a dict"),
        (lambda x: (torch.relu(x), (torch.relu(x), x)), "a tuple inside a tuple"),
        (lambda x: torch.relu(x) if x.sum() > 0 else x, "decides by the value of a tensor"),
        (lambda x: torch.no_such_function(x), "no_such_function"),
        (lambda x: [torch.relu(part) for part in x], "can not be traced"),
        (lambda **kw: torch.relu(kw["x"]), "KeyError"),
        (7, "is an int"),
    ],
)
def test_patterns_that_can_not_be_understood(pattern, words):
    with pytest.raises(PatternError, match=words):
        apply(graph("x", "y = torch.relu(x)", "return (y,)"), rule(pattern))


def test_an_error_says_where():
    def pattern(x):
        y = torch.relu(x)
        return y @ missing  # noqa: F821

    with pytest.raises(PatternError) as caught:
        apply(graph("x", "y = torch.relu(x)", "return (y,)"), rule(pattern))
    assert caught.value.file == "Fuse.py"
    assert caught.value.line == pattern.__code__.co_firstlineno + 2
    assert "missing" in caught.value.message


def test_launchers_of_every_kind_are_leaves():
    class Kernel:
        def __call__(self, x):
            return x * 3

    module = graph("x", "y = torch.relu(x)", "return (y,)")
    for launcher in (Kernel(), functools.partial(torch.add, other=1), lambda x: x - 1, torch.neg, first):
        applied = apply(module, rule(lambda x: torch.relu(x), launcher=launcher))
        assert applied.matches == 1
        x = torch.tensor([-2.0, 4.0])
        assert torch.equal(applied.module(x)[0], launcher(x))
