"""The kernel and the launcher that the three passes share."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(weight_ptr, x_ptr, out_ptr, rows, width, eps, BLOCK_R: tl.constexpr, BLOCK_W: tl.constexpr):
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    column = tl.arange(0, BLOCK_W)
    inside = (row[:, None] < rows) & (column[None, :] < width)
    offsets = row[:, None] * width + column[None, :]
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + column, mask=column < width, other=0.0).to(tl.float32)
    mean_square = tl.sum(x * x, axis=1) / width
    normed = x * (1.0 / tl.sqrt(mean_square + eps))[:, None]
    dtype = out_ptr.dtype.element_ty
    rounded = normed.to(dtype).to(tl.float32)  # the graph rounds before it multiplies by the weight
    tl.store(out_ptr + offsets, (weight[None, :] * rounded).to(dtype), mask=inside)


@torch.fx.wrap
def rms_norm(weight, x, eps):
    width = x.shape[-1]
    rows = x.numel() // width
    out = torch.empty_like(x)
    block_rows = 16
    rms_norm_kernel[(triton.cdiv(rows, block_rows),)](
        weight, x, out, rows, width, eps, BLOCK_R=block_rows, BLOCK_W=triton.next_power_of_2(width)
    )
    return out
