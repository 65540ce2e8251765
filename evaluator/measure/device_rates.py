"""Measures a CUDA device's bandwidth, arithmetic rates and launch cost: under a second, once, when a worker starts."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

from evaluator.measure.roofline import DeviceRates
from evaluator.measure.timers import CacheFlush, EventTimer, GraphTimer, HostTimer

GIB = 1 << 30


def device_rates(device: torch.device) -> DeviceRates:
    """Rates of `device`. Flags that trade precision for speed (TF32) are as the evaluator pins them."""
    nothing: Callable[[], None] = lambda: None  # noqa: E731
    matmul = {str(dtype).removeprefix("torch."): _matmul_rate(dtype, device) for dtype in _MATMUL_SIZES}
    tiny = torch.zeros(1, device=device)
    add: Callable[[], Any] = lambda: tiny.add_(1)  # noqa: E731
    flush = CacheFlush(device)
    synchronised = HostTimer({"add": add}, nothing, torch.cuda.synchronize)
    return DeviceRates(
        bandwidth=_bandwidth(device),
        matmul_rate=matmul,
        vector_rate=_vector_rate(device),
        launch_host=_queue_cost(add),
        launch_synchronised=_median(synchronised, "add", 200),
        kernel_minimum=_median(GraphTimer({"add": [add] * 9}, flush), "add", 10),
    )


_MATMUL_SIZES = {torch.float32: 4096, torch.float16: 8192, torch.bfloat16: 8192}


def _median(timer: HostTimer | EventTimer | GraphTimer, name: str, samples: int = 10) -> float:
    timer.sample(name)
    return statistics.median(timer.sample(name) for _ in range(samples))


def _bandwidth(device: torch.device) -> float:
    """Bytes a µs, read and written, of a copy far larger than the cache."""
    source = torch.empty(GIB, dtype=torch.int8, device=device)
    target = torch.empty_like(source)
    return 2 * GIB / _median(EventTimer({"copy": lambda: target.copy_(source)}, lambda: None), "copy")


def _matmul_rate(dtype: torch.dtype, device: torch.device) -> float:
    n = _MATMUL_SIZES[dtype]
    a, b = (torch.randn(n, n, device=device, dtype=dtype) for _ in range(2))
    return 2.0 * n**3 / _median(EventTimer({"mm": lambda: a @ b}, lambda: None), "mm", 5)


def _vector_rate(device: torch.device) -> float:
    """float32 operations a µs: a long chain of fused multiply-adds per element, compiled into one kernel."""
    from evaluator.measure.rate_kernel import chain

    block, steps, programs = 1024, 512, 132 * 32
    values = torch.randn(block * programs, device=device)

    def call() -> None:
        chain[(programs,)](values, STEPS=steps, BLOCK=block)

    return 4.0 * steps * block * programs / _median(EventTimer({"chain": call}, lambda: None), "chain", 5)


def _queue_cost(call: Callable[[], Any], calls: int = 200) -> float:
    """Host µs to queue one operator: many in a row without waiting, fewer than the queue holds."""
    call()  # the first one loads the kernel
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    queued = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    return queued / calls / 1e3
