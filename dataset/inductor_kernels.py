"""How many kernels Inductor makes of a graph: its own passes, lowering and scheduling run, and no code is generated.

On a CUDA device the count is that of its schedule there. Without one, Triton's scheduler works on the CPU's lowering:
close to what a GPU gets, with the CPU's choices of layouts and split reductions.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._functorch import config as functorch_config
from torch._inductor import compile_fx, config, ir
from torch._inductor.graph import GraphLowering
from torch._inductor.scheduler import BaseSchedulerNode, NopKernelSchedulerNode
from torch._subclasses import FakeTensorMode
from torch.fx import Graph, GraphModule

_NO_LAUNCH = (ir.MultiOutput, ir.AssertScalar, ir.DynamicScalar, ir.DynamicSelectStorageOffset, ir.DynamicSliceSize)


@dataclass(frozen=True)
class Input:
    """A tensor that a graph takes, without its values."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Kernels:
    """`generated` by Inductor, `extern` are calls of operators that it does not generate (a matrix product).

    `light`: nothing but pointwise operations, views and reductions.
    """

    generated: int
    extern: int
    light: bool

    @property
    def total(self) -> int:
        return self.generated + self.extern


class NotLowered(Exception):
    """Inductor does not take the graph; the text says why."""


def count_kernels(graph: Graph, inputs: Sequence[Input], device: str = "cpu") -> Kernels:
    """Kernels of the graph, whose inputs are all on `device`, compiled for inference. Raises NotLowered."""
    found: list[Kernels] = []

    def schedule(lowering: GraphLowering) -> None:
        lowering.init_wrapper_code()
        lowering._update_scheduler()
        found.append(_counted(lowering.scheduler.nodes))

    lowered(graph, inputs, device, schedule)
    return found[0] if found else Kernels(0, 0, True)


def lowered(graph: Graph, inputs: Sequence[Input], device: str, then: Callable[[GraphLowering], None]) -> None:
    """Lower the graph and hand it to `then` in place of generating code. Raises NotLowered.

    `then` is not called where nothing is left to compile: a graph without operators, or of inputs alone.
    """
    with FakeTensorMode():
        values = [torch.empty_strided(one.shape, one.stride, dtype=one.dtype, device=device) for one in inputs]
    module = GraphModule(torch.nn.Module(), graph)
    with _stopping(then), _settings(), torch.no_grad():
        try:
            compile_fx.compile_fx(module, values)
        except _Stopped:
            return
        except Exception as error:
            raise NotLowered(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}") from error


class _Stopped(BaseException):
    """Passes through every handler of Inductor that means errors."""


@contextlib.contextmanager
def _stopping(then: Callable[[GraphLowering], None]) -> Iterator[None]:
    def stop(lowering: GraphLowering) -> None:
        then(lowering)
        raise _Stopped

    original = GraphLowering.compile_to_module
    GraphLowering.compile_to_module = stop  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        GraphLowering.compile_to_module = original  # type: ignore[method-assign]


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Nothing from a cache, nothing into one, no workers; Triton's scheduler wherever the graph is."""
    with (
        config.patch(fx_graph_cache=False, fx_graph_remote_cache=False, compile_threads=1, cpu_backend="triton"),
        functorch_config.patch(enable_autograd_cache=False),
    ):
        yield


def _counted(nodes: Sequence[BaseSchedulerNode]) -> Kernels:
    """Each node is one launch after fusion, but for those that only name a part of a result, or nothing."""
    generated = extern = 0
    light = True
    for node in nodes:
        if isinstance(node, NopKernelSchedulerNode):
            continue
        if node.is_extern():
            extern += _launches(node.node)
            light = light and not _launches(node.node)
        else:
            generated += 1
            light = light and all(_is_light(part.node) for part in node.get_nodes())
    return Kernels(generated, extern, light)


def _launches(node: Any) -> bool:
    if isinstance(node, _NO_LAUNCH):
        return False
    overload = getattr(node, "op_overload", None)
    return not (isinstance(overload, torch._ops.OpOverload) and overload.is_view)


def _is_light(node: Any) -> bool:
    return isinstance(node, ir.ComputedBuffer) and isinstance(node.data, (ir.Pointwise, ir.Reduction))
