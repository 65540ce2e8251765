"""Drawings of graphs: nothing overlaps, everything flows down, the same graph looks the same, changes stay local."""

import itertools
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from fx_programs import running_programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_graph import long_file, whole_graph

from graphs.fx_source import FxGraph, FxNode, Ref, parse
from graphs.layout import Box, Layout, layout, thumbnail
from graphs.layout.ranks import components, ranks

_SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)

BEFORE = """\
def forward(self, in_0, in_1, in_2):
    a = in_0 * in_1
    b = torch.sum(a, 1)
    c = in_1.sum(1)
    d = torch.clamp(c, min=1e-09)
    e = b / d
    f = e + in_2
    return (f,)
"""
AFTER = """\
def forward(self, in_0, in_1, in_2):
    launch = masked_pool(in_0, in_1)
    e = operator.getitem(launch, 0)
    f = e + in_2
    return (f,)
"""


def overlap(one: Box, other: Box) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def check(graph: FxGraph, drawn: Layout) -> None:
    """What holds for every drawing."""
    assert list(drawn.nodes) == [node.name for node in graph.nodes if node.op != "placeholder"]
    for one, other in itertools.combinations(drawn.nodes.values(), 2):
        assert not overlap(one, other)
    inputs = {node.name for node in graph.inputs}
    assert [(edge.source, edge.target) for edge in drawn.edges] == [
        edge for edge in graph.edges() if edge[0] not in inputs
    ]
    for edge in drawn.edges:
        source, target = drawn.nodes[edge.source], drawn.nodes[edge.target]
        assert edge.points[0] == (source[0] + source[2] / 2, source[1] + source[3])
        assert edge.points[-1] == (target[0] + target[2] / 2, target[1])
        if edge.stub:
            assert len(edge.points) == 4
        else:
            assert [y for _, y in edge.points] == sorted(y for _, y in edge.points)
    assert {node: set(names) for node, names in drawn.badges.items()} == {
        node.name: used for node in graph.nodes if (used := inputs & set(node.refs())) and node.op != "placeholder"
    }
    places = [(x, y) for edge in drawn.edges for x, y in edge.points]
    places += [(x + w, y + h) for x, y, w, h in drawn.nodes.values()]
    assert all(0 <= x <= drawn.width and 0 <= y <= drawn.height for x, y in places)
    assert Layout.from_json(json.loads(json.dumps(drawn.to_json()))) == drawn


def row_span(drawn: Layout, source: str, target: str) -> int:
    tops = sorted({box[1] for box in drawn.nodes.values()})
    return tops.index(drawn.nodes[target][1]) - tops.index(drawn.nodes[source][1])


def test_a_diamond() -> None:
    graph = parse("def forward(self, x):\n    a = x + 1\n    b = a * 2\n    c = a * 3\n    d = b + c\n    return d\n")
    drawn = layout(graph)
    check(graph, drawn)
    assert drawn.badges == {"a": ("x",)}
    tops = {name: box[1] for name, box in drawn.nodes.items()}
    assert tops["a"] < tops["b"] == tops["c"] < tops["d"] < tops["output"]


def test_graphs_of_almost_nothing() -> None:
    for text, names in [
        ("def forward(self):\n    return ()", ["output"]),
        ("def forward(self, x, y):\n    return (y, x, y)", ["output"]),
        ("def forward(self, x):\n    a = torch.ones(3)\n    return x", ["a", "output"]),
    ]:
        graph = parse(text)
        drawn = layout(graph)
        check(graph, drawn)
        assert list(drawn.nodes) == names
    assert layout(FxGraph(())) == Layout({}, (), {}, 0.0, 0.0)


@_SLOW
@given(running_programs())
def test_every_program_is_drawn_soundly(source: str) -> None:
    graph = parse(source)
    check(graph, layout(graph))


@st.composite
def tangled_graphs(draw: st.DrawFn) -> FxGraph:
    """Any acyclic graph, with several parts, isolated nodes and long edges."""
    nodes = [FxNode("in_0", "placeholder", "in_0")]
    for index in range(draw(st.integers(1, 40))):
        earlier = [node.name for node in nodes]
        used = draw(st.lists(st.sampled_from(earlier), max_size=3))
        nodes.append(FxNode(f"n{index}", "call_function", "torch.f", tuple(map(Ref, used))))
    return FxGraph((*nodes, FxNode("output", "output", "output", ((Ref(nodes[-1].name),),))))


@_SLOW
@given(tangled_graphs())
def test_every_tangle_is_drawn_soundly(graph: FxGraph) -> None:
    drawn = layout(graph)
    check(graph, drawn)
    assert layout(graph) == drawn
    for edge in drawn.edges:
        assert edge.stub or 0 < row_span(drawn, edge.source, edge.target) <= 8


def test_long_edges_are_stubs_and_short_ones_are_not() -> None:
    lines = ["    a0 = x + 1"] + [f"    a{i} = a{i - 1} * 2" for i in range(1, 12)]
    lines += ["    b = a11 + a0 + a3 + a4", "    return b"]
    graph = parse("def forward(self, x):\n" + "\n".join(lines) + "\n")
    drawn = layout(graph)
    check(graph, drawn)
    # add = a11 + a0 is 12 ranks below a0; add_1 = add + a3 is 10 below a3; b = add_1 + a4 is 10 below a4
    assert [(edge.source, edge.target) for edge in drawn.edges if edge.stub] == [
        ("a0", "add"),
        ("a3", "add_1"),
        ("a4", "b"),
    ]


def test_a_shared_mask_does_not_widen_the_drawing() -> None:
    graph = parse(whole_graph(12))
    drawn = layout(graph)
    check(graph, drawn)
    assert sum(edge.stub for edge in drawn.edges) >= 10
    assert drawn.width < 2000


def test_the_same_graph_is_drawn_the_same_in_another_process() -> None:
    script = (
        "import json\nfrom whole_graph import whole_graph\nfrom graphs.fx_source import parse\n"
        "from graphs.layout import layout\n"
        "print(json.dumps([layout(parse(whole_graph(layers))).to_json() for layers in (1, 7)]))"
    )
    here = Path(__file__).parent
    path = f"{here}{os.pathsep}{here.parents[1]}"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_very_deep_and_very_wide_graphs_are_drawn() -> None:
    deep = parse(long_file(10_000))
    drawn = layout(deep)
    assert len(drawn.nodes) == 10_001
    assert not any(edge.stub for edge in drawn.edges)
    wide = parse(
        "def forward(self, x):\n    a = x + 1\n"
        + "".join(f"    b{i} = a * {i}\n" for i in range(3000))
        + "    return a\n"
    )
    assert len({box[0] for box in layout(wide).nodes.values()}) >= 3000


def test_a_tangle_that_no_drawing_would_untangle_is_drawn_without_trying() -> None:
    lines = [f"    a{i} = x + {i}" for i in range(400)]
    lines += [f"    b{i} = " + " + ".join(f"a{(i * 7 + k * 61) % 400}" for k in range(12)) for i in range(400)]
    graph = parse("def forward(self, x):\n" + "\n".join(lines) + "\n    return b0\n")
    drawn = layout(graph)
    assert len(drawn.nodes) == 400 + 400 * 11 + 1
    tops: dict[float, list[Box]] = {}
    for box in sorted(drawn.nodes.values()):
        tops.setdefault(box[1], []).append(box)
    assert not any(overlap(*pair) for row in tops.values() for pair in itertools.pairwise(row))


def test_a_rewrite_leaves_the_rest_where_it_was() -> None:
    before, after = parse(BEFORE), parse(AFTER)
    old = layout(before)
    new = layout(after, previous=old)
    check(after, new)
    assert new.nodes["f"] == old.nodes["f"]
    assert new.nodes["e"] == old.nodes["e"]
    assert new.nodes["output"] == old.nodes["output"]
    assert new.nodes["launch"][1] + new.nodes["launch"][3] < new.nodes["e"][1]
    kept = next(edge for edge in old.edges if edge.source == "f")
    assert kept in new.edges


def test_without_change_nothing_moves() -> None:
    graph = parse(BEFORE)
    drawn = layout(graph)
    assert layout(graph, previous=drawn) == drawn


def test_where_old_places_do_not_fit_the_graph_is_drawn_anew() -> None:
    before = layout(parse(BEFORE))
    turned = parse("def forward(self, x):\n    f = x + 1\n    e = f * 2\n    b = e - 1\n    return (b,)\n")
    assert layout(turned, previous=before) == layout(turned)
    other = parse("def forward(self, x):\n    p = x + 1\n    q = p + 1\n    return (q,)\n")
    assert layout(other, previous=before) == layout(other)


@_SLOW
@given(tangled_graphs(), st.data())
def test_a_drawing_after_any_change_is_sound_too(graph: FxGraph, data: st.DataObject) -> None:
    old = layout(graph)
    chosen = data.draw(st.sampled_from(graph.nodes[1:]))
    nodes = []
    for node in graph.nodes:
        if node is chosen:
            nodes.append(FxNode("new", "call_function", "launch", node.args))
            node = FxNode(node.name, node.op, node.target, (Ref("new"),))
        nodes.append(node)
    changed = FxGraph(tuple(nodes))
    drawn = layout(changed, previous=old)
    check(changed, drawn)


@pytest.mark.parametrize(
    ("count", "edges", "expected"),
    [
        (0, [], []),
        (3, [], [0, 0, 0]),
        (4, [(0, 1), (1, 2), (0, 2), (2, 3)], [0, 1, 2, 3]),
        # a weight (1) that only the last node uses moves down to it
        (5, [(0, 2), (2, 3), (3, 4), (1, 4)], [0, 2, 1, 2, 3]),
    ],
)
def test_ranks(count: int, edges: list[tuple[int, int]], expected: list[int]) -> None:
    assert ranks(count, edges) == expected


def test_components() -> None:
    assert components(6, [(0, 3), (1, 2), (3, 5)]) == [[0, 3, 5], [1, 2], [4]]


def test_a_thumbnail_is_a_small_picture_without_text() -> None:
    for source in (BEFORE, whole_graph(30), "def forward(self):\n    return ()\n"):
        picture = thumbnail(layout(parse(source)))
        root = ET.fromstring(picture)
        assert (root.get("width"), root.get("height")) == ("96", "48")
        assert "currentColor" in picture
        assert "".join(root.itertext()) == ""
        assert len(picture) < 60_000
        for mark in root.iter("{http://www.w3.org/2000/svg}rect"):
            assert 0 <= float(mark.get("x", "")) <= 92
            assert 0 <= float(mark.get("y", "")) <= 44
