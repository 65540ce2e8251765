import torch

from .shift_kernel import shift_add_norm


def pattern(bias, gain, residual, windows):
    padded = windows.contiguous().view(-1, 12, 12, 24)
    kept = torch.roll(padded, shifts=(2, 2), dims=(1, 2))[:, :10, :10, :]
    total = residual + kept.contiguous().view(1, 100, 24)
    normed = torch.nn.functional.layer_norm(total, (24,), gain, bias, 1e-05)
    return total, normed


def replacement_args(bias, gain, residual, windows):
    return (bias, gain, residual, windows, 12, 10, 2)


def replacement_func():
    return shift_add_norm
