import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.importing import import_tree
from graphs.models import Task
from graphs.plain_text import plain_line, plain_text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Masked mean", "Masked mean"),
        ("two\nlines\tand  spaces ", "two lines and spaces"),
        ("safe\u202etxt.exe", "safe\ufffdtxt.exe"),
        ("a\u2066b\u200bc\x00d\x1b[2Je\ud800", "a\ufffdb\ufffdc\ufffdd\ufffd[2Je\ufffd"),
        ("naïve Größe 名前 \u05e9\u05dc\u05d5\u05dd", "naïve Größe 名前 \u05e9\u05dc\u05d5\u05dd"),
        ("<b>\"'&", "<b>\"'&"),  # markup is text; it is escaped where it is shown
    ],
)
def test_one_line_that_can_be_read_among_others(text, line):
    assert plain_line(text) == line


@given(st.text())
def test_nothing_invisible_is_left(text):
    line = plain_line(text)
    assert line.isprintable() and plain_line(line) == line
    assert len(plain_text(text)) == len(text)


def test_an_import_cleans_names_and_titles(db, tmp_path):
    folder = tmp_path / "task"
    graph = folder / "graphs" / "f32\u202egnp"
    graph.mkdir(parents=True)
    (graph / "model.py").write_text(
        "import torch\n\nclass GraphModule(torch.nn.Module):\n"
        "    def forward(self, in_0):\n        return (torch.relu(in_0),)\n"
    )
    (graph / "weight_meta.py").write_text(
        'class Program_weight_tensor_meta_in_0:\n    name = "in_0"\n    shape = [2]\n    dtype = "torch.float32"\n'
        '    device = "cpu"\n    mean = 0.0\n    std = 1.0\n    data = None\n'
    )
    (folder / "graph_list.txt").write_text("graphs/f32\u202egnp\n")
    (folder / "task.json").write_text(json.dumps({"title": "A\u202eB", "summary": "x\ny", "description": "a\n\u2067b"}))
    assert import_tree(folder, print).as_json()["imported"] == 1
    task = Task.objects.get()
    assert (task.title, task.summary, task.description) == ("A\ufffdB", "x y", "a\n\ufffdb")
    assert [entry.name for entry in task.entries.all()] == ["f32\ufffdgnp"]
