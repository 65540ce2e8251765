import torch

from .shift_kernel import shift_add_norm


def pattern(bias, gain, residual, windows):
    padded = windows.contiguous().view(-1, 10, 10, 48)
    kept = torch.roll(padded, shifts=(2, 2), dims=(1, 2))[:, :8, :8, :]
    total = residual + kept.contiguous().view(2, 64, 48)
    normed = torch.nn.functional.layer_norm(total, (48,), gain, bias, 1e-05)
    return total, normed


def replacement_args(bias, gain, residual, windows):
    return (bias, gain, residual, windows, 10, 8, 2)


def replacement_func():
    return shift_add_norm
