"""Which of a model's subgraphs have a faster pass in the library, and what that would be worth to the whole model."""

import importlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node

from evaluator.engine.passes import apply_passes
from evaluator.engine.values import copied
from evaluator.engine.view import source_name
from passnet_runtime.backend import labels, loaded_folders
from passnet_runtime.record import read_record

ROUNDS = 5  # of which each operation's time is the median
METHODS = ("graph", "e2e", "gpu", "kernel")  # whose speed-up is taken: the first that the record has


class BadFactory(ValueError):
    """`module:factory` does not lead to a model and inputs."""


@dataclass(frozen=True)
class Found:
    """One match. `share` is its part of the time of all operations, run eagerly one by one (0 to 1).

    `speedup` is that of the graph that it was verified on, by `method`; None where none was measured on this device.
    """

    graph: int
    pass_name: str
    nodes: tuple[str, ...]
    share: float
    speedup: float | None
    method: str | None


@dataclass(frozen=True)
class Scan:
    """`expected` is the whole model's speed-up over eager, if each match becomes as much faster as recorded.

    It counts time in operations and leaves out what fusing across a match's border would have gained: an estimate.
    """

    graphs: int
    operations: int
    found: tuple[Found, ...]
    left_alone: tuple[str, ...]
    expected: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def model_of(spec: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The model and inputs that `module:factory` gives: a factory returns `(model, inputs)`.

    Imports the module, also from the current folder. Raises BadFactory.
    """
    name, colon, attribute = spec.partition(":")
    if not colon or not name or not attribute:
        raise BadFactory(f"{spec!r}: write module:factory, for example my_models:small_bert")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        factory = getattr(importlib.import_module(name), attribute)
    except (ImportError, AttributeError) as problem:
        raise BadFactory(f"{spec}: {problem}") from problem
    made = factory()
    if not (isinstance(made, tuple) and len(made) == 2 and callable(made[0]) and isinstance(made[1], (tuple, list))):
        raise BadFactory(f"{spec}: the factory has to return (model, inputs), inputs being a tuple")
    return made[0], tuple(made[1])


def scan(model: Callable[..., Any], inputs: Sequence[Any], folders: Sequence[Path]) -> Scan:
    """Run the model once through Dynamo, time its operations eagerly, and look for verified matches."""
    _, loaded, _, gate = loaded_folders(folders, "leave")
    speeds = _recorded(folders)
    found: list[Found] = []
    left: list[str] = []
    times: list[dict[str, float]] = []

    def look(module: GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        asked = len(gate.asked)
        applied = apply_passes(module, loaded, gate)
        calls = [call for call, why in gate.asked[asked:] if why is None]
        names = [name for name, count in applied.per_pass.items() for _ in range(count)]
        mine: dict[str, float] = {}
        times.append(mine)
        number = len(times)
        left.extend(applied.left_alone)
        for call, name, nodes in zip(calls, names, applied.matched_nodes, strict=True):
            method, speedup = speeds.get((call.key(), _here(inputs)), (None, None))
            found.append(Found(number, name, tuple(nodes), 0.0, speedup, method))

        def run(*args: Any) -> Any:
            mine.update(_times(module, args))
            return module(*args)

        return run

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend=look)(*copied(inputs))
    torch._dynamo.reset()
    total = sum(seconds for graph in times for seconds in graph.values())
    told = tuple(_with_share(item, times[item.graph - 1], total) for item in found)
    saved = sum(item.share * (1 - 1 / item.speedup) for item in told if item.speedup)
    expected = 1 / (1 - saved) if any(item.speedup for item in told) else None
    return Scan(len(times), sum(map(len, times)), told, tuple(left), expected)


def _with_share(item: Found, times: dict[str, float], total: float) -> Found:
    spent = sum(times.get(name, 0.0) for name in item.nodes)
    return Found(item.graph, item.pass_name, item.nodes, spent / total if total else 0.0, item.speedup, item.method)


def _recorded(folders: Sequence[Path]) -> dict[tuple[tuple[str, ...], str], tuple[str, float]]:
    """Speed-ups by call and device."""
    found: dict[tuple[tuple[str, ...], str], tuple[str, float]] = {}
    for folder, label in zip(folders, labels(folders), strict=True):
        record = read_record(folder)
        for call in record.calls if record else ():
            for method in METHODS:
                if call.speedup and call.speedup.get(method):
                    key = (label + call.pass_name, *call.key()[1:])
                    found.setdefault((key, call.device), (method, float(call.speedup[method])))
    return found


def _here(inputs: Sequence[Any]) -> str:
    on_gpu = any(isinstance(value, torch.Tensor) and value.is_cuda for value in inputs)
    return torch.cuda.get_device_name() if on_gpu else "cpu"


def _times(module: GraphModule, args: Sequence[Any]) -> dict[str, float]:
    """Median seconds of each operation, run one by one."""
    rounds = [dict(_Timed(module).seconds(copied(args))) for _ in range(ROUNDS)]
    return {name: median(one[name] for one in rounds) for name in rounds[0]}


class _Timed(Interpreter):
    def seconds(self, args: Sequence[Any]) -> Iterator[tuple[str, float]]:
        self.spent: dict[str, float] = {}
        self.run(*args)
        yield from self.spent.items()

    def run_node(self, n: Node) -> Any:
        _wait()
        started = time.perf_counter()
        value = super().run_node(n)
        _wait()
        if n.op.startswith("call_"):
            self.spent[source_name(n)] = time.perf_counter() - started
        return value


def _wait() -> None:
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
