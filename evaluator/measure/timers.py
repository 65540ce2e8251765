"""Three ways to time one call of a function on a CUDA device, in µs. A number is never shown without its method.

* `e2e`: host clock around one call with the device synchronised before and after. What a user waits for; contains
  Python and launch cost.
* `gpu`: device events around one call. Contains the gaps between launches where the host is slower than the device.
* `graph`: device events recorded *inside* a CUDA graph around captured calls. Free of Python and launch cost, stable
  to a few per cent for kernels of 3 µs.

Before each timed call the L2 cache is flushed by writing a buffer larger than it, so that repeated calls do not time
the cache. `EventTimer` and `GraphTimer` subtract what two adjacent events cost by themselves, measured alike.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from evaluator.measure import primitives
from evaluator.measure.primitives import Event

Call = Callable[[], Any]


class Timer(Protocol):
    """Times one call of the function registered under a name."""

    method: str
    returned: dict[str, list[Any]]  # what the timed calls of the last sample returned, by name

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
    returned: dict[str, list[Any]] = field(default_factory=dict)

    def sample(self, name: str) -> float:
        call = self.calls[name]
        self.returned.pop(name, None)
        self.flush()
        self.synchronize()
        start = self.clock()
        returned = call()
        self.synchronize()
        elapsed = self.clock() - start
        self.returned[name] = [returned]
        return elapsed / 1e3


class EventTimer:
    """`gpu`: the time between two events on the current stream, less the events' own."""

    method = "gpu"

    def __init__(self, calls: Mapping[str, Call], flush: Callable[[], None]) -> None:
        self._calls, self._flush = calls, flush
        self.returned: dict[str, list[Any]] = {}
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
        elapsed, returned = self._between(self._calls[name])
        self.returned[name] = [returned]
        return max(elapsed - self._own, 0.05)


class GraphTimer:
    """`graph`: a replay holds (flush, call, event, calls in a row, event); a sample is the µs of one of that row.

    All calls do the same on inputs of their own: none finds its inputs in the cache or its work done by another, and
    where they happen to lie in memory is nobody's speed. The call before the first event brings the kernels' code into
    the cache; how long that takes differs from process to process. What the two events cost by themselves is measured
    in every replay, too. Calls that capture does not allow are in `failed` and can not be sampled.
    """

    method = "graph"

    def __init__(self, calls: Mapping[str, Sequence[Call]], flush: Callable[[], None]) -> None:
        """The last of a participant's calls is the one before the row, where there are several."""
        self.returned: dict[str, list[Any]] = {}
        self.failed: dict[str, str] = {}  # name → why a CUDA graph can not hold its call
        self._graphs: dict[str, _Graph] = {}
        self._nothing: list[float] = []  # µs between two events with nothing between them
        for name, own in calls.items():
            try:
                self._graphs[name], self.returned[name] = _capture(own, flush)
            except RuntimeError as error:  # it synchronises, or allocates in a way that capture forbids
                self.failed[name] = f"a CUDA graph can not hold this call: {error}"
                _capture([_no_call], flush)  # else torch's random numbers stay with the capture that has failed
        for _ in range(_WARM_REPLAYS):  # until clocks are up, and what nothing costs is known
            for graph in self._graphs.values():
                self._replay(graph)

    def sample(self, name: str) -> float:
        row = self._replay(self._graphs[name])
        return max((row - _middle(self._nothing)) / len(self.returned[name]), 0.05)

    def _replay(self, graph: "_Graph") -> float:
        graph.graph.replay()
        primitives.synchronize()
        self._nothing = [*self._nothing, _microseconds(graph.nothing)][-_MOST_KEPT:]
        return _microseconds(graph.row)


_WARM_REPLAYS = 4
_MOST_KEPT = 100
_EventPair = tuple[torch.cuda.Event, torch.cuda.Event]


@dataclass(frozen=True)
class _Graph:
    graph: torch.cuda.CUDAGraph
    row: _EventPair
    nothing: _EventPair


def _capture(calls: Sequence[Call], flush: Callable[[], None]) -> tuple[_Graph, list[Any]]:
    """The graph, and what the calls of its row return."""
    *row, before = [*calls] if len(calls) > 1 else [*calls, _no_call]
    # Warm up on a side stream, as capture asks for: lazy initialisation must not happen inside it.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            calls[0]()
    torch.cuda.current_stream().wait_stream(side)
    primitives.synchronize()
    graph = primitives.CUDAGraph()
    with torch.cuda.graph(graph):
        nothing, _ = _between([], flush, _no_call)
        pair, returned = _between(row, flush, before)
    return _Graph(graph, pair, nothing), returned


def _between(calls: Sequence[Call], flush: Callable[[], None], before: Call) -> tuple[_EventPair, list[Any]]:
    flush()
    kept = before()  # noqa: F841 (its outputs would be the first of the row's)
    # external: the event is recorded by the graph itself, at each replay.
    start, end = (Event(enable_timing=True, external=True) for _ in range(2))
    start.record()
    returned = [call() for call in calls]
    end.record()
    return (start, end), returned


def _no_call() -> None:
    """Nothing is in the cache but what the flush has left there."""


def _microseconds(pair: _EventPair) -> float:
    return float(pair[0].elapsed_time(pair[1])) * 1e3


def _middle(times: Sequence[float]) -> float:
    """The mean of the middle half: what lies outside is not counted, and events tick too coarsely for a median."""
    cut = len(times) // 4
    return statistics.fmean(sorted(times)[cut : len(times) - cut])
