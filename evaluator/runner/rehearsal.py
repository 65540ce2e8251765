"""A run in small, in the warm process itself: what torch imports and builds on first use is then shared by all forks.

Without it each judge and each runner would spend most of a second on that. The pass is our own, nothing is isolated.
"""

import contextlib
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial

import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from evaluator.engine.build import build
from evaluator.engine.compare import compare
from evaluator.engine.launches import CandidateCounter, eager_launches
from evaluator.engine.load import LoadedPass
from evaluator.engine.passes import apply_passes
from evaluator.engine.printed import rewritten_source
from evaluator.engine.shapes import described_shapes, node_shapes
from evaluator.runner import processes, seeds
from graphs.fx_source import parse
from graphs.samples import TensorMeta

MODEL = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + in_1
        tmp_1 = torch.nn.functional.relu(tmp_0)
        tmp_2 = tmp_1.sum(1)
        tmp_3 = torch.nn.functional.layer_norm(tmp_1, (4,), None, None, 1e-05)
        return (tmp_2, tmp_3)
"""


def pattern(x, y):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    return torch.nn.functional.relu(x + y)


def replacement_args(x, y):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    return (x, y)


@triton.jit
def _kernel(x_ptr, y_ptr, out_ptr, n, block: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    at = tl.arange(0, block)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    y = tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, tl.maximum(x + y, 0.0), mask=at < n)


def launcher(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    _kernel[(1,)](x, y, out, x.numel(), block=16)
    return out


def own_pass() -> LoadedPass:
    """The pass of the rehearsal."""
    return LoadedPass("rehearsal", "rehearsal.py", pattern, replacement_args, launcher, sys.modules[__name__])


def rehearse(device: str) -> None:
    """Do what judge and runner do to a graph. Off the CPU nothing is launched: CUDA must not start before a fork."""
    graph = parse(MODEL)
    with torch.no_grad():
        for dtype in (torch.float32, torch.float16):
            module, inputs = build(graph), [torch.ones(2, 4, dtype=dtype), torch.ones(2, 4, dtype=dtype)]
            expected = module(*inputs)
            eager_launches(module, inputs)
            node_shapes(module, inputs)
            rewritten = apply_passes(module, (own_pass(),)).module
            rewritten_source(rewritten)
            if device == "cpu":
                with CandidateCounter():
                    compare(expected, rewritten(*inputs))


def rehearse_describing() -> None:
    """What describing a graph takes for the first time. Tensors that pretend import Dynamo, which takes a second."""
    described_shapes(build(parse(MODEL)), [TensorMeta(name, (2, 4), "float32") for name in ("in_0", "in_1")])


def rehearse_measuring(capability: int, modules: Sequence[str]) -> None:
    """What measuring on a GPU of this capability (90 for 9.0) takes for the first time, as far as it needs no device.

    `modules` were imported where Inductor compiled something on the device. All of it happens in a fork first: where
    that starts CUDA, it is left out, for this process could not be forked any more.
    """
    work = partial(_rehearse_measuring, capability, modules)
    if processes.start(partial(_end_badly_with_cuda, work)).wait().code == 0:
        work()


def _rehearse_measuring(capability: int, modules: Sequence[str]) -> None:
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    with contextlib.suppress(Exception):
        from torch._inductor.codecache import torch_key

        torch_key()  # reads all of torch's source, once a process
    types = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "block": "constexpr"}
    with seeds.fresh_caches(), contextlib.suppress(Exception):
        triton.compile(ASTSource(_kernel, types, {"block": 16}), target=GPUTarget("cuda", capability, 32))


def _end_badly_with_cuda(work: Callable[[], None]) -> None:
    work()
    if torch.cuda.is_initialized():
        raise RuntimeError("what measuring needs can not be rehearsed here: it would start CUDA")


def first_launch(device: str) -> None:
    """Start CUDA in this process and launch a kernel of our own: what that takes is no submission's time."""
    with contextlib.suppress(Exception):  # a device that fails is found out by the canary, or by the first call
        launcher(*(torch.ones(2, 4, device=device) for _ in range(2)))
        torch.cuda.synchronize()
        torch.cuda.device_count()  # remembered from here on, whatever NVML says of it in a fork
