"""Graphs of one rank of several devices: which of their calls talk to the other ranks, and running them without those.

Dynamo writes collectives into a graph as `torch.ops._c10d_functional.…`. They are no operations of the judge: its
harness refuses graphs that need several devices.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch.fx import Graph

_SPACE = "torch.ops._c10d_functional."
_NAMES = frozenset({
    "all_gather_into_tensor", "all_reduce", "all_to_all_single", "broadcast", "reduce_scatter_tensor", "wait_tensor",
})  # fmt: skip


def collective(name: str) -> Callable[..., Any] | None:
    """The collective that a dotted name of a graph stands for, or None."""
    last, _, overload = name.removeprefix(_SPACE).partition(".")
    if not name.startswith(_SPACE) or last not in _NAMES or overload not in ("", "default"):
        return None
    found: Any = getattr(torch.ops._c10d_functional, last)
    return found.default if overload else found  # type: ignore[no-any-return]


def has_collectives(graph: Graph) -> bool:
    return any(str(node.target).startswith("_c10d_functional.") for node in graph.nodes if node.op == "call_function")


def devices_of(graph_net: Mapping[str, Any]) -> int:
    """How many devices a graph needs, as its graph_net.json says; 1 where it says nothing that makes sense."""
    devices = graph_net.get("num_devices_required", 1)
    return devices if isinstance(devices, int) and devices > 1 else 1


@contextmanager
def alone(graph_net: Mapping[str, Any]) -> Iterator[None]:
    """While it lasts a graph of several devices runs here alone: its collectives give the right shapes at once.

    The others' parts are missing: a sum over ranks is this rank's share. Nothing happens for a graph of one device.
    """
    devices = devices_of(graph_net)
    if devices == 1:
        yield
        return
    from torch.testing._internal.distributed.fake_pg import FakeStore

    rank = int(graph_net.get("rank", 0))
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=rank, world_size=devices)
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()
