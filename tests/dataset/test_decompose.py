"""Subgraphs of small graphs, cut by hand."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from dataset.checks import check
from dataset.decompose import DecomposeOptions, decompose
from dataset.decompose_run import MANIFEST, decompose_all
from dataset.fx_samples import NotASample
from dataset.subgraphs import Values, cut, extract, operators
from evaluator.engine.build import build
from graphs.fx_source import parse
from graphs.samples import Sample, TensorMeta, read_sample, write_sample

ROOT = Path(__file__).parents[2]
# Operators:  0 linear  1 relu  2 linear  3 relu  4 size  5 view  6 chunk  7 getitem  8 getitem  9 add
SOURCE = """import torch

class GraphModule(torch.nn.Module):
    def forward(self, x, w):
        a = torch._C._nn.linear(x, w)
        b = torch.relu(a)
        c = torch._C._nn.linear(b, w)
        d = torch.relu(c)
        n = d.size(0)
        e = d.view(n, 2, 2)
        s = e.chunk(2, 2)
        s0 = s[0]
        s1 = s[1]
        f = s0 + s1
        return (f,)
"""
INPUTS = (
    TensorMeta("x", (3, 4), "float32", mean=0.5, std=1.0, original_name="L_x_"),
    TensorMeta("w", (4, 4), "float32", mean=0.0, std=1.0),
)
PARENT = Sample("net", SOURCE, INPUTS, graph_net={"model_name": "net"}, content_hash="h")


def body(sample):
    return [line.split(";")[0].strip() for line in sample.source.splitlines() if "=" in line or "return" in line]


def test_single_operators_with_their_range_and_what_they_really_saw():
    kept = {sample.name: sample for sample, why in decompose(PARENT, DecomposeOptions("single")) if why is None}
    left = {
        sample.name.rpartition("_")[0]: why
        for sample, why in decompose(PARENT, DecomposeOptions("single"))
        if why is not None
    }
    assert left == {
        "net_start4_end5": "gives no tensor",  # size
        "net_start7_end8": "takes a tuple from outside",
        "net_start8_end9": "takes a tuple from outside",
    }
    # both linears and both relus are one subgraph each
    assert list(kept) == [
        "net_start0_end1_0",
        "net_start1_end2_1",
        "net_start5_end6_3",
        "net_start6_end7_4",
        "net_start9_end10_7",
    ]
    linear, relu, view, chunk, add = kept.values()
    assert linear.subgraph_sources == {"net": [[0, 1], [2, 3]]}
    assert relu.subgraph_sources == {"net": [[1, 2], [3, 4]]}
    assert body(view) == ["tmp_0 = in_0.view(3, 2, 2)", "return (tmp_0,)"]  # the size has become a number
    assert body(chunk) == ["tmp_0 = in_0.chunk(2, 2)", "tmp_1 = tmp_0[0]", "tmp_2 = tmp_0[1]", "return (tmp_1, tmp_2)"]
    assert body(add) == ["tmp_0 = in_0 + in_1", "return (tmp_0,)"]
    assert [meta.shape for meta in add.inputs] == [(3, 2, 1), (3, 2, 1)]
    assert all(meta.min_val >= 0 for meta in (*add.inputs, *view.inputs)), "after relu nothing is negative"
    assert relu.inputs[0].min_val < 0
    assert linear.inputs[0].original_name == "x" and relu.inputs[0].original_name == "a"
    assert linear.graph_net == {
        "model_name": "net",
        "subgraph_kind": "single",
        "origin": "net",
        "origin_range": [0, 1],
        "origin_hash": "h",
        "deterministic": True,
    }


def test_classical_folds_what_repeats():
    (window, why), *more = list(decompose(PARENT, DecomposeOptions("classical")))
    # linear relu twice saves 1; s[0], s[1] are single operators
    assert why is None and more == []
    assert window.name == "net_start0_end2_0" and window.subgraph_sources == {"net": [[0, 2], [2, 4]]}
    assert body(window)[0] == "tmp_0 = torch._C._nn.linear(in_0, in_1)"
    x, w = torch.tensor([[1.0, -1.0]]), torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    assert build(parse(window.source))(x, w)[0].tolist() == [[1.0, 0.0]]  # 2 − 1 and 1 − 3


def graph_of(line, *inputs):
    names = ", ".join(meta.name for meta in inputs)
    head = f"import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, {names}):\n"
    source = f"{head}        y = {line}\n        return (y,)\n"
    return Sample("g", source, inputs)


GROWS = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, a, b):
        a += 1
        y = b[a]
        return (y,)
"""


def test_a_sample_must_run_and_give_something_that_depends_on_its_inputs():
    x = TensorMeta("x", (8,), "float32", mean=0.0, std=1.0)
    whole = TensorMeta("x", (3,), "int64", data=(2, 0, 1))
    ones = TensorMeta("x", (4,), "float32", mean=1.0, std=0.0, min_val=1.0, max_val=1.0)
    assert check(graph_of("x + 1", x)).why is None
    assert check(graph_of("x + 1", whole)).why is None
    assert check(graph_of("torch.cumsum(x, 0)", ones)).why is None  # varied, though its input is constant
    assert check(graph_of("x > 1000", x)).why == "an output is the same everywhere"
    assert check(graph_of("torch.log(x * 0 - 1)", x)).why == "an output has no finite value"
    assert check(graph_of("x[9:]", x)).why == "an output is empty"
    assert check(graph_of("torch.arange(4)", x)).why == "does not depend on its inputs"
    assert check(graph_of("torch.matmul(x, torch.zeros(3))", x)).why.startswith("does not run: RuntimeError")
    grows = Sample("g", GROWS, (replace(whole, name="a"), replace(x, name="b", shape=(4,))))
    assert check(grows).why == "writes into an input of whole numbers"  # 2 + 1 is still an index, 3 + 1 is none
    random = check(graph_of("torch.nn.functional.dropout(x, 0.5, True)", x))
    assert (random.why, random.deterministic) == (None, False)


def test_the_command_writes_subgraphs_beside_their_graph_and_replaces_its_own(tmp_path):
    write_sample(PARENT, tmp_path / "own" / "net")
    broken = Sample("broken", SOURCE.replace("chunk(2, 2)", "chunk(2, 7)"), INPUTS)
    write_sample(broken, tmp_path / "own" / "broken")
    (tmp_path / "own/net/_decomposed").mkdir()
    old = Sample("old", SOURCE, INPUTS, graph_net={"subgraph_kind": "classical"})
    write_sample(old, tmp_path / "own/net/_decomposed/old")
    command = [sys.executable, "-m", "dataset", "decompose", str(tmp_path), "--kind", "classical", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=300)
    failed, result = [json.loads(line) for line in done.stdout.splitlines()]
    assert failed["status"] == "failed" and "IndexError" in failed["why"]
    assert result["subgraphs"] == ["own/net/_decomposed/net_start0_end2_0"]
    assert [path.name for path in (tmp_path / "own/net/_decomposed").iterdir()] == ["net_start0_end2_0"]
    sample = read_sample(tmp_path / result["subgraphs"][0])
    assert sample.warnings == () and check(sample).why is None
    assert sample.subgraph_sources == {"net": [[0, 2], [2, 4]]}


def test_what_the_time_for_all_is_too_short_for_is_left_as_it_is(tmp_path):
    write_sample(PARENT, tmp_path / "own" / "net")
    options = DecomposeOptions("classical", workers=2, total_seconds=1e-9)
    assert decompose_all(tmp_path, options) == []
    assert not (tmp_path / MANIFEST).exists() and not (tmp_path / "own/net/_decomposed").exists()


def test_a_range_does_not_take_a_part_of_a_vmap_and_values_inside_have_no_statistics():
    module = build(
        parse("""import torch

class GraphModule(torch.nn.Module):
    def forward(self, x):
        level = torch._C._functorch._vmap_increment_nesting(2, 'error')
        a = torch._C._functorch._add_batch_dim(x, 0, 1)
        b = a + 1
        c = torch._C._functorch._remove_batch_dim(b, 1, 2, 0)
        done = torch._C._functorch._vmap_decrement_nesting()
        d = c * 2
        return (d,)
""")
    )
    values = Values(module)
    (result,) = values.run(torch.tensor([1.0, 2.0]))
    assert result.tolist() == [4.0, 6.0]
    nodes = operators(module)
    assert [node.name for node in nodes if node in values.metas] == ["c", "d"]
    with pytest.raises(NotASample, match="switches a state"):
        extract(nodes[:1], values)
    assert cut(nodes[-1:], values).inputs[0].mean == 2.5  # of 2 and 3
