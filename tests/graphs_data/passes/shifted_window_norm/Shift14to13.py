import torch

from .shift_kernel import shift_add_norm


def pattern(bias, gain, residual, windows):
    padded = windows.contiguous().view(-1, 14, 14, 32)
    kept = torch.roll(padded, shifts=(3, 3), dims=(1, 2))[:, :13, :13, :]
    total = residual + kept.contiguous().view(1, 169, 32)
    normed = torch.nn.functional.layer_norm(total, (32,), gain, bias, 1e-05)
    return total, normed


def replacement_args(bias, gain, residual, windows):
    return (bias, gain, residual, windows, 14, 13, 3)


def replacement_func():
    return shift_add_norm
