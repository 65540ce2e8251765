"""One kernel for every size: sizes come in as literals of each pass's replacement_args."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_add_norm_kernel(
    bias_ptr, gain_ptr, residual_ptr, windows_ptr, sum_ptr, norm_ptr,
    rows, eps, SIDE: tl.constexpr, KEPT: tl.constexpr, SHIFT: tl.constexpr, WIDTH: tl.constexpr,
    BLOCK_R: tl.constexpr, BLOCK_W: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    column = tl.arange(0, BLOCK_W)
    # Token (batch, i, j) of the kept square comes from (i - shift, j - shift) of the padded map, modulo its side.
    batch = row // (KEPT * KEPT)
    i = (row // KEPT) % KEPT
    j = row % KEPT
    source = (batch * SIDE + (i + SIDE - SHIFT) % SIDE) * SIDE + (j + SIDE - SHIFT) % SIDE
    inside = (row[:, None] < rows) & (column[None, :] < WIDTH)
    here = row[:, None] * WIDTH + column[None, :]
    moved = tl.load(windows_ptr + source[:, None] * WIDTH + column[None, :], mask=inside, other=0.0)
    residual = tl.load(residual_ptr + here, mask=inside, other=0.0)
    dtype = sum_ptr.dtype.element_ty
    total = (residual.to(tl.float32) + moved.to(tl.float32)).to(dtype)
    tl.store(sum_ptr + here, total, mask=inside)

    x = total.to(tl.float32)
    mean = tl.sum(x, axis=1) / WIDTH
    centred = tl.where(inside, x - mean[:, None], 0.0)
    variance = tl.sum(centred * centred, axis=1) / WIDTH
    gain = tl.load(gain_ptr + column, mask=column < WIDTH, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + column, mask=column < WIDTH, other=0.0).to(tl.float32)
    normed = centred * (1.0 / tl.sqrt(variance + eps))[:, None] * gain[None, :] + bias[None, :]
    tl.store(norm_ptr + here, normed.to(dtype), mask=inside)


@torch.fx.wrap
def shift_add_norm(bias, gain, residual, windows, side, kept, shift):
    rows, width = residual.shape[0] * residual.shape[1], residual.shape[2]
    total = torch.empty_like(residual)
    normed = torch.empty_like(residual)
    block_rows = 32
    shift_add_norm_kernel[(triton.cdiv(rows, block_rows),)](
        bias, gain, residual, windows, total, normed, rows, 1e-05,
        SIDE=side, KEPT=kept, SHIFT=shift, WIDTH=width, BLOCK_R=block_rows, BLOCK_W=triton.next_power_of_2(width),
    )  # fmt: skip
    return total, normed
