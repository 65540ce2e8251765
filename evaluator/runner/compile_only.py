"""Triton without a device: kernels that are launched are compiled for a GPU's capability, and nothing else happens.

What is compiled lies in Triton's cache afterwards, where a process that does have the device finds it. Once enabled
there is no way back: for a process of its own (`forerunner.py`).
"""

import contextlib
import threading
from collections.abc import Mapping
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver as nvidia
from triton.runtime import autotuner, build, jit

_WARP = 32
_stubs: set[tuple[str, ...]] = set()
_threads: list[threading.Thread] = []


class _NoDevice:
    """What Triton asks of a driver before it launches."""

    def __init__(self, capability: int) -> None:
        self._target = GPUTarget("cuda", capability, _WARP)

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _: int) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("meta")


def enable(capability: int) -> None:
    """From now on this process compiles for a GPU of this capability (90 for 9.0), and launches nothing."""
    triton.runtime.driver.set_active(_NoDevice(capability))
    run = jit.JITFunction.run

    def compiled(self: Any, *args: Any, grid: Any, warmup: bool, **keywords: Any) -> Any:
        return run(self, *args, grid=grid, warmup=True, **keywords)

    jit.JITFunction.run = compiled
    autotuner.Autotuner.run = _every_configuration
    triton.knobs.runtime.jit_cache_hook = _about_to_compile


def finish() -> None:
    """Wait for what is still being compiled."""
    for thread in _threads:
        thread.join()


def _every_configuration(self: Any, *args: Any, **keywords: Any) -> None:
    """Compile all that the tuner may choose from, from the last to the first: its own process begins at the other end.

    Whatever it does before a launch (hooks, pruning) concerns values, of which there are none.
    """
    for configuration in reversed(self.configs):
        with contextlib.suppress(Exception):
            self.fn.run(*args, **keywords, **configuration.all_kwargs())


def _about_to_compile(**said: Any) -> bool:
    """Have the C stub that launches such a kernel compiled meanwhile; False: go on."""
    with contextlib.suppress(Exception):
        signature = said["compile"]["signature"]
        types = tuple(map(str, signature.values()))
        if types not in _stubs and hasattr(nvidia, "make_launcher"):  # newer Tritons need no stubs
            _stubs.add(types)
            _threads.append(threading.Thread(target=_compile_stub, args=(dict(signature),)))
            _threads[-1].start()
    return False


def _compile_stub(signature: Mapping[Any, Any]) -> None:
    with contextlib.suppress(Exception):
        build.compile_module_from_src(
            src=nvidia.make_launcher({}, signature, None),
            name="__triton_launcher",
            library_dirs=nvidia.library_dirs(),
            include_dirs=nvidia.include_dirs,
            libraries=nvidia.libraries,
        )
