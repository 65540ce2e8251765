"""Symbols of small graphs, found by hand, and the tree of their variants."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from dataset.symbolic import Symbol, assignments, resized, shape_variants, symbols
from graphs.samples import Sample, TensorMeta, read_sample, write_sample
from graphs.variants import variant

ROOT = Path(__file__).parents[2]


def sample(lines, *inputs):
    names = ", ".join(meta.name for meta in inputs)
    body = "".join(f"        {line}\n" for line in lines)
    source = f"import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, {names}):\n{body}"
    return Sample("g", source, inputs, graph_net={"subgraph_kind": "fusible"})


def tensor(name, *shape, **more):
    return TensorMeta(name, shape, "float32", mean=0.0, std=1.0, **more)


# x is (batch 1, 6 places, 8 = 2 heads of 4); the code states 6, and 8 as 2·4
HEADS = sample(["y = x.view(1, 6, 2, 4)", "z = y + b", "return (z,)"], tensor("x", 1, 6, 8), tensor("b", 4))


def test_sizes_that_the_graph_leaves_free():
    # 1 (batch) and 6 change in the input and in view; 8 is 2·4 there, and 4 can not change without it
    assert symbols(HEADS) == [Symbol(1, 1), Symbol(6, 1)]
    # two dimensions of a product are tied because they have one size
    product = sample(["y = a @ b", "return (y,)"], tensor("a", 3, 5), tensor("b", 5, 7))
    assert symbols(product) == [Symbol(3, 1), Symbol(5, 1), Symbol(7, 1)]
    # -1 in groups of 4: multiples only
    groups = sample(["y = x.view(-1, 4)", "return (y,)"], tensor("x", 12))
    assert symbols(groups) == [Symbol(12, 12)]
    # the 1 of a broadcast dimension is none
    wide = sample(["y = x + m", "return (y,)"], tensor("x", 6, 3), tensor("m", 6, 1))
    assert symbols(wide) == [Symbol(3, 1), Symbol(6, 1)]


def test_new_sizes_in_inputs_and_code():
    changed = resized(HEADS, {1: 2, 6: 12})
    assert [meta.shape for meta in changed.inputs] == [(2, 12, 8), (4,)]
    assert "x.view(2, 12, 2, 4)" in changed.source
    indices = TensorMeta("i", (3,), "int64", data=(2, 0, 1))
    picked = sample(["y = x[i]", "return (y,)"], tensor("x", 4, 2), indices)
    assert resized(picked, {3: 5}).inputs[1].data == (2, 0, 1, 2, 0)
    assert resized(picked, {3: 2}).inputs[1].data == (2, 0)
    assert resized(picked, {3: 5}).source == picked.source
    scaled = sample(["y = x * 6", "return (y,)"], tensor("x", 6))  # a factor, not a size
    assert resized(scaled, {6: 12}).source == scaled.source


def test_sizes_worth_trying():
    # 3/2 and 1/4 of these are no whole numbers, or no multiples of 12
    tried = list(assignments([Symbol(2, 1), Symbol(12, 12)]))
    assert tried[:4] == [{2: 4}, {12: 24}, {2: 4, 12: 24}, {2: 8}]  # half of 2 is the broadcast 1, of 12 no multiple
    assert {2: 3} in tried and {12: 18} not in tried


def test_variants_say_which_dimensions_are_symbols():
    variants = shape_variants(HEADS, 4)
    assert [sizes for _, sizes in variants] == [{}, {1: 2}, {6: 12}, {1: 2, 6: 12}]
    text = variants[3][0].constraints
    assert "dynamic_dim_constraint_symbol2example_value = {S0: 2, S1: 12}" in text
    assert '([S0, S1, 8], "x"),' in text and '([4], "b"),' in text
    assert len(shape_variants(HEADS, 10)) == 10
    # 3 becomes 6, which is another's size: names go by where a size stood
    product = sample(["y = a @ b", "return (y,)"], tensor("a", 3, 6), tensor("b", 6, 7))
    assert '([S0, S1], "a"),' in shape_variants(product, 2)[1][0].constraints


def test_the_command_writes_the_published_tree(tmp_path):
    # a table that the code makes in float32 meets a float16 input: matmul takes one dtype only
    mixed = sample(["t = torch.ones(6, 5)", "y = x @ t", "return (y,)"], tensor("x", 3, 6))
    write_sample(replace(HEADS, graph_net={}), tmp_path / "in" / "own" / "a_whole_graph")
    write_sample(HEADS, tmp_path / "in" / "own" / "heads")
    write_sample(mixed, tmp_path / "in" / "own" / "mixed")
    command = [sys.executable, "-m", "dataset", "vary", str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    command += ["--variants", "2", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=300)
    heads, other = [json.loads(line) for line in done.stdout.splitlines()]
    assert heads["samples"] == [
        f"fusible/{dtype}/{number}/samples/own/heads"
        for number in (0, 1)
        for dtype in ("float32", "float16", "bfloat16")
    ]
    assert other["samples"] == ["fusible/float32/0/samples/own/mixed", "fusible/float32/1/samples/own/mixed"]
    assert sum(other["left"].values()) == 4 and all("RuntimeError" in why for why in other["left"])
    folder = tmp_path / "out" / "fusible/bfloat16/1/samples/own/heads"
    written = read_sample(folder)
    assert [(meta.shape, meta.dtype) for meta in written.inputs] == [((2, 6, 8), "bfloat16"), ((4,), "bfloat16")]
    assert written.graph_net["shape_variant"] == 1 and written.graph_net["sizes"] == {"1": 2}
    assert written.graph_net["varied_from"] == "own/heads" and written.warnings == ()
    assert (variant(folder).kind, variant(folder).dtype, variant(folder).number) == ("fusible", "bfloat16", "1")
    first = (tmp_path / "out/fusible/float32/0/samples/own/heads/model.py").read_bytes()
    assert first == (tmp_path / "in/own/heads/model.py").read_bytes()
