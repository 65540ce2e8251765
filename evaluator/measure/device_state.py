"""State of a CUDA device while it was measured: clocks, temperature, power, throttling. Read only: never set."""

import contextlib
import ctypes
from dataclasses import dataclass
from typing import Any

#: Bits of NVML's clocksEventReasons that mean the clock was held down, not that the device was idle.
THROTTLE_BITS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}


@dataclass(frozen=True)
class DeviceState:
    """Clocks in MHz, temperature in °C, power in W; None where NVML does not say."""

    sm_clock: int | None
    memory_clock: int | None
    temperature: int | None
    power: float | None
    throttled: tuple[str, ...]


def throttle_reasons(bits: int) -> tuple[str, ...]:
    """Words for NVML's bit mask."""
    return tuple(word for bit, word in THROTTLE_BITS.items() if bits & bit)


def read_state(index: int = 0) -> DeviceState | None:
    """NVML's reading for one device, or None when its Python binding or the driver is missing."""
    try:
        import pynvml  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return None
    for attempt in range(2):
        try:
            pynvml.nvmlInit()
            return _read(pynvml, index)
        except Exception:
            # What the library holds open was closed if this process was forked; it opens it again when it starts anew.
            # Any other failure of a library that only describes the device means "not known", never a failed run.
            if attempt == 0:
                _stop(pynvml)
    return None


def release() -> None:
    """Shut NVML down, however often torch started it here: a fork can only use it when it opens the device itself."""
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return
    for _ in range(1000):
        if library.nvmlShutdown() != 0:  # it is down
            return


def _stop(pynvml: Any) -> None:
    """End the library, however often it was started here and in the process that we were forked from."""
    with contextlib.suppress(Exception):
        for _ in range(8):
            pynvml.nvmlShutdown()


def _read(pynvml: Any, index: int) -> DeviceState:
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    return DeviceState(
        sm_clock=pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
        memory_clock=pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
        temperature=pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
        power=pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
        throttled=throttle_reasons(pynvml.nvmlDeviceGetCurrentClocksEventReasons(handle)),
    )
