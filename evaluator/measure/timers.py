"""Three ways to time one call of a function on a CUDA device, in µs. A number is never shown without its method.

* `e2e`: host clock around one call with the device synchronised before and after. What a user waits for; contains
  Python and launch cost.
* `gpu`: device events around one call. Contains the gaps between launches where the host is slower than the device.
* `graph`: device events recorded *inside* a CUDA graph around a captured call. Free of Python and launch cost, stable
  to under one per cent for kernels of 3 µs.

Before each timed call the L2 cache is flushed by writing a buffer larger than it, so that repeated calls do not time
the cache. `EventTimer` and `GraphTimer` subtract what two adjacent events cost by themselves, measured alike.
"""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from evaluator.measure import primitives
from evaluator.measure.primitives import Event

Call = Callable[[], Any]


class Timer(Protocol):
    """Times one call of the function registered under a name."""

    method: str
    returned: dict[str, Any]  # what the timed call returned last, by name

    def sample(self, name: str) -> float:
        """µs of one call; the cache is cold and the device idle when it starts."""
        ...


class CacheFlush:
    """Evicts the L2 cache by overwriting a buffer four times its size, at least 64 MiB."""

    def __init__(self, device: torch.device) -> None:
        l2 = torch.cuda.get_device_properties(device).L2_cache_size
        self._buffer = torch.empty(max(4 * l2, 64 << 20), dtype=torch.int8, device=device)

    def __call__(self) -> None:
        self._buffer.zero_()


@dataclass
class HostTimer:
    """`e2e` on a CUDA device, or on the CPU where `synchronize` and `flush` do nothing."""

    calls: Mapping[str, Call]
    flush: Callable[[], None]
    synchronize: Callable[[], None]
    clock: Callable[[], int] = field(default=primitives.clock)
    method: str = "e2e"
    returned: dict[str, Any] = field(default_factory=dict)

    def sample(self, name: str) -> float:
        call = self.calls[name]
        self.returned.pop(name, None)
        self.flush()
        self.synchronize()
        start = self.clock()
        returned = call()
        self.synchronize()
        elapsed = self.clock() - start
        self.returned[name] = returned
        return elapsed / 1e3


class EventTimer:
    """`gpu`: the time between two events on the current stream, less the events' own."""

    method = "gpu"

    def __init__(self, calls: Mapping[str, Call], flush: Callable[[], None]) -> None:
        self._calls, self._flush = calls, flush
        self.returned: dict[str, Any] = {}
        self._own = statistics.median(self._between(lambda: None)[0] for _ in range(20))

    def _between(self, call: Call) -> tuple[float, Any]:
        start, end = (Event(enable_timing=True) for _ in range(2))
        self._flush()
        start.record()
        returned = call()
        end.record()
        primitives.synchronize()
        return float(start.elapsed_time(end)) * 1e3, returned

    def sample(self, name: str) -> float:
        self.returned.pop(name, None)
        elapsed, self.returned[name] = self._between(self._calls[name])
        return max(elapsed - self._own, 0.05)


class GraphTimer:
    """`graph`: each replay holds `repeats` × (flush, event, call, event); a sample is the median over the repeats.

    `spoil` overwrites, inside the graph, what a repeat returned before the next one begins: none can leave its work to
    an earlier one. Calls that capture does not allow are in `failed` and can not be sampled.
    """

    method = "graph"

    def __init__(
        self,
        calls: Mapping[str, Call],
        flush: Callable[[], None],
        repeats: int = 5,
        spoil: Callable[[Any], None] = lambda _: None,
    ) -> None:
        self.returned: dict[str, Any] = {}
        self.failed: dict[str, str] = {}  # name → why a CUDA graph can not hold its call
        self._graphs = {}
        for name, call in calls.items():
            try:
                graph, pairs, self.returned[name] = _capture(call, flush, repeats, spoil)
                self._graphs[name] = graph, pairs
            except RuntimeError as error:  # it synchronises, or allocates in a way that capture forbids
                self.failed[name] = f"a CUDA graph can not hold this call: {error}"
        graph, pairs, _ = _capture(lambda: None, flush, repeats, spoil)
        self._own = statistics.median(_replay(graph, pairs) for _ in range(25))

    def sample(self, name: str) -> float:
        return max(_replay(*self._graphs[name]) - self._own, 0.05)


_EventPairs = list[tuple[torch.cuda.Event, torch.cuda.Event]]


def _capture(
    call: Call, flush: Callable[[], None], repeats: int, spoil: Callable[[Any], None]
) -> tuple[torch.cuda.CUDAGraph, _EventPairs, Any]:
    # Warm up on a side stream, as capture asks for: lazy initialisation must not happen inside it.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            call()
    torch.cuda.current_stream().wait_stream(side)
    primitives.synchronize()
    graph, pairs, returned = primitives.CUDAGraph(), [], None
    with torch.cuda.graph(graph):
        for repeat in range(repeats):
            flush()
            # external: the event is recorded by the graph itself, at each replay.
            start, end = (Event(enable_timing=True, external=True) for _ in range(2))
            start.record()
            returned = call()
            end.record()
            pairs.append((start, end))
            if repeat < repeats - 1:
                spoil(returned)
    return graph, pairs, returned


def _replay(graph: torch.cuda.CUDAGraph, pairs: _EventPairs) -> float:
    graph.replay()
    primitives.synchronize()
    return statistics.median(float(start.elapsed_time(end)) * 1e3 for start, end in pairs)
