"""What can be a pattern and what not, worked out by hand on small graphs."""

import pytest

from assistant.drafter import CannotBePattern, GraphFacts, draft
from assistant.drafter.grow import nodes_of_lines, with_consumers, with_producers
from assistant.drafter.selection import select
from graphs.fx_source import parse


def graph(body, inputs="in_0, in_1"):
    lines = "\n".join(f"    {line.strip()}" for line in body.strip().splitlines())
    return parse(f"def forward(self, {inputs}):\n{lines}\n")


DIAMOND = """
a = in_0 + in_1
b = a * 2
c = a @ in_1
d = c + b
e = d * 3
return (e, b)
"""


def test_inputs_outputs_and_leaks():
    chosen = select(graph(DIAMOND), ["b", "a"])
    assert [node.name for node in chosen.nodes] == ["a", "b"]
    assert chosen.inputs == ("in_0", "in_1")
    assert chosen.outputs == ("a", "b")  # a is used by c, b by d and returned
    assert chosen.leaks == ("a",)  # a alone is used inside, too


def test_a_path_that_leaves_and_returns_is_named():
    with pytest.raises(CannotBePattern, match=r"leaves it at `a`, goes through `c`.*returns at `d`") as caught:
        select(graph(DIAMOND), ["a", "b", "d"])
    assert (caught.value.code, caught.value.nodes) == ("not_convex", ("a", "c", "d"))


def test_a_longer_path_outside_is_found():
    with pytest.raises(CannotBePattern) as caught:
        select(graph("a = in_0 + 1\nb = a + 1\nc = b + 1\nd = c + a\nreturn (d,)"), ["a", "d"])
    assert caught.value.nodes == ("a", "b", "c", "d")


def test_two_pieces_side_by_side_are_one_selection():
    assert select(graph(DIAMOND), ["b", "c"]).outputs == ("b", "c")


@pytest.mark.parametrize(("nodes", "code"), [(["in_0", "output"], "empty"), ([], "empty"), (["f"], "dead")])
def test_nothing_to_replace(nodes, code):
    with pytest.raises(CannotBePattern) as caught:
        select(graph("a = in_0 + in_1\nf = in_0 * 2\nreturn (a,)"), nodes)
    assert caught.value.code == code


def test_inputs_are_left_out_of_the_pattern():
    assert select(graph(DIAMOND), ["in_0", "a"]).left_out == ("in_0",)


IN_PLACE = """
a = in_0 * in_1
b = a.add_(in_1)
c = b * 2
return (c,)
"""


def test_a_change_in_place_within_the_selection_is_its_own_business():
    assert select(graph(IN_PLACE), ["a", "b"]).outputs == ("b",)


def test_a_change_that_is_seen_later_is_refused():
    seen = graph("a = in_0 * in_1\nb = a.add_(in_1)\nc = a * 2\nreturn (c, b)")
    with pytest.raises(CannotBePattern) as caught:
        select(seen, ["b"])
    assert (caught.value.code, caught.value.nodes) == ("mutation", ("b", "c"))
    assert select(seen, ["a", "b", "c"]).outputs == ("b", "c")


def test_a_change_of_the_graph_s_input_is_refused():
    with pytest.raises(CannotBePattern, match="changes the graph's input `in_0`") as caught:
        select(graph("a = in_0.mul_(2)\nb = a + 1\nreturn (b,)"), ["a", "b"])
    assert caught.value.code == "mutation"


def test_a_change_by_others_in_between_is_refused():
    between = graph("t = in_0 + 1\na = t * 2\nb = t.add_(in_1)\nc = a + t\nreturn (c, b)")
    with pytest.raises(CannotBePattern) as caught:
        select(between, ["a", "c"])
    assert (caught.value.code, caught.value.nodes[0]) == ("mutation", "b")


def test_two_devices_are_refused():
    with pytest.raises(CannotBePattern, match=r"cpu \(`in_1`\)"):
        select(graph("a = in_0 + in_1\nreturn (a,)"), ["a"], {"in_0": "cuda:0", "in_1": "cpu"})


def test_growing():
    whole = graph(DIAMOND)
    assert with_producers(whole, ["d"]) == {"b", "c", "d"}
    assert with_consumers(whole, ["a"]) == {"a", "b", "c"}
    assert with_consumers(whole, ["e"]) == {"e"}


def test_nodes_of_lines():
    assert nodes_of_lines(graph(DIAMOND), 3, 4) == {"b", "c"}  # line 1 is the def


def facts(dtype="float32", **shapes):
    return GraphFacts({name: {"shape": list(shape), "dtype": dtype} for name, shape in shapes.items()})


def test_the_pattern_keeps_the_graph_s_own_form():
    whole = graph("a = torch.nn.functional.softmax(in_0, dim=-1)\nb = operator.iadd(a, in_1)\nreturn (b,)")
    made = draft(whole, ["a", "b"], facts(in_0=(4, 8), in_1=(4, 8)))
    assert made.kind == "kernel"
    assert (
        "    a = torch.nn.functional.softmax(in_0, dim=-1)\n    b = operator.iadd(a, in_1)\n    return b\n" in made.text
    )
    assert made.text.startswith("import operator\n")


def test_what_no_kernel_is_drafted_for_says_so():
    made = draft(graph(DIAMOND), ["b", "c"], facts(in_0=(4, 4), in_1=(4, 4)))
    assert (made.kind, made.in_the_way) == ("original", "c")
    assert "    c = a @ in_1\n    return b, c\n" in made.text
    assert "# TODO" in made.text
    assert "matmul" in made.notes[-1] or "`@`" in made.notes[-1]


def test_long_names_of_weights_become_short_arguments():
    name = "L_self_modules_encoder_modules_norm_parameters_weight_"
    made = draft(graph(f"a = in_0 * {name}\nreturn (a,)", f"in_0, {name}"), ["a"], facts(in_0=(4, 4), **{name: (4,)}))
    assert "def pattern(in_0, norm_weight):" in made.text


def test_names_in_the_graph_can_not_break_out_of_the_text():
    made = draft(
        graph("tl = in_0 + 1\nD0 = tl * 2\npattern = D0 + 3\nreturn (pattern,)"),
        ["tl", "D0", "pattern"],
        facts(in_0=(4,)),
    )
    assert made.kind == "kernel"
    compile(made.text, "draft", "exec")
    assert "\n    tl =" not in made.text and "\n    D0 =" not in made.text


def test_a_narrow_graph_of_another_rank_is_rounded_for_as_well():
    """One kernel over all elements is launched for both: it has to round where float16 does."""
    whole = graph("a = in_0 * 3\nb = a + 1\nreturn (b,)", "in_0")
    alone = draft(whole, ["a", "b"], facts(in_0=(4, 8)))
    both = draft(whole, ["a", "b"], facts(in_0=(4, 8)), [(whole, facts("float16", in_0=(2, 4, 8)))])
    assert "a = in_0 * 3.0\n" in alone.text and ".to(dtype)" not in alone.text
    assert "a = (in_0 * 3.0).to(dtype).to(tl.float32)\n" in both.text


@pytest.mark.parametrize(
    ("line", "said"),
    [("a = torch.nn.functional.softmax(in_0, -1)", True), ("a = torch.exp(in_0) * 2.0", False)],
)
def test_the_same_lines_on_tensors_of_another_rank_are_told(line, said):
    code = graph(f"{line}\nreturn (a,)", "in_0")
    here, there = (
        GraphFacts({name: {"shape": shape, "dtype": "float32"} for name in ("in_0", "a")})
        for shape in ([3, 8], [2, 3, 8])
    )
    made = draft(code, [node.name for node in code.nodes if node.op == "call_function"], here, [(code, there)])
    assert any("stand in 1 of the other graphs" in note for note in made.notes) == said
    assert not draft(code, ["a"], here, [(code, here)]).notes
