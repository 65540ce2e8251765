import torch

from .shift_kernel import shift_add_norm


def pattern(bias, gain, residual, windows):
    padded = windows.contiguous().view(-1, 9, 9, 40)
    kept = torch.roll(padded, shifts=(1, 1), dims=(1, 2))[:, :7, :7, :]
    total = residual + kept.contiguous().view(1, 49, 40)
    normed = torch.nn.functional.layer_norm(total, (40,), gain, bias, 1e-05)
    return total, normed


def replacement_args(bias, gain, residual, windows):
    return (bias, gain, residual, windows, 9, 7, 1)


def replacement_func():
    return shift_add_norm
