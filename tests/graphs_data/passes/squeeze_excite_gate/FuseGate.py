import torch
import triton
import triton.language as tl


def pattern(bias_1, weight_1, bias_2, weight_2, x):
    mean = x.mean((2, 3), keepdim=True)
    squeezed = torch.conv2d(mean, weight_1, bias_1, (1, 1), (0, 0), (1, 1), 1)
    squeezed = torch.nn.functional.relu(squeezed, inplace=True)
    gate = torch.sigmoid(torch.conv2d(squeezed, weight_2, bias_2, (1, 1), (0, 0), (1, 1), 1))
    return x * gate


def replacement_args(bias_1, weight_1, bias_2, weight_2, x):
    return (bias_1, weight_1, bias_2, weight_2, x)


@triton.jit
def gate_kernel(
    bias_1_ptr, weight_1_ptr, bias_2_ptr, weight_2_ptr, x_ptr, out_ptr, channels, squeezed, pixels,
    BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr, BLOCK_P: tl.constexpr,
):  # fmt: skip
    # One program an image: the whole map fits into registers for the sizes of this task.
    dtype = out_ptr.dtype.element_ty
    c = tl.arange(0, BLOCK_C)
    s = tl.arange(0, BLOCK_S)
    p = tl.arange(0, BLOCK_P)
    inside = (c[:, None] < channels) & (p[None, :] < pixels)
    at = (tl.program_id(0) * channels + c[:, None]) * pixels + p[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    mean = (tl.sum(x, axis=1) / pixels).to(dtype).to(tl.float32)
    both = (s[:, None] < squeezed) & (c[None, :] < channels)
    weight_1 = tl.load(weight_1_ptr + s[:, None] * channels + c[None, :], mask=both, other=0.0).to(tl.float32)
    bias_1 = tl.load(bias_1_ptr + s, mask=s < squeezed, other=0.0).to(tl.float32)
    hidden = (tl.sum(weight_1 * mean[None, :], axis=1) + bias_1).to(dtype).to(tl.float32)
    hidden = tl.maximum(hidden, 0.0)
    back = (c[:, None] < channels) & (s[None, :] < squeezed)
    weight_2 = tl.load(weight_2_ptr + c[:, None] * squeezed + s[None, :], mask=back, other=0.0).to(tl.float32)
    bias_2 = tl.load(bias_2_ptr + c, mask=c < channels, other=0.0).to(tl.float32)
    logit = (tl.sum(weight_2 * hidden[None, :], axis=1) + bias_2).to(dtype).to(tl.float32)
    gate = (1.0 / (1.0 + tl.exp(-logit))).to(dtype).to(tl.float32)
    tl.store(out_ptr + at, (x * gate[:, None]).to(dtype), mask=inside)


@torch.fx.wrap
def squeeze_excite(bias_1, weight_1, bias_2, weight_2, x):
    batch, channels, height, width = x.shape
    squeezed = weight_1.shape[0]
    out = torch.empty_like(x)
    gate_kernel[(batch,)](
        bias_1, weight_1, bias_2, weight_2, x, out, channels, squeezed, height * width,
        BLOCK_C=triton.next_power_of_2(channels), BLOCK_S=triton.next_power_of_2(squeezed),
        BLOCK_P=triton.next_power_of_2(height * width),
    )  # fmt: skip
    return out


def replacement_func():
    return squeeze_excite
