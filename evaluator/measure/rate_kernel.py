"""The Triton kernel whose arithmetic rate `device_rates` times."""

import triton
import triton.language as tl


@triton.jit
def chain(x_ptr, STEPS: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201, N803
    """Two independent chains of STEPS multiply-adds for each of BLOCK float32 values."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = x
    for _ in range(STEPS):
        x = x * 0.999 + 0.5
        y = y * 0.998 + 0.25
    tl.store(x_ptr + at, x + y)
