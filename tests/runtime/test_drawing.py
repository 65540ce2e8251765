"""Drawings of graphs: where nodes go, what is written, and that nothing written is markup."""

import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import pytest
import torch
from pass_folders import RELU, folder

from passnet_runtime import draw_graph, draw_match, draw_verdict, passes, write_page
from passnet_runtime.check import Checked
from passnet_runtime.drawing import MOST_NODES, layout, left_out, svg

SVG = "{http://www.w3.org/2000/svg}"


def node(name, *uses, calls="add", result=""):
    return SimpleNamespace(name=name, calls=calls, uses=uses, result=result)


def test_a_node_lies_below_what_it_uses_and_an_input_just_above_its_first_use():
    places = layout(
        [node("x", calls=""), node("late", calls=""), node("a", "x"), node("b", "a"), node("c", "b", "late")]
    )
    rows = {name: (place.y - 12) // 64 for name, place in places.items()}
    assert rows == {"x": 0, "a": 1, "b": 2, "late": 2, "c": 3}
    assert places["b"].x != places["late"].x
    # two boxes of 148 with a gap of 18 are the widest row; rows of one are in its middle
    assert {places["b"].x, places["late"].x} == {12, 178}
    assert places["x"].x == places["a"].x == places["c"].x == 95


def test_a_picture_is_well_formed_and_every_text_is_escaped():
    nasty = '<script>alert("x")</script>&'
    picture = svg([node("x", calls="", result=nasty), node("y", "x", calls=nasty)], {nasty: ["y"]}, nasty)
    root = ElementTree.fromstring(picture)
    assert "<script" not in picture
    assert len(root.findall(f".//{SVG}rect")) == 2 and len(root.findall(f".//{SVG}path")) == 1
    assert root.findall(f".//{SVG}title")[1].text == f"y · {nasty} · {nasty}"


def test_of_many_nodes_those_near_matches_are_drawn():
    chain = [node("n0", calls="")] + [node(f"n{i}", f"n{i - 1}") for i in range(1, MOST_NODES + 50)]
    assert left_out(chain, {"one": ["n200", "n201"]}) == len(chain) - 4  # with n199 above and n202 below
    assert left_out(chain[:100], {}) == 0
    assert ElementTree.fromstring(svg([], {})).tag == f"{SVG}svg"


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    torch._dynamo.reset()
    made = passes(folder(tmp_path_factory.mktemp("a") / "p", Relu=RELU), then="eager", unverified="apply")
    with torch.no_grad():
        torch.compile(lambda x, y: torch.relu(x + y) * 2, backend=made)(torch.ones(2, 8), torch.ones(2, 8))
    return made


def test_a_match_is_drawn_inline(backend):
    shown = draw_match(backend)
    assert repr(shown) == "graph 1: 1 matches, 0 left alone"
    assert "Relu, match 1: add, relu" in shown._repr_html_()
    assert shown._repr_html_().count("<rect") == 5  # two inputs, add, relu, mul
    assert shown._repr_html_().count('stroke-width="2.5"') == 2  # add and relu
    with pytest.raises(IndexError, match="graph 2: 1 compiled so far"):
        draw_match(backend, 2)


def test_the_page_stands_alone(backend, tmp_path):
    text = write_page(backend.report, tmp_path / "page.html", "A <b>model</b>").read_text()
    assert "1 graph, 1 replaced." in text and "A &lt;b&gt;model&lt;/b&gt;" in text
    assert "default-src 'none'" in text and "<script" not in text
    assert not any(word in text for word in ("src=", "href=", "url(", "@import"))


def test_a_sample_folder_is_drawn_without_running_it():
    assert repr(draw_graph("graphs/data/residual-layer-norm/graphs/f32_2x14x64")) == "graph of 3 operations"


def test_a_verdict_is_a_table():
    shown = draw_verdict(
        [Checked("g", "correct", 1, -6, captured=True), Checked("<h>", "no_match", reason="Fuse: add misses")]
    )
    assert "<td>●</td><td>g</td><td>correct</td><td>1</td><td>-6</td><td>the same</td>" in shown._repr_html_()
    assert "&lt;h&gt;" in shown._repr_html_() and "<h>" not in shown._repr_html_()
    assert repr(shown) == "●  g  correct  1  -6  the same\n■  <h>  no_match  0  Fuse: add misses"
