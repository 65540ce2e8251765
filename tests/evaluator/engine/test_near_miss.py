"""A pattern that does not match is told how far it came, what differs first, and what to write instead."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from pass_helpers import apply, graph, miss, rule

POOL = (
    "in_0, in_1",
    "tmp_0 = in_0 * in_1",
    "tmp_1 = torch.sum(tmp_0, 1)",
    "tmp_2 = in_1.sum(1)",
    "tmp_3 = torch.clamp(tmp_2, min=1e-09)",
    "tmp_4 = tmp_1 / tmp_3",
    "return (tmp_4,)",
)


def pool(
    product=lambda x, m: x * m,
    total=lambda p: torch.sum(p, 1),
    number=lambda m: m.sum(1),
    least=lambda n: torch.clamp(n, min=1e-9),
):
    """A pattern of masked mean pooling with one step changed."""

    def pattern(x, m):
        p = product(x, m)
        t = total(p)
        n = number(m)
        c = least(n)
        return t / c

    return rule(pattern)


def test_the_pattern_itself_matches():
    assert apply(graph(*POOL), pool()).matches == 1


def test_another_operator():
    found = miss(graph(*POOL), pool(total=lambda p: torch.mean(p, 1)))
    assert found["kind"] == "operator"
    assert (found["pattern_node"], found["pattern_code"]) == ("t", "t = torch.mean(p, 1)")
    assert (found["graph_node"], found["graph_code"]) == ("tmp_1", "tmp_1 = torch.sum(tmp_0, 1)")
    assert "the graph never has torch.mean" in found["message"]
    assert found["suggestion"] == "write `t = torch.sum(p, 1)`, as the graph does"
    assert found["pattern_size"] == 5 and "4 of 5 nodes match" in found["message"]
    assert found["matched"][0] == ("p", "tmp_0") and len(found["matched"]) == 4


def test_the_line_of_the_author_is_named():
    def pattern(x, m):
        p = x * m
        return torch.mean(p, 1)

    found = miss(graph(*POOL), rule(pattern))
    assert found["message"].startswith(f"In line {pattern.__code__.co_firstlineno + 2} ")


def test_another_form_of_the_same_operation():
    found = miss(graph(*POOL), pool(total=lambda p: p.sum(1)))
    assert found["kind"] == "form"
    assert "only the form differs" in found["message"]
    assert found["suggestion"] == "write `t = torch.sum(p, 1)`, as the graph does"
    assert found["differences"] == []


def test_another_form_and_another_constant():
    found = miss(graph(*POOL), pool(number=lambda m: torch.sum(m, 2)))
    assert found["kind"] == "form"
    assert found["differences"] == [{"argument": "dim", "expected": "2", "found": "1"}]
    assert found["suggestion"] == "write `n = m.sum(1)`, as the graph does"


@pytest.mark.parametrize(("value", "text"), [(1e-12, "1e-12"), (0.0, "0.0"), (float("nan"), "float('nan')")])
def test_a_constant(value, text):
    found = miss(graph(*POOL), pool(least=lambda n: torch.clamp(n, min=value)))
    assert found["kind"] == "constant"
    assert found["differences"] == [{"argument": "min", "expected": text, "found": "1e-09"}]
    assert found["suggestion"].startswith("the graph has 1e-09 here: write `c = torch.clamp(n, min=1e-09)`")


def test_a_constant_of_another_type():
    found = miss(graph("x", "y = x * 2.0", "return (y,)"), rule(lambda x: x * 2))
    assert found["kind"] == "constant"
    assert "int and float can give different dtypes" in found["message"]


def test_a_constant_inside_a_tuple():
    lines = ("y = x[(slice(None, None, None), slice(None, 64, None))]", "return (y,)")
    found = miss(graph("x", *lines), rule(lambda x: x[:, :12]))
    assert "index has 12 in the pattern and 64 in the graph" in found["message"]


def test_an_argument_that_is_another_value():
    module = graph("x, w, b", "y = torch.conv2d(x, w, b)", "return (y,)")
    found = miss(module, rule(lambda x, w: torch.conv2d(x, w, None)))
    assert found["kind"] == "argument"
    assert found["differences"] == [{"argument": "bias", "expected": "None", "found": "b"}]


def test_an_input_that_would_be_two_values():
    module = graph("x, w, v", "a = x @ w", "b = a @ v", "return (b,)")
    found = miss(module, rule(lambda x, w: (x @ w) @ w))
    assert found["kind"] == "argument"
    assert found["differences"] == [
        {"argument": "right operand", "expected": "w (elsewhere the graph's w)", "found": "v"}
    ]


def test_a_list_of_another_length():
    found = miss(
        graph("a, b, c", "y = torch.cat([a, b, c], 1)", "return (y,)"), rule(lambda a, b: torch.cat([a, b], 1))
    )
    assert found["kind"] == "argument"
    assert found["differences"][0]["found"] == "[a, b, c]"


def test_a_leak_names_who_uses_the_value():
    lines = ("h = F.linear(x, w)", "g = F.gelu(h)", "z = h + g", "return (z, g)")

    def pattern(x, w):
        hidden = F.linear(x, w)
        active = F.gelu(hidden)
        return hidden + active

    found = miss(graph("x, w", *lines), rule(pattern))
    assert found["kind"] == "leak"
    assert found["leaks"] == [{"node": "g", "pattern_node": "active", "users": ["output"]}]
    assert "`g` is returned by the graph" in found["message"]
    assert found["suggestion"] == "return `active` as well, from the pattern and from the launcher"
    assert len(found["matched"]) == found["pattern_size"] == 3


def test_several_leaks():
    lines = ("a = torch.exp(x)", "b = torch.sin(a)", "c = torch.cos(b)", "d = a * b", "e = c + d", "return (e,)")
    found = miss(graph("x", *lines), rule(lambda x: torch.cos(torch.sin(torch.exp(x)))))
    assert found["kind"] == "leak"
    assert [(leak["node"], leak["users"]) for leak in found["leaks"]] == [("a", ["d"]), ("b", ["d"])]


def test_a_value_that_leaves_and_comes_back():
    module = graph("x", "e = torch.exp(x)", "between = torch.sin(e)", "y = e + between", "return (y,)")
    found = miss(module, rule(lambda x, b: (lambda e: (e, e + b))(torch.exp(x))))
    assert found["kind"] == "leak"
    assert "`e` → `between`" in found["message"]
    assert "between = torch.sin(e)" in found["suggestion"]


def test_swapped_operands():
    module = graph("x", "h = 0.5 * x", "t = torch.tanh(h)", "return (t,)")
    found = miss(module, rule(lambda x: torch.tanh(x * 0.5)))
    assert found["kind"] == "argument"
    assert "Only the order of operands differs" in found["message"]
    assert found["suggestion"] == (
        "write `mul = 0.5 * x`, or set `commutative = True` in the pass's file to accept either order"
    )
    applied = apply(module, rule(lambda x: torch.tanh(x * 0.5), commutative=True))
    assert applied.matches == 1
    assert applied.notes == ["Fuse: matched with the operands of `h` swapped"]


def test_a_node_that_the_pattern_leaves_out():
    found = miss(graph(*POOL), pool(least=lambda n: n))
    assert found["kind"] == "operator"
    assert found["suggestion"] == "add `n = torch.clamp(tmp_2, min=1e-09)` to the pattern"


def test_a_node_that_the_graph_does_not_have():
    found = miss(graph(*POOL), pool(least=lambda n: torch.clamp(n, min=1e-9).sqrt()))
    assert found["kind"] == "operator"
    assert found["suggestion"] == "leave out `c = clamp.sqrt()`"
    first = miss(graph(*POOL), pool(product=lambda x, m: torch.exp(x) * m))
    assert "its input `in_0`" in first["message"]
    assert first["suggestion"] == "make `exp` an input of the pattern"


def test_a_pattern_that_goes_on():
    found = miss(graph(*POOL), rule(lambda x, m: pool().pattern(x, m) * 2))
    assert found["kind"] == "operator"
    assert "the value is returned there" in found["message"]
    assert len(found["matched"]) == 5 and found["pattern_size"] == 6


def test_operators_that_are_nowhere():
    found = miss(graph(*POOL), rule(lambda x: F.layer_norm(torch.erf(x), (3,))))
    assert found["kind"] == "absent"
    assert "torch.erf" in found["message"] and "torch.nn.functional.layer_norm" in found["message"]
    assert found["matched"] == [] and found["graph_node"] is None


def test_the_largest_part_is_taken():
    """Two places begin like the pattern; the second agrees in more."""
    module = graph(
        "x, y",
        "a = torch.exp(x)",
        "b = torch.sin(a)",
        "c = torch.exp(y)",
        "d = torch.sin(c)",
        "e = torch.cos(d)",
        "f = torch.log(e)",
        "return (b, f)",
    )
    found = miss(module, rule(lambda x: torch.tan(torch.cos(torch.sin(torch.exp(x))))))
    assert [node for _, node in found["matched"]] == ["c", "d", "e"]


def test_the_nearest_of_several_passes_comes_first():
    far = rule(lambda x: torch.erf(torch.log(x)), name="Far")
    near = rule(lambda x, m: torch.mean(x * m, 1), name="Near")
    found = apply(graph(*POOL), far, near).near_misses
    assert [item["pass_name"] for item in found] == ["Near", "Far"]


def test_a_pass_with_a_match_has_no_near_miss():
    applied = apply(graph(*POOL), pool(), rule(lambda x: torch.erf(x), name="Other"))
    assert [item["pass_name"] for item in applied.near_misses] == ["Other"]


def test_a_tensor_that_the_pass_holds():
    held = torch.ones(3)
    found = miss(graph("x, w", "y = x + w", "z = torch.relu(y)", "return (z,)"), rule(lambda x: torch.relu(x + held)))
    assert "holds" in found["message"]


def test_long_code_is_shortened():
    sizes = ", ".join(str(number) for number in range(500))
    module = graph("x", f"y = x + torch.tensor([{sizes}])", "return (y,)")
    found = miss(module, rule(lambda x: x + torch.tensor([1, 2])))
    assert len(found["message"]) < 900 and "…" in found["message"]


def test_a_search_that_would_take_too_long_is_cut_short_and_says_so():
    """Six separate pieces, each with a hundred places, that never fit together: 100^5 combinations."""
    names = [f"x{k}" for k in range(100)]
    lines = [f"a{k} = torch.exp(x{k})" for k in range(100)]
    module = graph(", ".join(names), *lines, f"return ({', '.join(f'a{k}' for k in range(100))})")

    def pattern(a, b, c, d, k):
        return torch.exp(a), torch.exp(b), torch.exp(c), torch.exp(d), torch.exp(k), torch.exp(k)

    applied = apply(module, rule(pattern))
    assert applied.matches == 0 and len(applied.near_misses) == 1
    assert "cut short" in applied.notes[0]


def test_swapped_operands_where_their_order_counts():
    def pattern(x, m):
        t = torch.sum(x * m, 1)
        c = torch.clamp(m.sum(1), min=1e-9)
        return c / t

    found = miss(graph(*POOL), rule(pattern))
    line = pattern.__code__.co_firstlineno + 3
    assert found["message"] == f"The operands of `/` are swapped in line {line}: the graph has `tmp_4 = tmp_1 / tmp_3`."
    assert found["suggestion"] == "write `truediv = t / c`"
    assert found["kind"] == "argument" and found["pattern_code"] == "truediv = c / t"
    assert found["differences"] == [
        {"argument": "operand 1", "expected": "c", "found": "t"},
        {"argument": "operand 2", "expected": "t", "found": "c"},
    ]


def test_swapped_operands_beside_another_difference():
    def pattern(x, m):
        t = torch.sum(x * m, 1)
        c = torch.clamp(m.sum(1), min=1e-6)
        return c / t

    found = miss(graph(*POOL), rule(pattern))
    assert found["kind"] == "constant"
    assert found["differences"] == [{"argument": "min", "expected": "1e-06", "found": "1e-09"}]
    assert found["message"].endswith("3 of 5 nodes match; 1 more differs.")


def test_swapped_operands_are_met_first():
    def pattern(a, b):
        d = b.sum() - a.mean()
        return torch.exp(d)

    module = graph("in_0, in_1", "m = in_0.mean()", "s = in_1.sum()", "d = m - s", "e = torch.tanh(d)", "return (e,)")
    found = miss(module, rule(pattern))
    line = pattern.__code__.co_firstlineno + 1
    assert found["message"].startswith(f"In line {line} the operands of `-` are swapped: the graph has `d = m - s`.")
    assert found["suggestion"] == "write `d = mean - sum_1`"
    assert found["message"].endswith("2 of 4 nodes match; 1 more differs.")


@pytest.mark.parametrize(
    ("sign", "call"),
    [("@", lambda a, b: torch.tanh(b) @ a.exp()), ("torch.matmul", lambda a, b: torch.matmul(torch.tanh(b), a.exp()))],
)
def test_swapped_factors(sign, call):
    product = "p = e @ t" if sign == "@" else "p = torch.matmul(e, t)"
    module = graph("in_0, in_1", "e = in_0.exp()", "t = torch.tanh(in_1)", product, "return (p,)")
    assert f"The operands of `{sign}` are swapped" in miss(module, rule(call))["message"]


def test_operands_of_an_input_are_only_named_otherwise():
    assert apply(graph("in_0, in_1", "d = in_0 - in_1", "return (d,)"), rule(lambda a, b: b - a)).matches == 1


GATE = ("in_0", "c = in_0.chunk(2, dim=-1)", "a = c[0]", "b = c[1]", "s = F.silu(a)", "y = s * b", "return (y,)")


def test_swapped_operands_do_not_hide_the_form_of_another_call():
    def pattern(x):
        a, b = torch.chunk(x, 2, -1)
        return b * F.silu(a)

    plain = miss(graph(*GATE), rule(pattern))
    assert plain["kind"] == "form" and plain["suggestion"] == "write `chunk = x.chunk(2, dim=-1)`, as the graph does"
    assert plain["message"].endswith("3 of 5 nodes match; 1 more differs.")
    either = miss(graph(*GATE), rule(pattern, commutative=True))
    assert either["kind"] == "form" and either["message"].endswith("4 of 5 nodes match.")


def test_a_pattern_that_works_with_sizes_where_the_graph_has_numbers():
    def first_half(x):
        return x[..., : x.shape[-1] // 2]

    found = miss(graph("in_0", "a = in_0[(Ellipsis, slice(None, 8, None))]", "return (a,)"), rule(first_half))
    assert found["suggestion"] == "write 8 there"

    def doubled(x):
        return torch.exp(x.shape[0] * x)

    found = miss(graph("in_0, in_1", "a = in_1 * in_0", "b = torch.exp(a)", "return (b,)"), rule(doubled))
    assert "its sizes are numbers" in found["message"] and "write the graph's numbers" in found["suggestion"]


@pytest.mark.parametrize(
    ("pattern", "line", "written"),
    [
        (lambda x: torch.sigmoid(x), "y = in_0.sigmoid()", "sigmoid = x.sigmoid()"),
        (lambda x: torch.neg(x), "y = -in_0", "neg = -x"),
        (lambda x: x > 3, "y = in_0.gt(3)", "gt = x.gt(3)"),
        (lambda x: F.pad(x, (0, 1)), "y = torch._C._nn.pad(in_0, (0, 1))", "pad = torch._C._nn.pad(x, (0, 1))"),
    ],
)
def test_a_pattern_all_in_another_form(pattern, line, written):
    found = miss(graph("in_0", line, "return (y,)"), rule(pattern))
    assert found["kind"] == "form" and "only the form differs" in found["message"]
    assert found["suggestion"] == f"write `{written}`, as the graph does"


def test_a_pattern_in_another_form_and_something_that_is_nowhere():
    def pattern(x):
        return torch.sum(torch.erf(torch.neg(x)), 1)

    module = graph("in_0", "a = -in_0", "b = a.sum(2)", "c = b.sum(1)", "return (c,)")
    found = miss(module, rule(pattern))
    assert found["kind"] == "form" and found["graph_code"] == "a = -in_0"
    assert found["message"].endswith("The graph never has `torch.erf`, `torch.sum` either.")


def test_in_place_after_something_that_agrees():
    module = graph("in_0, in_1", "a = in_0 * 2", "b = a.add_(in_1)", "return (b,)")
    found = miss(module, rule(lambda x, y: x * 2 + y))
    assert "the graph does it in place" in found["message"]
    assert found["suggestion"] == "write `add = mul.add_(y)`, as the graph does"
