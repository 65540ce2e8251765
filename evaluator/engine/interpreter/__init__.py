"""Triton's interpreter, made fit to judge with: what is wrong or missing there on a machine without a GPU.

`enable()` once per process, before any submission is loaded. It adds, each in a file of its own:

* `autotune`: a stand-in for the benchmark of `triton.autotune` (there is no clock worth asking);
* `bfloat16`: arithmetic, comparisons, sums and rounding of bfloat16 (the interpreter calculates with its bit patterns);
* `device`: the properties of a GPU to ask about, and "cuda" for the CPU within `cuda_means_cpu()`;
* `bounds`: a load outside every buffer of the launch gives NaN, a store raises (instead of a crash of the process);
* `libdevice`: the functions of CUDA's device library;
* `numbers_first`: the larger or smaller of a NaN and a number (NaN in Triton 3.6);
* `scalars`: a kernel's argument as the bound of a loop;
* `uncompilable`: what the compiler refuses in a kernel's text and the interpreter lets pass;
* `launch`: who is being interpreted right now, and a place to listen for launches.

Nothing here is used where kernels are compiled for a GPU.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from evaluator.engine.interpreter import (
    autotune,
    bfloat16,
    bounds,
    device,
    launch,
    libdevice,
    numbers_first,
    scalars,
    standard,
    uncompilable,
)
from evaluator.engine.interpreter.device import cuda_means_cpu
from evaluator.engine.interpreter.launch import Launch, listen, running

__all__ = ["Launch", "cuda_means_cpu", "enable", "here", "is_enabled", "listen", "running"]

_enabled = False


def is_enabled() -> bool:
    """True where kernels are interpreted."""
    return _enabled


def here() -> AbstractContextManager[Any]:
    """Context for code of a submission: `cuda_means_cpu()` where kernels are interpreted, else nothing.

    Not for tracing a pattern: the devices that it names are those of the captured graph.
    """
    return cuda_means_cpu() if _enabled else nullcontext()


def enable() -> None:
    """Interpret every kernel that is decorated from now on in this process (and in those it forks). Idempotent."""
    global _enabled
    if _enabled:
        return
    os.environ["TRITON_INTERPRET"] = "1"  # read by triton.jit when a kernel is decorated
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # its default, said aloud: else Triton warns once
    standard.reinterpret()
    for part in (autotune, numbers_first, bfloat16, bounds, device, libdevice, scalars, uncompilable, launch):
        part.install()
    _enabled = True
