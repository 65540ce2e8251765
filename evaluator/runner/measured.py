"""What a runner answers to a request `measure`, checked like its other answers (`answers.py`)."""

import math
from dataclasses import dataclass
from typing import Any

from evaluator.measure.kernels import KINDS, Kernel, Profile
from evaluator.runner.protocol import ProtocolError

_MAX_SAMPLES = 10_000
_MAX_KERNELS = 20_000
_MAX_TEXT = 4_000
_MOST_COPIES = 1_000  # of the inputs of a round
_NAMES = frozenset({"direct", "compiled", "published"})
_METHODS = frozenset({"e2e", "gpu", "graph"})


@dataclass(frozen=True)
class Samples:
    """µs of every timed call, by participant; all lists of one method are equally long. `missing`: who, and why."""

    entry: str
    method: str
    samples: dict[str, list[float]]
    missing: dict[str, str]


@dataclass(frozen=True)
class Answer:
    timed: list[Samples]
    missing: dict[str, str]  # baselines that could not be had
    compile_seconds: dict[str, float]
    verified: list[tuple[str, int, int]]  # "direct e2e", the round and the copy, in the order of the outputs
    memory: dict[str, int | None]
    profiles: dict[str, Profile]
    profile_problem: str | None
    changed: list[str]  # timing primitives and precision flags that the submission has changed


def answer(value: dict[str, Any], participants: frozenset[str]) -> Answer:
    """Raises ProtocolError, KeyError, TypeError or ValueError for what the runner's own code would never say."""
    profile = _object(value["profile"])
    return Answer(
        timed=[_samples(item, participants) for item in _list(value["timed"], 8)],
        missing=_texts(value["missing"], participants),
        compile_seconds={_known(k, participants): _number(v) for k, v in _object(value["compile_seconds"]).items()},
        verified=[
            (_text(method), _count(number), min(_count(copy), _MOST_COPIES))
            for method, number, copy in _list(value["verified"], 1000)
        ],
        memory={
            _known(name, participants): None if size is None else _count(size)
            for name, size in _object(value["memory"]).items()
        },
        profiles={
            _known(name, participants): _profile(_object(one)) for name, one in _object(profile["participants"]).items()
        },
        profile_problem=None if profile["problem"] is None else _text(profile["problem"]),
        changed=[_text(item) for item in _list(value["changed"], 100)],
    )


def _samples(value: Any, participants: frozenset[str]) -> Samples:
    entry, method = _known(_object(value)["entry"], _NAMES), _known(value["method"], _METHODS)
    samples = {
        _known(name, participants): [_number(one) for one in _list(times, _MAX_SAMPLES)]
        for name, times in _object(value["samples"]).items()
    }
    if len({len(times) for times in samples.values()}) > 1 or not all(map(min, samples.values())):
        raise ProtocolError("timings that are no timings")
    return Samples(entry, method, samples, _texts(value["missing"], participants))


def _profile(value: dict[str, Any]) -> Profile:
    times = tuple(_number(one) for one in _list(value["times"], _MAX_SAMPLES))
    return Profile(tuple(_kernel(_object(one)) for one in _list(value["kernels"], _MAX_KERNELS)), times)


def _kernel(value: dict[str, Any]) -> Kernel:
    return Kernel(
        name=_text(value["name"]),
        count=_count(value["count"]),
        duration=_number(value["duration"]),
        kind=_known(value["kind"], frozenset(KINDS.values())),
        grid=_sizes(value["grid"]),
        block=_sizes(value["block"]),
        registers=None if value["registers"] is None else _count(value["registers"]),
        shared_memory=None if value["shared_memory"] is None else _count(value["shared_memory"]),
        nodes=tuple(_text(node) for node in _list(value["nodes"], 1000)),
    )


def _sizes(value: Any) -> tuple[int, ...] | None:
    return None if value is None else tuple(_count(size) for size in _list(value, 3))


def _texts(value: Any, known: frozenset[str]) -> dict[str, str]:
    return {_known(name, known): _text(text) for name, text in _object(value).items()}


def _known(value: Any, known: frozenset[str]) -> str:
    if value not in known:
        raise ProtocolError("a name that was not asked for")
    return str(value)


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise ProtocolError("something else where a time belongs")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise ProtocolError("something else where a count belongs")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ProtocolError("something else where a text belongs")
    return value[:_MAX_TEXT]


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ProtocolError("something else where a list belongs")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > 1000:
        raise ProtocolError("something else where an object belongs")
    return value
