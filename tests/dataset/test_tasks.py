"""Tasks of a tree, and a benchmark of sequences whose weights are counted by hand."""

import json
from math import log2

import pytest

from dataset import cli
from dataset.benchmark import Candidate, bigrams, build, choose, weights
from dataset.catalogue_texts import Origin, task_text
from dataset.tasks import TaskGroup, graph_name, group, operator_sequence, shape_bucket
from graphs.fx_source import parse
from graphs.samples import Sample, TensorMeta, write_sample
from graphs.task_folders import read_task

HEAD = "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, x):\n        "
RELU = f"{HEAD}y = x.relu()\n        z = y + 1\n        return (z,)\n"
RELU_TWO = RELU.replace("1", "2")  # the same operators
FUNCTION = RELU.replace("x.relu()", "torch.relu(x)")


def sample(source, *shape, dtype="float32", kind="fusible"):
    return Sample("", source, (TensorMeta("x", shape, dtype, mean=0.0, std=1.0),), graph_net={"subgraph_kind": kind})


@pytest.fixture
def tree(tmp_path):
    samples = {
        "a/first": sample(RELU, 4, 6),
        "a/alike": sample(RELU_TWO, 15, 1),  # sizes below 16
        "a/wide": sample(RELU, 4, 16),
        "b/half": sample(RELU, 4, 6, dtype="float16"),
        "b/function": sample(FUNCTION, 4, 6),
        "b/single": sample(RELU, 4, 6, kind="single"),
    }
    for name, one in samples.items():
        write_sample(one, tmp_path / "tree" / name)
    (tmp_path / "tree/b/broken").mkdir()
    (tmp_path / "tree/b/broken/model.py").write_text("class")
    (tmp_path / "tree/b/broken/weight_meta.py").write_text("")
    return tmp_path


def test_operators_and_buckets():
    assert operator_sequence(parse(RELU)) == (".relu", "operator.add")
    assert operator_sequence(parse(FUNCTION)) == ("torch.relu", "operator.add")
    assert shape_bucket((1, 15, 16, 255, 256, 4096, 0)) == (0, 0, 1, 1, 2, 3, -1)
    assert shape_bucket(()) == ()


def test_samples_with_one_operator_sequence_are_a_task(tree):
    found = group(tree / "tree")
    tasks = {(task.kind, task.operators[0]): task for task in found.tasks}
    assert found.samples == 6 and list(found.refused) == ["b/broken"]
    assert set(tasks) == {("fusible", ".relu"), ("fusible", "torch.relu"), ("single", ".relu")}
    relu = tasks["fusible", ".relu"]
    # a/alike comes first by path and stands for a/first
    assert [(one.folder, one.dtypes, one.alike) for one in relu.members] == [
        ("a/alike", ("float32",), 2),
        ("a/wide", ("float32",), 1),
        ("b/half", ("float16",), 1),
    ]
    assert len({task.id for task in found.tasks}) == 3 and all(len(task.id) == 64 for task in found.tasks)


def test_by_code_only_what_computes_the_same_is_alike(tree):
    tasks = group(tree / "tree", by_code=True).tasks
    members = {(task.kind, task.operators[0]): [one.folder for one in task.members] for task in tasks}
    assert members["fusible", ".relu"] == ["a/alike", "a/first", "a/wide", "b/half"]  # alike adds 2 where first adds 1


def test_what_people_read_about_a_task():
    operators = ("torch.conv2d", "torch.nn.functional.relu", ".relu", "torch.ops.aten.add.Tensor", "operator.mul")
    task = TaskGroup("0123456789ab" * 5, "fusible", (*operators, ".view", ".view", ".sum"), ())
    text = task_text(task, Origin(("timm/resnet18", "timm/vgg11"), ("convolutional networks",)), "benchmark")
    assert text["title"] == "conv2d → relu ×2 → add → mul → view ×2 → … (8 operators) · fusible"
    assert text["summary"] == "Operators that fuse, or should. From timm/resnet18, timm/vgg11"
    assert text["description"] == "Families: convolutional networks. Operators: 8. Stands in the benchmark."
    assert text["folder"] == "fusible-conv2d-relu-add-mul-view-sum-01234567"
    single = TaskGroup("f" * 64, "single", ("torch.relu",), ())
    assert task_text(single, Origin(tuple(f"timm/m{n}" for n in range(10)), ("a",)))["summary"].endswith(
        "timm/m7 and 2 more models"
    )


def test_a_task_folder_is_read_back_and_named_by_what_it_holds(tree, capsys):
    assert cli.main(["group", str(tree / "tree"), "--out", str(tree / "out")]) == 0
    assert "6 samples, 3 tasks with 5 graphs" in capsys.readouterr().out
    (tree / "tree/a").rename(tree / "tree/other")
    again = group(tree / "tree")
    index = json.loads((tree / "out/tasks.json").read_text())
    assert [task["id"] for task in index] == [task.id for task in again.tasks]
    (relu,) = (task for task in again.tasks if len(task.members) == 3)
    read = read_task(tree / "out" / relu.id)
    assert read.graphs == ("graphs/00_float32_alike", "graphs/01_float32_wide", "graphs/02_float16_half")
    assert graph_name(2, relu.members[0]).startswith("02_")
    assert len(read.sample_uids) == 3 and all(len(uid) == 32 for uid in read.sample_uids) and read.warnings == ()
    for count in ("0", "2"):
        arguments = ["benchmark", str(tree / "out"), "--size", "1", "--seed", "3", "--held-out", count]
        assert cli.main(arguments) == 0
    manifest = json.loads((tree / "out/benchmark.json").read_text())
    assert manifest["tasks"] == 2 and len(manifest["benchmark"]) == len(manifest["held_out"]) == 1


A, B, C = (Candidate(name, tuple(operators)) for name, operators in (("a", "xy"), ("b", "xyz"), ("c", "q")))
TWIN = Candidate("twin", ("x", "y", "z"))


def test_weights_of_pairs():
    # ^x and xy stand twice among nine pairs, y$, yz, z$, ^q and q$ once
    assert bigrams(("x", "y")) == [("^", "x"), ("x", "y"), ("y", "$")]
    found = weights(one.operators for one in (A, B, C))
    assert found["x", "y"] == found["^", "x"] == pytest.approx(log2(9 / 2))
    assert found["y", "z"] == found["q", "$"] == pytest.approx(log2(9)) and len(found) == 7


def test_the_task_that_adds_most_comes_next():
    # b adds 2·2.17 + 2·3.17, then c 2·3.17 and a only y$: 3.17
    chosen = choose([A, B, C], 3, 0, weights(one.operators for one in (A, B, C)))
    assert [choice.candidate.id for choice in chosen] == ["b", "c", "a"]
    assert [choice.gain for choice in chosen] == pytest.approx([2 * log2(4.5) + 2 * log2(9), 2 * log2(9), log2(9)])


def test_coverage_starts_anew_when_nothing_adds_to_it():
    longer = Candidate("longer", tuple("xyxy"))  # holds every pair of xy
    chosen = choose([A, longer], 5, 0, weights([A.operators, longer.operators]))
    assert [choice.candidate.id for choice in chosen] == ["longer", "a"] and chosen[1].gain > 0


def test_no_operator_sequence_stands_in_two_lists():
    everything = [A, B, C, TWIN]
    # of thirteen pairs ^x and xy stand three times: a weighs 2·2.12 + 3.70, c 2·3.70
    manifest = build(everything, 1, 0, held_out=1)
    (first,), (apart,) = manifest["benchmark"], manifest["held_out"]
    assert first["operators"] == ["x", "y", "z"] and apart["id"] == "a"
    assert manifest["training"] == ["c"] and [first["id"], *manifest["excluded"]] in (["b", "twin"], ["twin", "b"])
    assert manifest["bigrams"] == 7 and manifest["bigrams_covered"] == 4
    assert build(everything[::-1], 1, 0, held_out=1) == manifest
    winners = {build(everything, 1, seed)["benchmark"][0]["id"] for seed in range(20)}
    assert winners == {"b", "twin"}  # equals: the seed decides
    with pytest.raises(ValueError):
        build(everything, 0, 0)
