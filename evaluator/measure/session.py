"""One measuring session: every participant of one graph, in one process, by each method, on the same inputs."""

import gc
import random
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import Any

import torch

from evaluator.measure import primitives
from evaluator.measure.quiet_host import QuietHost, always
from evaluator.measure.rounds import PRECISION, Precision, Timing, time_in_rounds
from evaluator.measure.timers import CacheFlush, Call, EventTimer, GraphTimer, HostTimer, Timer
from evaluator.measure.values import StaticInputs, verified_rounds

BASELINE, CANDIDATE = "eager", "candidate"

#: What a call may be made through: the FX module or compiled graph itself, or `torch.compile` with its guards.
DIRECT, COMPILED = "direct", "compiled"
#: The published profile's mixture: eager direct, all others compiled. Never shown beside the other two.
PUBLISHED = "published"

#: Called with method, round, copy of the inputs, and outputs of a timed call of the candidate that is to be verified.
Verify = Callable[[str, int, int, Any], None]

_COPIES = 9  # of the inputs, for the calls of one CUDA graph


@dataclass(frozen=True)
class Plan:
    """What to measure. `e2e` comes last: by then the clocks of the device are up."""

    methods: tuple[str, ...] = ("gpu", "graph", "e2e")
    precision: Mapping[str, Precision] = field(default_factory=lambda: PRECISION)  # by "entry method"


@dataclass(frozen=True)
class Measured:
    """One method's timing; `missing` names who could not be timed by it, and why."""

    timing: Timing
    missing: dict[str, str]


def measure(
    participants: Mapping[str, Callable[..., Any]],
    inputs: StaticInputs,
    plan: Plan,
    rng: random.Random,
    *,
    entry: str = DIRECT,
    verify: Verify = lambda *_: None,
) -> list[Measured]:
    """Time all participants (one is "eager") by each method of `plan`.

    Outputs of some timed calls of the candidate, chosen by the inputs' seed, go to `verify` before the next call.
    """
    session = _Session(participants, inputs, plan, rng, entry, verify)
    with without_collector():
        return [session.by(method) for method in plan.methods]


class _Session:
    def __init__(
        self,
        participants: Mapping[str, Callable[..., Any]],
        inputs: StaticInputs,
        plan: Plan,
        rng: random.Random,
        entry: str,
        verify: Verify,
    ) -> None:
        self.participants = participants
        self.calls = {name: bound(run, inputs) for name, run in participants.items()}
        self.inputs, self.plan, self.rng, self.entry, self.verify = inputs, plan, rng, entry, verify
        self.flush = flush_of(inputs.device)
        self.writes = any(map(inputs.are_changed_by, self.calls.values()))
        for _ in range(3):
            for call in self.calls.values():
                call()

    def by(self, method: str) -> Measured:
        timer, missing = self._timer(method)
        names = [name for name in self.calls if name not in missing]
        if BASELINE not in names:
            return Measured(Timing(method, {}), missing)
        key = f"{self.entry} {method}"
        chosen = self._chosen(key)
        refill = partial(self.inputs.refill, key, copies=len(next(iter(timer.returned.values()), [None])))

        def after(number: int, name: str) -> None:
            returned = timer.returned[name]
            if name != CANDIDATE:  # no later call finds a right answer in memory
                self.inputs.spoil(returned)
            elif number in chosen:
                copy = random.Random(f"{self.inputs.seed}/{key}/{number}/copy").randrange(len(returned))
                self.verify(key, number, copy, returned[copy])
            if self.writes:  # the next participant of the round starts from the same values
                refill(number)

        host = (
            QuietHost(self.inputs.device, self.rng) if method == "e2e" and self.inputs.device.type == "cuda" else None
        )
        try:
            timing = time_in_rounds(
                timer,
                names,
                self.plan.precision[key],
                refill=refill,
                rng=self.rng,
                after=after,
                settle=host.settle if host is not None else always,
            )
        finally:
            if host is not None:
                host.leave()
        return Measured(timing, missing)

    def _chosen(self, key: str) -> frozenset[int]:
        limits = self.plan.precision[key]
        rounds = verified_rounds(self.inputs.seed, key, limits.min_rounds)
        return frozenset(takewhile(lambda number: number < limits.max_rounds, rounds))

    def _timer(self, method: str) -> tuple[Timer, dict[str, str]]:
        """The timer, and whom it can not time, with the reason."""
        match method:
            case "e2e":
                return _host(self.calls, self.flush, self.inputs.device), {}
            case "gpu":
                return EventTimer(self.calls, self.flush), {}
            case "graph":
                timer = GraphTimer(on_copies(self.participants, self.inputs), self.flush)
                return timer, timer.failed
        raise ValueError(f"unknown method {method!r}: e2e, gpu and graph are timed in rounds, kernel is profiled")


def in_sequence(
    participants: Mapping[str, Callable[..., Any]], inputs: StaticInputs, warm_ups: int = 25, trials: int = 100
) -> list[Measured]:
    """The published way: one participant after the other, each warmed up, the cache left as the calls leave it."""
    methods = ("e2e",) if inputs.device.type == "cpu" else ("e2e", "gpu")
    samples: dict[str, dict[str, list[float]]] = {method: {} for method in methods}
    with without_collector():
        for name, run in participants.items():
            calls = {name: bound(run, inputs)}
            for _ in range(warm_ups):
                calls[name]()
            for method in methods:
                timer: Timer = _host(calls, _nothing, inputs.device) if method == "e2e" else EventTimer(calls, _nothing)
                samples[method][name] = [timer.sample(name) for _ in range(trials)]
    return [Measured(Timing(method, times), {}) for method, times in samples.items()]


def time_alone(run: Callable[..., Any], inputs: StaticInputs, method: str, samples: int = 8) -> float | None:
    """Median µs of one participant by itself: how the judge checks the runner's eager. None where it can not be."""
    calls, flush = {BASELINE: bound(run, inputs)}, flush_of(inputs.device)
    for _ in range(3):
        calls[BASELINE]()
    timer: Timer = (
        GraphTimer(on_copies({BASELINE: run}, inputs), flush)
        if method == "graph"
        else _host(calls, flush, inputs.device)
    )
    if isinstance(timer, GraphTimer) and timer.failed:
        return None
    return statistics.median(timer.sample(BASELINE) for _ in range(samples))


def bound(run: Callable[..., Any], inputs: StaticInputs) -> Call:
    values = inputs.values
    return lambda: run(*values)


def on_copies(participants: Mapping[str, Callable[..., Any]], inputs: StaticInputs) -> dict[str, list[Call]]:
    """For each participant the calls of one CUDA graph, each on inputs of its own as far as there is room for them."""
    copies = inputs.copies[: inputs.provide(_COPIES)]
    return {name: [partial(run, *values) for values in copies] for name, run in participants.items()}


class without_collector:  # noqa: N801 (used as a function)
    """Python's garbage collector rests within the block: its pauses are nobody's speed."""

    def __enter__(self) -> None:
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()


def flush_of(device: torch.device) -> Callable[[], None]:
    """What makes the cache cold between calls; on a CPU it is left as the calls leave it."""
    return _nothing if device.type == "cpu" else CacheFlush(device)


def _host(calls: Mapping[str, Call], flush: Callable[[], None], device: torch.device) -> HostTimer:
    return HostTimer(calls, flush, _nothing if device.type == "cpu" else primitives.synchronize)


def _nothing() -> None:
    """No flush."""
