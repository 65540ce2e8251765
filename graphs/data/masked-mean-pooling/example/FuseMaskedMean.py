"""Masked mean pooling: one kernel instead of five.

Read from top to bottom, press Run, then change something.
"""

import torch
import triton
import triton.language as tl


# 1. WHAT TO LOOK FOR
# The operators of the graph, written in the same way.
# It is traced, never run; arguments stand for any value.
# Return what the rewrite has to produce. A value inside
# that is needed elsewhere has to be returned as well.
def pattern(tokens, mask):
    weighted = tokens * mask
    total = torch.sum(weighted, 1)
    count = mask.sum(1)
    safe_count = torch.clamp(count, min=1e-09)
    return total / safe_count


# 2. WHAT TO HAND OVER
# Takes what the pattern takes; returns what the launcher
# takes. Constants may be among it: (tokens, mask, 1e-09)
def replacement_args(tokens, mask):
    return (tokens, mask)


# 3. THE KERNEL
# Each program computes BLOCK_H columns of one mean.
@triton.jit
def masked_mean_kernel(
    tokens_ptr,
    mask_ptr,
    out_ptr,
    T,
    H,
    BLOCK_T: tl.constexpr,
    BLOCK_H: tl.constexpr,
):
    sentence = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    rows = tl.arange(0, BLOCK_T)

    # Blocks have power-of-two sizes, tensors do not:
    # `inside` keeps every access within the tensor.
    inside = (rows[:, None] < T) & (columns[None, :] < H)
    at = (sentence * T + rows[:, None]) * H + columns[None, :]
    tokens = tl.load(tokens_ptr + at, mask=inside, other=0.0)
    mask = tl.load(mask_ptr + at, mask=inside, other=0.0)
    tokens = tokens.to(tl.float32)
    mask = mask.to(tl.float32)

    # The graph stores each value in its tensors' dtype.
    # Compute in float32 and round where the graph does:
    # then float16 and bfloat16 give its numbers too.
    dtype = out_ptr.dtype.element_ty
    weighted = (tokens * mask).to(dtype).to(tl.float32)
    total = tl.sum(weighted, axis=0).to(dtype).to(tl.float32)
    count = tl.sum(mask, axis=0).to(dtype).to(tl.float32)
    mean = total / tl.maximum(count, 1e-09)
    to = out_ptr + sentence * H + columns
    tl.store(to, mean.to(dtype), mask=columns < H)


# 4. THE LAUNCHER
# Plain Python: allocates the output, starts the kernel.
# It may not compute with torch. `wrap` makes it one node.
@torch.fx.wrap
def masked_mean(tokens, mask):
    B, T, H = tokens.shape
    out = torch.empty(
        (B, H), dtype=tokens.dtype, device=tokens.device
    )
    BLOCK_H = 64
    masked_mean_kernel[(B, triton.cdiv(H, BLOCK_H))](
        tokens.contiguous(),
        mask.contiguous(),
        out,
        T,
        H,
        BLOCK_T=triton.next_power_of_2(T),
        BLOCK_H=BLOCK_H,
    )
    return out


# 5. WHAT TO PUT IN
# Returns the launcher itself, not its result.
def replacement_func():
    return masked_mean
