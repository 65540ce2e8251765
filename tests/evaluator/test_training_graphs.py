"""Graphs of training (forward and backward) are judged like any other; other frameworks and several devices are not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from graphs.samples import Sample, TensorMeta, write_sample

PROJECT = Path(__file__).parents[2]

HEAD = "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
FORWARD = (
    HEAD
    + """\
    def forward(self, primals_1, primals_2, primals_3):
        native_layer_norm = torch.ops.aten.native_layer_norm.default(primals_1, [8], primals_2, primals_3, 1e-05)
        getitem = native_layer_norm[0]
        getitem_1 = native_layer_norm[1]
        getitem_2 = native_layer_norm[2];  native_layer_norm = None
        return (getitem, primals_1, primals_2, getitem_1, getitem_2)
"""
)
BACKWARD = (
    HEAD
    + """\
    def forward(self, primals_1, primals_2, primals_3, getitem_1, getitem_2, tangents_1):
        norm_backward = OPERATOR(tangents_1, primals_1, [8], getitem_1, getitem_2, primals_2, primals_3, ALL)
        getitem_3 = norm_backward[0]
        getitem_4 = norm_backward[1]
        getitem_5 = norm_backward[2];  norm_backward = None
        return (getitem_3, getitem_4, getitem_5)
""".replace("OPERATOR", "torch.ops.aten.native_layer_norm_backward.default").replace("ALL", "[True, True, True]")
)

PASS = """
import torch
import triton
import triton.language as tl


def pattern(grad, x, mean, rstd, weight, bias):
    wanted = [True, True, True]
    found = torch.ops.aten.native_layer_norm_backward.default(grad, x, [8], mean, rstd, weight, bias, wanted)
    return found[0], found[1], found[2]


def replacement_args(grad, x, mean, rstd, weight, bias):
    return (grad, x, mean, rstd, weight)


@triton.jit
def backward_kernel(
    grad_ptr, x_ptr, mean_ptr, rstd_ptr, w_ptr, dx_ptr, dw_ptr, db_ptr, rows: tl.constexpr, n: tl.constexpr
):
    row, column = tl.arange(0, rows), tl.arange(0, n)
    at = row[:, None] * n + column[None, :]
    grad, x = tl.load(grad_ptr + at), tl.load(x_ptr + at)
    mean, rstd = tl.load(mean_ptr + row)[:, None], tl.load(rstd_ptr + row)[:, None]
    scaled = grad * tl.load(w_ptr + column)[None, :]
    both = tl.sum(scaled * x, axis=1)[:, None]
    alone = tl.sum(scaled, axis=1)[:, None]
    slope = (alone * mean - both) * rstd * rstd * rstd / n
    tl.store(dx_ptr + at, rstd * scaled + slope * x - slope * mean - alone * rstd / n)
    tl.store(dw_ptr + column, tl.sum(grad * (x - mean) * rstd, axis=0))
    tl.store(db_ptr + column, tl.sum(grad, axis=0))


@torch.fx.wrap
def backward(grad, x, mean, rstd, weight):
    dx, dw, db = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)
    backward_kernel[(1,)](grad, x, mean, rstd, weight, dx, dw, db, rows=x.shape[0], n=x.shape[1])
    return dx, dw, db


def replacement_func():
    return backward
"""

FORWARD_PASS = """
import torch
import triton
import triton.language as tl


def pattern(x, weight, bias):
    found = torch.ops.aten.native_layer_norm.default(x, [8], weight, bias, 1e-05)
    return found[0], found[1], found[2]


def replacement_args(x, weight, bias):
    return (x, weight, bias)


@triton.jit
def forward_kernel(x_ptr, w_ptr, b_ptr, out_ptr, mean_ptr, rstd_ptr, n: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, n)
    x = tl.load(x_ptr + row * n + column)
    mean = tl.sum(x, axis=0) / n
    rstd = 1.0 / tl.sqrt(tl.sum((x - mean) * (x - mean), axis=0) / n + 1e-05)
    out = (x - mean) * rstd * tl.load(w_ptr + column) + tl.load(b_ptr + column)
    tl.store(out_ptr + row * n + column, out)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@torch.fx.wrap
def forward(x, weight, bias):
    out = torch.empty_like(x)
    mean = torch.empty((x.shape[0], 1), dtype=x.dtype, device=x.device)
    rstd = torch.empty((x.shape[0], 1), dtype=x.dtype, device=x.device)
    forward_kernel[(x.shape[0],)](x, weight, bias, out, mean, rstd, n=x.shape[1])
    return out, mean, rstd


def replacement_func():
    return forward
"""


def meta(name, shape, mean=0.0, std=5.0):
    return TensorMeta(name, shape, "float32", mean=mean, std=std)


def sample(name, source, inputs, **graph_net):
    return Sample(name, source, tuple(inputs), graph_net={"framework": "torch", "num_devices_required": 1, **graph_net})


X, W, B = meta("primals_1", (4, 8)), meta("primals_2", (8,), mean=1.0), meta("primals_3", (8,))


def whole(name, shape, values):
    """Small whole numbers, with which a gradient is exact in whatever order it is summed."""
    count = torch.Size(shape).numel()
    data = tuple(float(values[index % len(values)]) for index in range(count))
    return TensorMeta(name, shape, "float32", mean=0.0, std=1.0, data=data)


BACKWARD_INPUTS = [
    whole("primals_1", (4, 8), (1, -2, 0, 3, 2)),
    whole("primals_2", (8,), (1, 2, -1)),
    whole("primals_3", (8,), (0, 1)),
    whole("getitem_1", (4, 1), (1, 0, -1)),
    whole("getitem_2", (4, 1), (2, 1)),
    whole("tangents_1", (4, 8), (1, 0, 2, -1, 3, 1, -2)),
]


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """graph → its result, judged by the command line."""
    root = tmp_path_factory.mktemp("training")
    samples = [
        sample("forward", FORWARD, [X, W, B]),
        sample("backward", BACKWARD, BACKWARD_INPUTS),
        sample("two_devices", FORWARD, [X, W, B], num_devices_required=2),
        sample("paddle", "import paddle\n\nclass GraphModule(paddle.nn.Layer):\n    pass\n", [X], framework="paddle"),
    ]
    for one in samples:
        write_sample(one, root / "task" / one.name)
    (root / "task" / "graph_list.txt").write_text("".join(f"{one.name}\n" for one in samples))
    folder = root / "pass_dir"
    folder.mkdir()
    (folder / "FuseForward.py").write_text(FORWARD_PASS)
    (folder / "FuseBackward.py").write_text(PASS)
    (folder / "sorted_output_pass_rule_names.json").write_text('["FuseForward", "FuseBackward"]')
    done = subprocess.run(
        [sys.executable, "-m", "evaluator", "run", str(root / "task"), str(folder), "--json"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["verdict"] == "clean" and result["findings"] == []
    return result["graphs"]


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_forward_and_backward_are_judged(graphs, name):
    graph = graphs[name]
    assert (graph["status"], graph["matches"]) == ("correct", 1), graph["message"]
    assert graph["launches"] == {"eager": 1, "candidate": 1}


def test_several_devices_are_refused(graphs):
    graph = graphs["two_devices"]
    assert graph["status"] == "eager_fail"
    assert "needs 2 devices (num_devices_required)" in graph["message"]


def test_another_framework_is_listed_and_not_run(graphs):
    graph = graphs["paddle"]
    assert graph["status"] == "eager_fail"
    assert "graph of paddle" in graph["message"] and "can not be run here" in graph["message"]
