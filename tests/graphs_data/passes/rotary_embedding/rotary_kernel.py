import torch
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(
    x_ptr, cos_ptr, sin_ptr, out_ptr, elements, per_batch, per_head, WIDTH: tl.constexpr, BLOCK: tl.constexpr
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < elements
    channel = at % WIDTH
    first = channel < WIDTH // 2
    partner = tl.where(first, at + WIDTH // 2, at - WIDTH // 2)
    table_at = (at // per_batch) * per_head + at % per_head
    dtype = out_ptr.dtype.element_ty
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    other = tl.load(x_ptr + partner, mask=inside, other=0.0).to(tl.float32)
    cos = tl.load(cos_ptr + table_at, mask=inside, other=0.0).to(tl.float32)
    sin = tl.load(sin_ptr + table_at, mask=inside, other=0.0).to(tl.float32)
    straight = (x * cos).to(dtype).to(tl.float32)
    turned = (tl.where(first, -other, other) * sin).to(dtype).to(tl.float32)
    tl.store(out_ptr + at, (straight + turned).to(dtype), mask=inside)


@torch.fx.wrap
def rotate(x, cos, sin):
    _, heads, tokens, width = x.shape
    out = torch.empty_like(x)
    per_head = tokens * width
    rotary_kernel[(triton.cdiv(x.numel(), 1024),)](
        x, cos, sin, out, x.numel(), heads * per_head, per_head, WIDTH=width, BLOCK=1024
    )
    return out
