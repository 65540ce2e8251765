"""The shipped archives as a tree of tasks, and what their folders are taken for."""

import json
import tarfile

import pytest

from dataset import cli, commands
from dataset.measure import ordered
from dataset.tasks import group
from graphs.folder_facets import folder_facets
from graphs.samples import Sample, TensorMeta, write_sample

RELU = (
    "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, x):\n"
    "        y = x.relu()\n        z = y + 1\n        return (z,)\n"
)


def sample(*shape, **net):
    return Sample("", RELU, (TensorMeta("x", shape, "float32", mean=0.0, std=1.0),), graph_net=net)


def archive(folder, name, about):
    write_sample(sample(4, 6), folder / "tree" / name / "graphs" / "g")
    (folder / "tree" / name / "graph_list.txt").write_text("graphs/g\n")
    (folder / "tree" / name / "task.json").write_text(json.dumps(about))
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as packed:
        packed.add(folder / "tree" / name, name)


def test_tasks_are_laid_out_by_id_and_the_benchmark_is_measured_first(tmp_path, capsys):
    archive(tmp_path, "a-relu", {"id": "aa", "kind": "single"})
    archive(tmp_path, "b-relu", {"id": "bb", "kind": "fusible"})
    lists = {"benchmark": [{"id": "bb"}], "held_out": []}
    (tmp_path / "benchmark.json").write_text(json.dumps(lists))
    assert cli.main(["unpack", str(tmp_path), "--out", str(tmp_path / "out")]) == commands.DONE
    assert capsys.readouterr().out == f"{tmp_path / 'out'}: 2 tasks\n"
    assert [path.parts[-3] for path in ordered(tmp_path / "out")] == ["bb", "aa"]
    assert cli.main(["unpack", str(tmp_path), "--out", str(tmp_path / "out")]) == commands.DONE  # once more: as it was


def test_a_task_without_its_id_is_named(tmp_path, capsys):
    archive(tmp_path, "a-relu", {"title": "relu"})
    assert cli.main(["unpack", str(tmp_path), "--out", str(tmp_path / "out")]) == commands.BAD_ARGUMENTS
    assert "a-relu.tar.gz: a-relu/task.json says neither id nor kind" in capsys.readouterr().err


def test_variants_in_other_shapes_stay_graphs_of_their_own_and_a_task_has_so_many(tmp_path):
    for name, shape, net in (
        ("a", (4, 6), {}),
        ("b", (2, 6), {}),  # the same bucket: alike
        ("c", (2, 6), {"shape_variant": 1}),
        ("d", (8, 6), {"shape_variant": 2}),
    ):
        write_sample(sample(*shape, subgraph_kind="fusible", **net), tmp_path / name)
    (task,) = group(tmp_path, by_code=True).tasks
    assert [(one.folder, one.alike) for one in task.members] == [("a", 2), ("c", 1), ("d", 1)]
    (task,) = group(tmp_path, by_code=True, most=2).tasks
    assert [one.folder for one in task.members] == ["a", "c"]


@pytest.mark.parametrize(
    ("nets", "task", "found"),
    [
        ([], {}, {}),
        ([{"subgraph_kind": "single", "heuristic_tag": "nlp"}] * 2, {}, {"kind": ["single"], "domain": ["nlp"]}),
        ([{"model_family": "speech"}], {"families": ["graphs", 3, "graphs"]}, {"family": ["graphs", "speech"]}),
        ([{"subgraph_kind": ["no text"]}], {"families": "no list", "benchmarks": ["training"]},
         {"benchmark": ["training"]}),
        ([{"subgraph_kind": "x" * 200}], {}, {"kind": ["x" * 80]}),
    ],
)  # fmt: skip
def test_facets_are_what_the_files_say(nets, task, found):
    assert folder_facets(nets, task) == found
    assert folder_facets([{"heuristic_tag": "cv"}, {"heuristic_tag": "computer_vision"}], {}) == {
        "domain": ["computer_vision"]
    }
