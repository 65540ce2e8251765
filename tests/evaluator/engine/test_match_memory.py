"""In-place operators and views: a rewrite never changes what a graph computes.

Where a match is accepted, the rewritten graph is run with a launcher that computes the pattern afresh, and must give
what the original gives. Where it is refused, the test says what would go wrong.
"""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from pass_helpers import apply, graph, miss, rule


def same(module, pattern, launcher, *inputs, matches=1, pass_name="Fuse"):
    """The pass matches, and original and rewritten module agree in outputs."""
    applied = apply(module, rule(pattern, launcher=launcher, name=pass_name))
    assert applied.matches == matches
    with torch.no_grad():
        expected = module(*(value.clone() for value in inputs))
        found = applied.module(*(value.clone() for value in inputs))
    for one, other in zip(expected, found, strict=True):
        assert torch.equal(one, other)
    return applied


def refused(module, pattern, *words, kind="mutation"):
    found = miss(module, rule(pattern))
    assert found["kind"] == kind, found
    for word in words:
        assert word in found["message"], found["message"]
    return found


X, Y = torch.tensor([[1.0, -2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [-7.0, 8.0]])


def test_in_place_calls_on_an_intermediate_that_the_pattern_mirrors():
    module = graph("x, y", "a = x * y", "b = a.add_(y)", "c = b.clamp_(0.0, 6.0)", "d = c / 6.0", "return (d,)")
    same(module, lambda x, y: (x * y).add_(y).clamp_(0.0, 6.0) / 6.0, lambda x, y: (x * y + y).clamp(0, 6) / 6, X, Y)


def test_functional_relu_in_place():
    module = graph("x", "a = x + 1", "b = F.relu(a, inplace=True)", "return (b,)")
    same(module, lambda x: F.relu(x + 1, inplace=True), lambda x: torch.relu(x + 1), X)
    same(module, lambda x: F.relu(x + 1, True), lambda x: torch.relu(x + 1), X)


@pytest.mark.parametrize(
    "line", ["torch.relu_(x)", "x.relu_()", "torch.ops.aten.relu_.default(x)", "torch.relu(x, out=x)"]
)
def test_every_way_to_change_in_place_is_seen(line):
    module = graph("x", "a = torch.exp(x)", f"b = {line}", "c = a + b", "return (c,)")
    refused(module, lambda x, b: torch.exp(x) + b, "`b` changes in place what `a` uses")


def plus(x, y):
    return torch.relu(x + y)


def plus_in_place(x, y):
    x += y
    return torch.relu(x)


def fused(x, y):
    return torch.relu(x + y)


class TestAugmentedAssignment:
    """torch.fx traces `x += y` as `x + y`, Dynamo's graphs hold iadd; they match unless someone sees the change."""

    @pytest.mark.parametrize("pattern", [plus, plus_in_place])
    def test_of_a_value_that_nobody_else_uses(self, pattern):
        module = graph("x, y", "a = x * 2", "a += y", "b = torch.relu(a)", "return (b,)")
        same(module, pattern, fused, X, Y)

    @pytest.mark.parametrize("pattern", [plus, plus_in_place])
    def test_that_is_no_assignment_in_the_graph(self, pattern):
        module = graph("x, y", "a = x + y", "b = torch.relu(a)", "c = b * x", "return (c,)")
        same(module, pattern, fused, X, Y)

    def test_of_the_graphs_input(self):
        module = graph("x, y", "x += y", "b = torch.relu(x)", "return (b,)")
        same(module, plus_in_place, fused, X, Y)
        found = refused(module, plus, "the caller sees `x` changed")
        assert "operator.iadd(x, y)" in found["suggestion"]

    def test_of_a_value_that_is_used_again(self):
        module = graph(
            "x, y", "a = x * 2", "v = a.view(-1)", "a += y", "b = torch.relu(a)", "c = v + 1", "return (b, c)"
        )
        refused(module, plus, "`c` sees the change")
        refused(module, plus_in_place, "`c` uses it later")

    def test_in_the_pattern_of_a_value_that_it_uses_again(self):
        def pattern(x, y):
            a = torch.exp(x)
            v = a.view(-1)
            a += y
            return a, v * 2

        module = graph("x, y", "a = torch.exp(x)", "v = a.view(-1)", "s = a + y", "t = v * 2", "return (s, t)")
        refused(module, pattern, "the graph does not change it")

    def test_every_operator(self):
        for sign, change in {
            "*": lambda x, y: x.__imul__(y),
            "-": lambda x, y: x.__isub__(y),
            "/": lambda x, y: x.__itruediv__(y),
        }.items():
            module = graph("x, y", "a = x + 1", f"a {sign}= y", "return (a,)")
            pattern = rule(lambda x, y, change=change: change(x, y), args=lambda x, y, change: (x, y))
            assert apply(module, pattern).matches == 1


def test_a_change_of_an_input_between_the_matched_nodes():
    module = graph("x, y", "a = torch.exp(y)", "b = x * a", "w = x.add_(1)", "c = b + x", "return (c, w)")
    refused(module, lambda x, a: x * a + x, "`w` changes in place what `b` uses")


def test_a_change_before_all_matched_nodes_and_one_after_them():
    module = graph("x, y", "w = y.mul_(2)", "b = x * w", "c = b + x", "v = w.add_(1)", "return (c, v)")
    same(module, lambda x, a: x * a + x, lambda x, a: x * a + x, X, Y)


def test_the_launcher_goes_where_the_order_of_changes_stays():
    """The sum is read before the change and the product needs a value from after it; only the sum is matched."""
    module = graph("x, y", "a = x + y", "b = torch.relu(a)", "w = x.mul_(0)", "c = b * w", "return (c,)")
    same(module, plus, fused, X, Y)


def test_the_launcher_can_not_be_on_both_sides_of_a_change():
    module = graph("x, y", "a = torch.exp(x)", "w = x.mul_(2)", "b = a + w", "return (b,)")
    refused(module, lambda x, w: torch.exp(x) + w, "`w` changes in place what `a` uses")


def test_nodes_that_wait_for_the_launcher_are_moved_behind_it():
    module = graph(
        "x, y", "e = torch.exp(x)", "s = torch.sin(e)", "k = torch.cos(y)", "p = e + k", "r = s * p", "return (r,)"
    )
    applied = same(
        module,
        lambda x, k: (lambda e: (e, e + k))(torch.exp(x)),
        lambda x, k: (torch.exp(x), torch.exp(x) + k),
        X,
        Y,
    )
    names = [node.name for node in applied.module.graph.nodes]
    assert names.index("k") < names.index("s")


def test_but_not_over_a_change_of_what_they_use():
    module = graph(
        "x, y",
        "e = torch.exp(x)",
        "s = torch.sin(e) * y",
        "w = y.mul_(2)",
        "p = e + w",
        "r = s * p",
        "return (r,)",
    )
    refused(module, lambda x, k: (lambda e: (e, e + k))(torch.exp(x)), "`w` changes in place what")


def test_the_order_of_a_change_and_a_use_is_that_of_the_graph():
    def used_after(x, y):
        a = torch.exp(x)
        b = a.add_(y)
        return b, a * 2

    def used_before(x, y):
        a = torch.exp(x)
        c = a * 2
        return a.add_(y), c

    after = graph("x, y", "a = torch.exp(x)", "b = a.add_(y)", "c = a * 2", "return (b, c)")
    before = graph("x, y", "a = torch.exp(x)", "c = a * 2", "b = a.add_(y)", "return (b, c)")
    same(after, used_after, lambda x, y: (torch.exp(x) + y, (torch.exp(x) + y) * 2), X, Y)
    same(before, used_before, lambda x, y: (torch.exp(x) + y, torch.exp(x) * 2), X, Y)
    refused(after, used_before, "the other way round")
    refused(before, used_after, "the other way round")


def test_a_result_that_is_a_view_of_an_input_which_changes_later():
    module = graph("x, y", "v = x.view(-1)", "n = torch.relu(v)", "w = x.add_(1)", "z = v * 2", "return (n, z, w)")
    refused(module, lambda x: (lambda v: (v, torch.relu(v)))(x.view(-1)), "no longer share")
    later = graph("x, y", "v = x.view(-1)", "n = torch.relu(v)", "w = y.add_(1)", "z = v * 2", "return (n, z, w)")
    same(
        later,
        lambda x: (lambda v: (v, torch.relu(v)))(x.view(-1)),
        lambda x: (x.view(-1).clone(), x.view(-1).relu()),
        X,
        Y,
    )


def test_a_change_through_a_result_that_is_a_view_of_an_input():
    module = graph(
        "x", "e = torch.exp(x)", "v = e.view(-1)", "n = torch.relu(v)", "w = v.add_(1)", "z = e * 2", "return (n, z, w)"
    )
    refused(module, lambda e: (lambda v: (v, torch.relu(v)))(e.view(-1)), "no longer share")
    unused = graph("x", "e = torch.exp(x)", "v = e.view(-1)", "n = torch.relu(v)", "w = v.add_(1)", "return (n, w)")
    same(
        unused,
        lambda e: (lambda v: (v, torch.relu(v)))(e.view(-1)),
        lambda e: (e.view(-1).clone(), e.view(-1).relu()),
        X,
    )
    of_caller = graph("x", "v = x.view(-1)", "n = torch.relu(v)", "w = v.add_(1)", "return (n, w)")
    refused(of_caller, lambda e: (lambda v: (v, torch.relu(v)))(e.view(-1)), "the input would stay as it was")


def test_two_results_in_the_same_memory():
    module = graph("x", "e = torch.exp(x)", "v = e.view(-1)", "w = v.add_(1)", "z = e * 2", "return (z, w)")
    refused(module, lambda x: (lambda e: (e, e.view(-1)))(torch.exp(x)), "no longer share")


def test_dropout_that_does_nothing_returns_its_input_itself():
    module = graph(
        "x",
        "e = torch.exp(x)",
        "d = F.dropout(e, 0.1, False, False)",
        "w = d.add_(1)",
        "z = e * w",
        "return (z,)",
    )
    refused(module, lambda e: F.dropout(e, 0.1, False), "no longer share")
    same(
        module,
        lambda x: (lambda e: e * F.dropout(e, 0.1, False).add_(1))(torch.exp(x)),
        lambda x: (torch.exp(x) + 1) ** 2,
        X,
    )


ROUTING = ["t = torch.topk(x, 1, dim=-1)", "w = t[0]", "i = t[1]", "s = w.sum(dim=-1, keepdim=True)"]


def test_the_tensors_that_topk_gives_are_not_the_same_memory():
    module = graph("x", *ROUTING, "w /= s", "y = w * 2.0", "return (y, i)")

    def in_place(w):
        s = w.sum(dim=-1, keepdim=True)
        w /= s
        return w * 2.0

    for pattern in (in_place, lambda w: w / w.sum(-1, True) * 2.0):
        same(module, pattern, lambda w: w / w.sum(-1, True) * 2.0, X)


def test_but_one_of_them_taken_out_twice_is():
    module = graph("x", *ROUTING, "w /= s", "y = w * 2.0", "v = t[0]", "return (y, v)")
    refused(module, lambda w: w / w.sum(-1, True) * 2.0, "`output` sees the change")
    backwards = graph("x", "t = torch.sort(x)", "w = t[0]", "v = t[-2]", "w /= 2.0", "y = w + 1", "return (y, v)")
    refused(backwards, lambda w: w / 2.0 + 1, "`output` sees the change")
    pieces = graph("x", "e = x.exp()", "t = e.split(1)", "w = t[0]", "w /= 2.0", "y = w + 1", "return (y, e)")
    refused(pieces, lambda w: w / 2.0 + 1, "sees the change")


def test_setitem_in_the_pattern():
    def pattern(x):
        a = torch.exp(x)
        a[:, 0] = 0.0
        return a

    module = graph("x", "a = torch.exp(x)", "a[(slice(None, None, None), 0)] = 0.0", "b = a + 1", "return (b,)")

    def launcher(x):
        a = torch.exp(x)
        a[:, 0] = 0
        return a

    applied = same(module, pattern, launcher, X)
    assert len(applied.matched_nodes[0]) == 2
    early = graph(
        "x", "a = torch.exp(x)", "c = a * 2", "a[(slice(None, None, None), 0)] = 0.0", "b = a + c", "return (b,)"
    )
    refused(early, pattern, "changes in place what `c` uses")


def test_running_statistics_and_renormalised_embeddings_are_changes():
    module = graph(
        "x, m, v",
        "n = F.batch_norm(x, m, v, None, None, True, 0.1, 1e-05)",
        "r = torch.relu(n)",
        "s = m + 1",
        "return (r, s)",
    )
    refused(module, lambda x, m, v: torch.relu(F.batch_norm(x, m, v, None, None, True, 0.1, 1e-5)), "`s` uses it later")
    evaluation = graph(
        "x, m, v",
        "n = F.batch_norm(x, m, v, None, None, False, 0.1, 1e-05)",
        "r = torch.relu(n)",
        "s = m + 1",
        "return (r, s)",
    )
    same(
        evaluation,
        lambda x, m, v: torch.relu(F.batch_norm(x, m, v)),
        lambda x, m, v: torch.relu(F.batch_norm(x, m, v)),
        X,
        torch.zeros(2),
        torch.ones(2),
    )
    table = graph(
        "i, w",
        "e = F.embedding(i, w, max_norm=1.0)",
        "r = torch.relu(e)",
        "s = w + 1",
        "return (r, s)",
    )
    refused(table, lambda i, w: torch.relu(F.embedding(i, w, max_norm=1.0)), "`s` uses it later")


def test_a_match_does_not_reach_across_the_border_of_autocast():
    module = graph(
        "x",
        "e = torch.exp(x)",
        "c = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)",
        "r = torch.relu(e)",
        "d = torch.amp.autocast_mode._exit_autocast(c)",
        "s = torch.sin(r)",
        "t = torch.cos(s)",
        "return (t,)",
    )
    refused(module, lambda x: torch.relu(torch.exp(x)), "both sides")
    refused(module, lambda x: torch.sin(torch.relu(x)), "both sides")
    same(module, lambda x: torch.cos(torch.sin(x)), lambda x: torch.cos(torch.sin(x)), X)


def test_dead_changes_stay():
    module = graph("x, y", "a = torch.exp(x)", "a.add_(y)", "unused = a * 3", "b = torch.relu(a)", "return (b,)")
    applied = apply(module, rule(lambda x: torch.sin(x)))
    assert [node.target for node in applied.module.graph.nodes if node.op == "call_method"] == ["add_"]
    assert torch.equal(applied.module(X, Y)[0], torch.relu(torch.exp(X) + Y))


def test_what_a_launcher_changes_is_known_to_later_passes():
    """The first pass's pattern changes its input in place, so its launcher may: no match reaches across it."""
    module = graph(
        "x, y", "e = torch.exp(x)", "s = torch.sin(e)", "e += y", "r = torch.relu(e)", "t = s + r", "return (t,)"
    )

    def launcher(e, y):
        e += y
        return torch.relu(e)

    first = rule(plus_in_place, launcher=launcher, name="First")
    second = rule(lambda e, r: torch.sin(e) + r, launcher=lambda e, r: torch.sin(e) + r, name="Second")
    applied = apply(module, first, second)
    assert applied.per_pass == {"First": 1, "Second": 0}
    assert applied.near_misses[0]["kind"] == "mutation"
    assert torch.equal(applied.module(X, Y)[0], module(X, Y)[0])


def test_many_matches_in_a_graph_that_changes_things():
    lines = []
    for k in range(20):
        lines += [
            f"a{k} = x * {k}.5",
            f"a{k} += y",
            f"b{k} = torch.relu(a{k})",
            f"c{k} = b{k}.mul_(2.0)",
            f"x = x + c{k}",
        ]
    module = graph("x, y", *lines, "return (x,)")
    same(module, plus_in_place, fused, X, Y, matches=20)
    same(
        module,
        lambda x, y, k: torch.relu((lambda a: a.__iadd__(y))(x * k)).mul_(2.0),
        lambda x, y, k: torch.relu(x * k + y) * 2,
        X,
        Y,
        matches=20,
    )
