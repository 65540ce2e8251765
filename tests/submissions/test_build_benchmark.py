"""`manage.py build_benchmark` on a catalogue of three tasks."""

import json

import pytest
from django.core.management import CommandError, call_command

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.samples import Sample, TensorMeta, hash_source

HEAD = "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, x):\n        "


def store(slug, kind, *calls):
    body = "\n        ".join(f"x = {call}" for call in calls)
    source = f"{HEAD}{body}\n        return (x,)\n"
    inputs = (TensorMeta("x", (4,), "float32", mean=0.0, std=1.0),)
    net = {"subgraph_kind": kind}
    graph = do_store_graph(Sample("g", source, inputs, graph_net=net, content_hash=hash_source(source)), "model.py")
    do_store_task(slug, TaskText(slug, "", ""), [("g", graph)], None, "imported")


@pytest.mark.django_db
def test_the_same_catalogue_gives_the_same_manifest(tmp_path):
    with pytest.raises(CommandError, match="no task of kind fusible"):
        call_command("build_benchmark", out=tmp_path / "none.json")
    store("short", "fusible", "x.relu()")
    store("long", "fusible", "x.relu()", "x.exp()")
    store("one", "single", "x.sin()")
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for file in files:
        call_command("build_benchmark", size=1, seed=4, held_out=1, out=file)
    manifest = json.loads(files[0].read_text())
    # ^relu twice, relu-end, relu-exp and exp-end once: the longer one covers more
    assert [task["slug"] for task in manifest["benchmark"]] == ["long"]
    assert [task["slug"] for task in manifest["held_out"]] == ["short"]
    assert manifest["benchmark"][0]["operators"] == [".relu", ".exp"] and manifest["tasks"] == 2
    assert files[0].read_bytes() == files[1].read_bytes()
    call_command("build_benchmark", kind="all", out=files[0])
    assert json.loads(files[0].read_text())["tasks"] == 3
