"""A small task, and passes for it."""

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.samples import Sample, TensorMeta, hash_source
from submissions.files import ORDER_FILE

SOURCE = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = torch.nn.functional.relu(in_0)
        tmp_1 = tmp_0 * 2
        tmp_2 = tmp_1 + in_1
        return (tmp_2,)
"""
PASS = """\
import torch
import triton
import triton.language as tl


def pattern(x):
    y = torch.nn.functional.relu(x)
    return y * 2


def replacement_args(x):
    return (x,)


@triton.jit
def kernel(x_pointer, out_pointer, count, block: tl.constexpr):
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    inside = offsets < count
    x = tl.load(x_pointer + offsets, mask=inside)
    tl.store(out_pointer + offsets, tl.maximum(x, 0.0) * 2, mask=inside)


def launcher(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), block=64)
    return out


def replacement_func():
    return launcher
"""
FILES = {"Relu.py": PASS, ORDER_FILE: '["Relu"]\n'}


def store_task(slug="doubled-relu", source=SOURCE, example=None):
    graphs = []
    for name, dtype in (("f32", "float32"), ("f16", "float16")):
        inputs = tuple(TensorMeta(key, (4, 6), dtype, "cpu", 0.0, 1.0) for key in ("in_0", "in_1"))
        sample = Sample(name, source, inputs, graph_net={"framework": "torch"}, content_hash=hash_source(source))
        graphs.append((name, do_store_graph(sample, "model.py")))
    return do_store_task(slug, TaskText(slug, "A task of two graphs."), graphs, example or {}, "shipped")[0]
