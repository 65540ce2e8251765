"""Which kernels a call launches: name, count, grid, block, registers, shared memory, duration and the node they serve.

torch.profiler records what ran on the device whatever way it was launched (cudaLaunchKernel, cuLaunchKernel, their Ex
variants, a CUDA graph). Its exported trace is read here as plain JSON: the event list that Python sees lacks geometry.
"""

import json
import statistics
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch.fx import GraphModule, Interpreter, Node

KINDS = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}

#: Prefix of the profiler annotation that carries an FX node's name (see `annotated`).
NODE = "node:"
#: Prefix of the annotation around a call, before the participant's name: what is launched outside is not the call's.
CALL = "passnet call "


@dataclass(frozen=True)
class Kernel:
    """One kernel of a call. `duration` is the median of one launch in µs; shared memory in bytes."""

    name: str
    count: int
    duration: float
    kind: str  # "kernel" | "memcpy" | "memset"
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    registers: int | None = None
    shared_memory: int | None = None
    nodes: tuple[str, ...] = ()  # FX nodes whose call launched it, where the call was annotated


@dataclass(frozen=True)
class KernelDiff:
    """Kernels of eager against a candidate's, by name."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """Kernels of one call, and the µs that the device was busy in each of the profiled calls (the `kernel` method)."""

    kernels: tuple[Kernel, ...]
    times: tuple[float, ...]


def profile_kernels(
    calls: Mapping[str, Callable[[], Any]], flush: Callable[[], None] = lambda: None, repeats: int = 10
) -> dict[str, Profile]:
    """Kernels of one call of each participant on the current CUDA device, in the order of first launch, cold cache."""
    import torch
    from torch.profiler import ProfilerActivity, profile, record_function

    for call in calls.values():
        call()
    torch.cuda.synchronize()
    # What the profiler warns of is no concern of the submission, whose standard error this may be.
    warnings.filterwarnings("ignore", module="torch.profiler")
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as trace:
        for _ in range(repeats):
            for name, call in calls.items():
                flush()
                with record_function(CALL + name):
                    call()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        trace.export_chrome_trace(str(path))
        events = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    return {name: profile_in_trace(events, name, repeats) for name in calls}


class _Annotated(Interpreter):
    def run_node(self, n: Node) -> Any:
        from torch.profiler import record_function

        if n.op in ("placeholder", "output"):
            return super().run_node(n)
        with record_function(NODE + str(n.meta.get("source_name", n.name))):
            return super().run_node(n)


def annotated(module: GraphModule) -> Callable[..., Any]:
    """Runs a module node by node, each under a profiler annotation with its name."""
    return _Annotated(module, garbage_collect_values=True).run


def profile_in_trace(trace: Mapping[str, Any], name: str, repeats: int) -> Profile:
    """What a trace says about one participant."""
    kernels = kernels_in_trace(trace, repeats, CALL + name)
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    launched = {event["args"]["correlation"]: event for event in events if _is_launch(event)}
    calls: list[Mapping[str, Any]] = list(_annotations(events, CALL + name))
    times = [0.0] * len(calls)
    for event in events:
        if event.get("cat") in KINDS and (call := _enclosing(_launch_of(event, launched), calls)) is not None:
            times[calls.index(call)] += float(event["dur"])
    return Profile(kernels, tuple(time for time in times if time > 0))


def kernels_in_trace(trace: Mapping[str, Any], repeats: int, within: str = CALL) -> tuple[Kernel, ...]:
    """Group a Chrome trace's device events by name; counts are per repeat. Annotations `within` limit what counts.

    A kernel belongs to the node whose annotation encloses, on the same thread, the runtime call with its correlation.
    """
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    annotations = [
        event for event in events if event["name"].startswith(NODE) and event.get("cat") == "user_annotation"
    ]
    calls = _annotations(events, within)
    launched = {event["args"]["correlation"]: event for event in events if _is_launch(event)}
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for event in sorted(events, key=lambda event: float(event["ts"])):
        if event.get("cat") in KINDS and (not calls or _enclosing(_launch_of(event, launched), calls)):
            grouped.setdefault((event["name"], KINDS[event["cat"]]), []).append(event)
    return tuple(_kernel(*key, group, repeats, launched, annotations) for key, group in grouped.items())


def _annotations(events: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event for event in events if event["name"] == name and event.get("cat") == "user_annotation"]


def diff(eager: Sequence[Kernel], candidate: Sequence[Kernel]) -> KernelDiff:
    """Compare by name; a kernel that is launched fewer times stays `kept`."""
    before, after = [kernel.name for kernel in eager], [kernel.name for kernel in candidate]
    return KernelDiff(
        removed=tuple(name for name in before if name not in after),
        kept=tuple(name for name in before if name in after),
        new=tuple(name for name in after if name not in before),
    )


def launches(kernels: Sequence[Kernel]) -> int:
    """Kernels launched by one call; copies and memsets are counted apart."""
    return sum(kernel.count for kernel in kernels if kernel.kind == "kernel")


def device_time(kernels: Sequence[Kernel]) -> float:
    """µs the device was busy in one call (the `kernel` method). Copies and memsets are part of the work."""
    return sum(kernel.count * kernel.duration for kernel in kernels)


def _is_launch(event: Mapping[str, Any]) -> bool:
    return event.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in event.get("args", {})


def _kernel(
    name: str,
    kind: str,
    group: list[dict[str, Any]],
    repeats: int,
    launched: Mapping[int, Mapping[str, Any]],
    annotations: Sequence[Mapping[str, Any]],
) -> Kernel:
    arguments = group[0].get("args", {})
    places = (_enclosing(_launch_of(event, launched), annotations) for event in group)
    return Kernel(
        name=name,
        count=max(1, round(len(group) / repeats)),
        duration=statistics.median(float(event["dur"]) for event in group),
        kind=kind,
        grid=tuple(arguments["grid"]) if "grid" in arguments else None,
        block=tuple(arguments["block"]) if "block" in arguments else None,
        registers=arguments.get("registers per thread"),
        shared_memory=arguments.get("shared memory"),
        nodes=tuple(dict.fromkeys(place["name"][len(NODE) :] for place in places if place)),
    )


def _launch_of(event: Mapping[str, Any], launched: Mapping[int, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return launched.get(event.get("args", {}).get("correlation", -1))


def _enclosing(launch: Mapping[str, Any] | None, annotations: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    if launch is None:
        return None
    at = launch["ts"]
    for event in annotations:
        if event.get("tid") == launch.get("tid") and event["ts"] <= at <= event["ts"] + event["dur"]:
            return event
    return None
