"""One kernel for all three shapes; the passes bring the sizes."""

import torch
import triton
import triton.language as tl


@triton.jit
def thirds(ptr, at, PART: tl.constexpr, CACHED: tl.constexpr):
    # A width of 96, 192 or 384 is three powers of two: no lane of a program is idle, and no column needs a mask.
    one = tl.load(ptr + at, eviction_policy=CACHED).to(tl.float32)
    two = tl.load(ptr + at + PART, eviction_policy=CACHED).to(tl.float32)
    three = tl.load(ptr + at + 2 * PART, eviction_policy=CACHED).to(tl.float32)
    return one, two, three


@triton.jit
def roll_norm_kernel(
    bias_ptr, gain_ptr, residual_ptr, map_ptr, sum_ptr, norm_ptr,
    SIDE: tl.constexpr, KEPT: tl.constexpr, PART: tl.constexpr, SHIFT: tl.constexpr, EPS: tl.constexpr,
    ROWS: tl.constexpr, READ: tl.constexpr, WRITTEN: tl.constexpr,
):  # fmt: skip
    # ROWS divides KEPT, so that a program stays in one line of the map.
    width: tl.constexpr = 3 * PART
    row = tl.program_id(0) * ROWS
    y, x = row // KEPT, row % KEPT + tl.arange(0, ROWS)
    from_y = tl.where(y < SHIFT, y + (SIDE - SHIFT), y - SHIFT)
    from_x = tl.where(x < SHIFT, x + (SIDE - SHIFT), x - SHIFT)
    column = tl.arange(0, PART)
    at = (row + tl.arange(0, ROWS))[:, None] * width + column[None, :]
    source = (from_y * SIDE + from_x)[:, None] * width + column[None, :]
    # All is read before anything is written: what may overlap has to wait.
    moved = thirds(map_ptr, source, PART, READ)
    residual = thirds(residual_ptr, at, PART, READ)
    gain = thirds(gain_ptr, column, PART, "evict_last")
    bias = thirds(bias_ptr, column, PART, "evict_last")
    # The graph keeps the sum in its tensors' dtype, and normalises what it has kept.
    kind: tl.constexpr = sum_ptr.dtype.element_ty
    kept_0 = (residual[0] + moved[0]).to(kind)
    kept_1 = (residual[1] + moved[1]).to(kind)
    kept_2 = (residual[2] + moved[2]).to(kind)
    tl.store(sum_ptr + at, kept_0, eviction_policy=WRITTEN)
    tl.store(sum_ptr + at + PART, kept_1, eviction_policy=WRITTEN)
    tl.store(sum_ptr + at + 2 * PART, kept_2, eviction_policy=WRITTEN)
    total_0, total_1, total_2 = kept_0.to(tl.float32), kept_1.to(tl.float32), kept_2.to(tl.float32)
    mean = (tl.sum(total_0 + total_1 + total_2, 1) / width)[:, None]
    centred_0, centred_1, centred_2 = total_0 - mean, total_1 - mean, total_2 - mean
    squares = tl.sum(centred_0 * centred_0 + centred_1 * centred_1 + centred_2 * centred_2, 1)
    scale = tl.rsqrt(squares / width + EPS)[:, None]
    normed_0 = centred_0 * scale * gain[0][None, :] + bias[0][None, :]
    normed_1 = centred_1 * scale * gain[1][None, :] + bias[1][None, :]
    normed_2 = centred_2 * scale * gain[2][None, :] + bias[2][None, :]
    tl.store(norm_ptr + at, normed_0.to(kind), eviction_policy=WRITTEN)
    tl.store(norm_ptr + at + PART, normed_1.to(kind), eviction_policy=WRITTEN)
    tl.store(norm_ptr + at + 2 * PART, normed_2.to(kind), eviction_policy=WRITTEN)


# Padded side → rows of a program, its warps, and what the cache is told of what is read and of what is written.
# Measured on an H200 by tests/bench/tune_roll_norm.py.
FLOAT32 = {
    35: (8, 8, "evict_first", ""),
    70: (32, 8, "evict_first", ""),
    133: (16, 8, "evict_last", ""),
}
HALF = {
    35: (8, 8, "", ""),
    70: (16, 8, "evict_first", "evict_first"),
    133: (32, 2, "evict_first", ""),
}


@torch.fx.wrap
def roll_norm(bias, gain, residual, padded, side, kept, width):
    total = residual.new_empty(residual.shape)
    normed = residual.new_empty(residual.shape)
    rows, warps, read, written = (FLOAT32 if residual.dtype == torch.float32 else HALF)[side]
    roll_norm_kernel[(kept * kept // rows,)](
        bias, gain, residual.contiguous(), padded.contiguous(), total, normed, SIDE=side, KEPT=kept, PART=width // 3,
        SHIFT=3, EPS=1e-05, ROWS=rows, READ=read, WRITTEN=written, num_warps=warps,
    )  # fmt: skip
    return total, normed
