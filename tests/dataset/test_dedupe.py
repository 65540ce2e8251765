"""Duplicates: by bytes, and by what is computed."""

import hashlib
import json

from dataset.cli import main
from dataset.dedupe import find_duplicates
from graphs.samples import Sample, TensorMeta, write_sample

HEAD = "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, a, b):\n"
FIRST = f"{HEAD}        x = a.sin()\n        y = b.cos()\n        return (x + y,)\n"
RENAMED = f"{HEAD}        p = a.sin()\n        q = b.cos()\n        return (p + q,)\n"
REORDERED = f"{HEAD}        y = b.cos()\n        x = a.sin()\n        return (x + y,)\n"
OTHER = f"{HEAD}        x = a.sin()\n        y = b.cos()\n        return (x - y,)\n"


def write(folder, source):
    inputs = (TensorMeta("a", (2,), "float32"), TensorMeta("b", (2,), "float32"))
    write_sample(Sample(folder.name, source, inputs), folder)


def test_bytes_first_then_the_graph_and_each_says_what_it_removed(tmp_path, capsys):
    for name, source in {"1": FIRST, "2": FIRST, "3": RENAMED, "4": REORDERED, "5": REORDERED, "6": OTHER}.items():
        write(tmp_path / name, source)
    write(tmp_path / "7", "no graph")
    found = find_duplicates(tmp_path)
    assert (found.samples, found.removed_by_bytes, found.removed_by_graph) == (7, 2, 2)
    assert [(one.folder, one.same_bytes, one.same_graph) for one in found.unique] == [
        ("1", ["2", "5"], ["3", "4"]),
        ("6", [], []),
        ("7", [], []),  # no graph: its bytes alone count
    ]
    assert found.unique[0].sha256 == hashlib.sha256(FIRST.encode()).hexdigest()
    assert found.unique[2].canonical is None and list(found.refused) == ["7"]

    assert main(["dedupe", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "7 samples, 3 unique graphs" in said and "2 removed by SHA-256" in said and "2 more removed" in said
    assert json.loads((tmp_path / "dedupe.json").read_text())["unique"][0]["same_bytes"] == ["2", "5"]
