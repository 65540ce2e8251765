"""The roofline floor of a graph on a device, and a small cost model that says what dominates.

floor = max(bytes that must be touched once / bandwidth, operations / rate), with bandwidth and rates measured on that
device at start (`device_rates`), never taken from a data sheet.
"""

from dataclasses import dataclass
from typing import Literal

from evaluator.measure.traffic import Traffic

Bound = Literal["memory", "arithmetic", "launch"]


@dataclass(frozen=True)
class DeviceRates:
    """What one device reaches: bytes/µs, operations/µs, and the µs that launching costs."""

    bandwidth: float
    matmul_rate: dict[str, float]  # by dtype name; 2 operations a multiply-add
    vector_rate: float  # float32 operations outside the matrix units
    launch_host: float  # host µs one eager operator costs from Python to the queue
    launch_synchronised: float  # e2e µs of the smallest possible call
    kernel_minimum: float  # device µs of an empty kernel inside a CUDA graph


@dataclass(frozen=True)
class Floor:
    """The least time a perfect fused kernel could take, in µs, cold cache, and which term sets it."""

    memory: float
    arithmetic: float

    @property
    def total(self) -> float:
        return max(self.memory, self.arithmetic)


@dataclass(frozen=True)
class CostModel:
    """Where eager's time goes and what a perfect fused kernel would gain (eager / perfect), by method."""

    bound: Bound
    launch: float
    memory: float
    arithmetic: float
    perfect_gain: dict[str, float]


def floor(work: Traffic, rates: DeviceRates, dtype: str) -> Floor:
    """Floor of a graph whose matrix products run in `dtype` ("float16"); an unmeasured dtype takes float32's rate."""
    matmul_rate = rates.matmul_rate.get(dtype, rates.matmul_rate["float32"])
    arithmetic = work.matmul_operations / matmul_rate + work.other_operations / rates.vector_rate
    return Floor(memory=work.bytes / rates.bandwidth, arithmetic=arithmetic)


def cost_model(least: Floor, rates: DeviceRates, eager_launches: int, eager: dict[str, float]) -> CostModel:
    """`eager` holds eager's median µs by method; `eager_launches` its kernels per call."""
    launch = eager_launches * rates.launch_host
    terms: dict[Bound, float] = {"launch": launch, "memory": least.memory, "arithmetic": least.arithmetic}
    perfect = {
        "e2e": max(rates.launch_synchronised, least.total),
        "gpu": max(rates.kernel_minimum, least.total),
        "graph": max(rates.kernel_minimum, least.total),
        "kernel": max(rates.kernel_minimum, least.total),
    }
    gain = {method: time / perfect[method] for method, time in eager.items() if method in perfect}
    return CostModel(max(terms, key=lambda name: terms[name]), launch, least.memory, least.arithmetic, gain)
