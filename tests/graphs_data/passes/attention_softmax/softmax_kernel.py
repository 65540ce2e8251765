import torch
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(
    score_ptr, mask_ptr, out_ptr, rows, tokens, scale, BLOCK_R: tl.constexpr, BLOCK_T: tl.constexpr
):
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    column = tl.arange(0, BLOCK_T)
    inside = (row[:, None] < rows) & (column[None, :] < tokens)
    at = row[:, None] * tokens + column[None, :]
    mask_at = (row % tokens)[:, None] * tokens + column[None, :]
    dtype = out_ptr.dtype.element_ty
    score = tl.load(score_ptr + at, mask=inside, other=0.0).to(tl.float32)
    forbidden = tl.load(mask_ptr + mask_at, mask=inside, other=0.0).to(tl.float32)
    scaled = (score * scale).to(dtype).to(tl.float32)
    shown = tl.where(column[None, :] < tokens, (scaled + forbidden).to(dtype).to(tl.float32), float("-inf"))
    e = tl.exp(shown - tl.max(shown, axis=1)[:, None])
    tl.store(out_ptr + at, (e / tl.sum(e, axis=1)[:, None]).to(dtype), mask=inside)


@torch.fx.wrap
def masked_softmax(scores, mask, scale):
    tokens = scores.shape[-1]
    rows = scores.numel() // tokens
    out = torch.empty_like(scores)
    masked_softmax_kernel[(triton.cdiv(rows, 32),)](
        scores, mask, out, rows, tokens, scale, BLOCK_R=32, BLOCK_T=triton.next_power_of_2(tokens)
    )
    return out
