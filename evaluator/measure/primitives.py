"""What the timers stand on, taken when this module loads: before any submission does.

A submission that patches a clock or an event changes nothing here, and `changed` tells that it tried.
"""

import time
from typing import Any

import torch

synchronize = torch.cuda.synchronize
Event = torch.cuda.Event
CUDAGraph = torch.cuda.CUDAGraph
clock = time.perf_counter_ns
copy_all = torch._foreach_copy_

WATCHED: tuple[tuple[Any, str], ...] = (
    (torch.cuda, "synchronize"),
    (torch.cuda, "Event"),
    (torch.cuda, "CUDAGraph"),
    (torch.cuda, "graph"),
    (torch.cuda, "current_stream"),
    (torch.cuda.Event, "record"),
    (torch.cuda.Event, "synchronize"),
    (torch.cuda.Event, "elapsed_time"),
    (torch.cuda.CUDAGraph, "replay"),
    (time, "perf_counter_ns"),
    (time, "perf_counter"),
    (time, "monotonic"),
    (torch.Tensor, "copy_"),
    (torch.Tensor, "zero_"),
    (torch, "_foreach_copy_"),
    (torch, "allclose"),
)
_BEFORE = tuple(getattr(holder, name, None) for holder, name in WATCHED)


def changed() -> list[str]:
    """Names of primitives that are not any more what they were ("torch.cuda.Event.record")."""
    return [
        f"{_name(holder)}.{name}"
        for (holder, name), before in zip(WATCHED, _BEFORE, strict=True)
        if getattr(holder, name, None) is not before
    ]


def _name(holder: Any) -> str:
    module = getattr(holder, "__module__", "")
    return f"{module}.{holder.__qualname__}" if isinstance(holder, type) else str(holder.__name__)
