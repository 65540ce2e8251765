"""A GPU to ask about where there is none.

Honest passes look a device's properties up to choose a grid or a block size, switch to a tensor's device, or
allocate on "cuda". None of it changes a result. Here the questions are answered as by the GPU below, switching does
nothing, and within `cuda_means_cpu()` the word "cuda" means the CPU. `torch.cuda.is_available()` stays False.
"""

from types import SimpleNamespace
from typing import Any, Self

import torch
import triton
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget

# An Ampere data-centre GPU.
NAME = "stand-in for a GPU (kernels are interpreted)"
CAPABILITY = (8, 0)
MULTIPROCESSORS = 108
SHARED_MEMORY = 166_912  # bytes a block may use
MEMORY = 40 << 30

_TORCH_PROPERTIES = SimpleNamespace(
    name=NAME,
    major=CAPABILITY[0],
    minor=CAPABILITY[1],
    total_memory=MEMORY,
    multi_processor_count=MULTIPROCESSORS,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65_536,
    shared_memory_per_block=49_152,
    shared_memory_per_block_optin=SHARED_MEMORY,
    shared_memory_per_multiprocessor=167_936,
    L2_cache_size=40 << 20,
    warp_size=32,
    is_integrated=0,
    is_multi_gpu_board=0,
    gcnArchName="",
)
_TRITON_PROPERTIES = {
    "max_shared_mem": SHARED_MEMORY,
    "max_num_regs": 65_536,
    "multiprocessor_count": MULTIPROCESSORS,
    "warpSize": 32,
    "sm_clock_rate": 1_410_000,
    "mem_clock_rate": 1_215_000,
    "mem_bus_width": 5_120,
}


_IS_CUDA = torch.Tensor.is_cuda.__get__  # type: ignore[attr-defined]


class StandInDriver:
    """What `triton.runtime.driver.active` answers. It can launch nothing: the interpreter never asks it to."""

    def __init__(self) -> None:
        self.utils = SimpleNamespace(get_device_properties=lambda device: dict(_TRITON_PROPERTIES))

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 10 * CAPABILITY[0] + CAPABILITY[1], 32)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        return None

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        return CAPABILITY

    def get_device_interface(self) -> Any:
        return torch.cuda


class _NoSwitch:
    """A block like any other."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.cuda_stream = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def synchronize(self) -> None:
        return None


class _Device(_NoSwitch):
    """`torch.cuda.device(…)`."""


class _Stream(_NoSwitch):
    """`torch.cuda.stream(…)`, and what there is for a stream."""


def install() -> None:
    """Answer for a GPU in Triton and, where torch sees none, in torch.cuda."""
    triton.runtime.driver.set_active(StandInDriver())
    if torch.cuda.is_available():
        return
    # Each an object of its own: Dynamo looks handlers up by the function, and refuses one with two names.
    answers: dict[str, Any] = {
        "get_device_properties": lambda device=None: _TORCH_PROPERTIES,
        "get_device_capability": lambda device=None: CAPABILITY,
        "get_device_name": lambda device=None: NAME,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "current_stream": lambda device=None: _Stream(),
        "default_stream": lambda device=None: _Stream(),
        "device": _Device,
        "stream": _Stream,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)


class cuda_means_cpu(TorchFunctionMode):  # noqa: N801 - read as a phrase in a with statement
    """Context: tensors asked for on "cuda" are made on the CPU, `.cuda()` changes nothing, `.is_cuda` is True."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func == _IS_CUDA:
            return True
        if func is torch.Tensor.cuda:
            return args[0]
        options = {name: _here(value) for name, value in (kwargs or {}).items() if name != "pin_memory"}
        return func(*map(_here, args), **options)


def _here(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and value.split(":")[0] == "cuda" else value
