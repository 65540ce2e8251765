"""Capture: the graphs of small modules as a person writes them down, limits, and going on where it stopped."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dataset.capture_run import breaks_by_reason
from dataset.cli import main
from dataset.graph_recorder import capture
from dataset.models import ModelProblem, load, parse_name
from evaluator.engine.build import build
from evaluator.engine.inputs import graph_inputs, replay
from graphs.fx_source import parse
from graphs.samples import read_sample

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MODELS = [f"small_models:{name}" for name in ("gate", "Broken", "lookup", "fails", "wrong", "huge")]


def dataset(*arguments):
    """Run `python -m dataset` and return its exit status and the JSON lines it printed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(HERE)))}
    command = [sys.executable, "-m", "dataset", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stderr


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    out = tmp_path_factory.mktemp("captured")
    status, entries, errors = dataset("capture", *MODELS, "--out", out, "--memory", 1024, "--workers", 2, "--json")
    assert status == 0, errors
    return out, {entry["model"].partition(":")[2]: entry for entry in entries}


@pytest.fixture(autouse=True)
def models_are_found(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))


def built(folder):
    sample = read_sample(folder)
    assert sample.warnings == ()
    return sample, build(parse(sample.source))


def test_a_model_gives_its_graph_and_one_that_fails_does_not_stop_the_others(captured):
    _, entries = captured
    assert {name: entry["status"] for name, entry in entries.items()} == {
        "gate": "captured",
        "Broken": "captured",
        "lookup": "captured",
        "fails": "failed",
        "wrong": "failed",
        "huge": "memory",
    }
    assert "no weights today" in entries["fails"]["why"]
    assert entries["wrong"]["why"].startswith("small_models:wrong gives a int")
    assert entries["gate"]["graphs"] == ["small_models/gate"]  # the only graph of a model lies in the model's folder


def test_graph_breaks_give_several_graphs_and_are_counted_and_explained(captured):
    out, entries = captured
    assert entries["Broken"]["graphs"] == [f"small_models/Broken/Broken_graph{index}" for index in (1, 2)]
    (one,) = entries["Broken"]["breaks"]
    assert one["count"] == 1 and "print" in one["explanation"]
    second, module = built(out / "small_models/Broken/Broken_graph2")
    assert module(torch.zeros(2))[0].tolist() == [0.0, 0.0]
    assert second.inputs[0].mean == 2.0  # ones, plus one


def test_a_written_graph_computes_what_the_module_computes(captured):
    out, _ = captured
    sample, module = built(out / "small_models/gate")
    assert sample.source == (
        "import torch\n\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, in_0, in_1):\n"
        "        tmp_0 = torch._C._nn.linear(in_1, in_0, None);  in_1 = in_0 = None\n"
        "        tmp_1 = torch.relu(tmp_0);  tmp_0 = None\n"
        "        tmp_2 = tmp_1 * 2;  tmp_1 = None\n"
        "        return (tmp_2,)\n"
    )
    weight, given = sample.inputs
    assert (weight.original_name, weight.shape) == ("L_self_modules_proj_parameters_weight_", (2, 3))
    assert (weight.mean, weight.min_val, weight.max_val) == (1.0, -1.0, 3.0)
    assert (given.original_name, given.shape, given.std) == ("L_x_", (1, 3), 0.0)
    assert sample.graph_net["model_name"] == "gate" and sample.graph_net["graph_kind"] == "inference"
    # rows of the weight: [1, 2, 3] and [−1, 0, 1]; x = [1, −1, 2]: 5 and 1; x = [1, 0, −1]: −2 and −2
    weights = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]])
    (result,) = module(weights, torch.tensor([[1.0, -1.0, 2.0], [1.0, 0.0, -1.0]]))
    assert result.tolist() == [[10.0, 2.0], [0.0, 0.0]]


def test_training_gives_forward_and_backward_and_the_backward_graph_is_the_derivative():
    found = capture(load(parse_name("small_models:scale")), "scale", train=True)
    assert [sample.name for sample in found.samples] == ["scale_graph1", "scale_forward1", "scale_backward1"]
    backward = found.samples[2]
    assert [meta.original_name for meta in backward.inputs] == ["primals_2", "tangents_1"]
    (gradient, nothing) = build(parse(backward.source))(torch.tensor([3.0, 5.0]), torch.tensor([1.0, 10.0]))
    assert gradient.tolist() == [3.0, 50.0]  # d(x·w)/dw = x, times what comes in
    assert nothing is None
    with pytest.raises(ValueError, match="nothing to differentiate"):
        capture(load(parse_name("small_models:Broken")), "broken", train=True)


def test_indices_and_truth_values_are_kept_exactly_and_the_graph_replays(captured):
    out, _ = captured
    sample, module = built(out / "small_models/lookup")
    assert sample.source.startswith("import torch\nfrom torch import device, inf\n")
    assert sample.inputs[1].data == (3, 0, 3)
    assert sample.inputs[2].data == (True, False, False)
    metas, _ = graph_inputs(parse(sample.source), sample.inputs)
    (rows,) = module(*replay(metas, seed=1))
    assert rows[0].tolist() == [float("-inf")] * 2  # masked
    assert torch.isfinite(rows[1:]).all()
    table = torch.tensor([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [7.0, 8.0]])
    (rows,) = module(table, torch.tensor([3, 0, 3]), torch.tensor([True, False, False]))
    assert rows[1:].tolist() == [[1.5, 1.5], [7.5, 7.5]]  # + (0.5, −0.5)


def test_going_on_skips_what_is_done_and_ends_what_takes_too_long(captured):
    out, _ = captured
    before = (out / "manifest.jsonl").read_text().splitlines()
    _, entries, _ = dataset("capture", *MODELS, "small_models:spins", "--out", out, "--seconds", 1, "--json")
    after = (out / "manifest.jsonl").read_text().splitlines()
    assert after[:-1] == before and len(entries) == len(after), "only the new one was run"
    assert entries[-1]["status"] == "time"
    assert [entry["done_before"] for entry in entries] == [True] * len(MODELS) + [False]
    assert not list(out.glob(".capture-*"))


@pytest.mark.parametrize(
    ("name", "says"),
    [("nowhere/x", "no library that is known"), ("no_such_module", "names no model")],
)
def test_a_name_that_means_nothing_is_refused_before_anything_runs(tmp_path, capsys, name, says):
    assert main(["capture", name, "--out", str(tmp_path / "out")]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "timm", None)
    with pytest.raises(ModelProblem, match="pip install timm"):
        load(parse_name("timm/resnet18"))
    name = parse_name("transformers/bert?num_hidden_layers=2&hidden_act=relu")
    assert name.options == {"num_hidden_layers": 2, "hidden_act": "relu"}
    assert name.folder == "transformers/bert_num_hidden_layers2_hidden_actrelu"
    long = [parse_name(f"transformers/bert?name={'x' * 100}&size={size}").folder for size in (1, 2)]
    assert all(len(folder) == len("transformers/") + 80 for folder in long) and long[0] != long[1]


# What the adapters ask of a library, in its place: none of them is installed where the tests run
class Config(SimpleNamespace):
    def get_text_config(self):
        return self


class AnyModel(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.__dict__.update(options)


def transformers_with(main_input, **config):
    return SimpleNamespace(
        AutoConfig=SimpleNamespace(for_model=lambda name, **options: Config(**{**config, **options})),
        AutoModel=SimpleNamespace(from_config=lambda config: AnyModel(main_input_name=main_input)),
    )


@pytest.mark.parametrize(
    ("library", "name", "shapes"),
    [
        (transformers_with("input_ids", vocab_size=9, is_encoder_decoder=True), "transformers/t5", [(1, 32), (1, 32)]),
        (transformers_with("pixel_values", image_size=(8, 16)), "transformers/vit", [(1, 3, 8, 16)]),
        (transformers_with("pixel_values"), "transformers/resnet?num_channels=1", [(1, 1, 224, 224)]),
        (transformers_with("input_values"), "transformers/hubert", [(1, 16000)]),
        (
            transformers_with(
                "input_features", num_mel_bins=5, max_source_positions=7, vocab_size=2, is_encoder_decoder=1
            ),
            "transformers/whisper",
            [(1, 5, 14), (1, 32)],
        ),
        (
            SimpleNamespace(models=SimpleNamespace(conv_tasnet_base=AnyModel)),
            "torchaudio/conv_tasnet_base",
            [(1, 1, 16000)],
        ),
    ],
)
def test_examples_fit_what_a_model_takes(monkeypatch, library, name, shapes):
    monkeypatch.setitem(sys.modules, name.partition("/")[0], library)
    example = load(parse_name(name))
    assert [tuple(value.shape) for value in (*example.args, *example.kwargs.values())] == shapes


def test_a_model_without_a_known_example_asks_for_a_factory(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", transformers_with("input_boxes"))
    with pytest.raises(ModelProblem, match="'input_boxes', for which no example is known: write a factory"):
        load(parse_name("transformers/some"))
    monkeypatch.setitem(sys.modules, "torchaudio", SimpleNamespace(models=SimpleNamespace(emformer=AnyModel)))
    with pytest.raises(ModelProblem, match="no example is known"):
        load(parse_name("torchaudio/emformer"))
    with pytest.raises(ModelProblem, match="torchaudio has no model 'nothing'"):
        load(parse_name("torchaudio/nothing"))


def test_graph_breaks_are_summed_up_by_reason():
    def entry(*breaks):
        return {"breaks": [{"reason": reason, "count": count, "explanation": ""} for reason, count in breaks]}

    entries = [entry(("print", 1), ("nonzero", 2), ("print", 1)), entry(), entry(("nonzero", 3))]
    assert breaks_by_reason(entries) == [("nonzero", 5, 2), ("print", 2, 1)]
