"""The JSON that the browser draws from."""

import json

from graphs.fx_source import parse
from graphs.graph_json import graph_json
from graphs.layout import layout

SOURCE = """\
def forward(self, in_0, in_1):
    tmp_0 = in_0 * in_1
    tmp_1 = torch.sum(tmp_0, 1, keepdim=True)
    return (tmp_1, in_0)
"""
SHAPES = {
    "in_0": {"shape": [2, 3], "dtype": "float16"},
    "tmp_0": {"shape": [2, 3], "dtype": "float16"},
    "tmp_1": {"shape": None, "dtype": None},
}


def test_everything_of_a_small_graph() -> None:
    graph = parse(SOURCE)
    drawn = layout(graph)
    value = graph_json(graph, drawn, SHAPES)
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert sorted(value) == ["edges", "height", "inputs", "nodes", "outputs", "width"]
    assert value["inputs"] == [
        {"name": "in_0", "shape": [2, 3], "dtype": "float16"},
        {"name": "in_1", "shape": None, "dtype": None},
    ]
    assert value["outputs"] == ["tmp_1", "in_0"]
    x, y, w, h = drawn.nodes["tmp_0"]
    assert value["nodes"][0] == {
        "name": "tmp_0",
        "op": "call_function",
        "target": "operator.mul",
        "label": "*",
        "class": "pointwise",
        "code": "tmp_0 = in_0 * in_1",
        "args": [["", "in_0"], ["", "in_1"]],
        "span": {"line": 2, "column": 4, "end_line": 2, "end_column": 23},
        "shape": [2, 3],
        "dtype": "float16",
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "badges": [
            {"name": "in_0", "shape": [2, 3], "dtype": "float16"},
            {"name": "in_1", "shape": None, "dtype": None},
        ],
    }
    assert value["nodes"][1]["args"] == [["", "tmp_0"], ["", "1"], ["keepdim", "True"]]
    assert [node["name"] for node in value["nodes"]] == ["tmp_0", "tmp_1", "output"]
    assert value["edges"][0] == {
        "source": "tmp_0",
        "target": "tmp_1",
        "points": [list(point) for point in drawn.edges[0].points],
        "stub": False,
        "shape": [2, 3],
        "dtype": "float16",
    }


def test_without_shapes() -> None:
    graph = parse(SOURCE)
    value = graph_json(graph, layout(graph), None)
    assert {node["shape"] for node in value["nodes"]} == {None}


def test_long_literals_are_cut_in_what_is_shown() -> None:
    graph = parse(f"def forward(self):\n    a = torch.tensor({list(range(5000))})\n    return a\n")
    node = graph_json(graph, layout(graph), None)["nodes"][0]
    assert len(node["code"]) == len(node["args"][0][1]) == 2000
    assert node["code"].endswith("…")


def test_texts_stay_plain_text() -> None:
    graph = parse("def forward(self, x):\n    a = f('<script>&', x)\n    return a\n")
    assert graph_json(graph, layout(graph), None)["nodes"][0]["args"][0] == ["", "'<script>&'"]
