import torch
import triton
import triton.language as tl


def pattern(x, gate):
    half = 0.5 * x
    cube = torch.pow(x, 3.0)
    inner = 0.7978845608028654 * (x + 0.044715 * cube)
    gelu = half * (1.0 + torch.tanh(inner))
    return torch.nn.functional.dropout(gelu * gate, 0.1, False, False)


def replacement_args(x, gate):
    return (x, gate)


@triton.jit
def rounded(value, dtype: tl.constexpr):
    return value.to(dtype).to(tl.float32)


@triton.jit
def gated_gelu_kernel(x_ptr, gate_ptr, out_ptr, elements, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < elements
    dtype: tl.constexpr = out_ptr.dtype.element_ty
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    gate = tl.load(gate_ptr + at, mask=inside, other=0.0).to(tl.float32)
    half = rounded(0.5 * x, dtype)
    cube = rounded(rounded(x * x, dtype) * x, dtype)  # how eager takes a third power
    inner = rounded(0.7978845608028654 * rounded(x + rounded(0.044715 * cube, dtype), dtype), dtype)
    e = tl.exp(-2.0 * tl.abs(inner))
    size = (1.0 - e) / (1.0 + e)
    tanh = rounded(tl.where(inner < 0, -size, size), dtype)
    gelu = rounded(half * rounded(1.0 + tanh, dtype), dtype)
    tl.store(out_ptr + at, (gelu * gate).to(dtype), mask=inside)


@torch.fx.wrap
def gated_gelu(x, gate):
    out = torch.empty_like(x)
    gated_gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, gate, out, x.numel(), BLOCK=1024)
    return out


def replacement_func():
    return gated_gelu
