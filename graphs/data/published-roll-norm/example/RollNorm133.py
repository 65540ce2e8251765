import torch

from .roll_norm_kernel import roll_norm


def pattern(bias, gain, residual, padded):
    kept = torch.roll(padded, shifts=(3, 3), dims=(1, 2))[:, :128, :128, :].contiguous()
    total = residual + kept.view(1, 16384, 96)
    return total, torch.nn.functional.layer_norm(total, (96,), gain, bias, 1e-05)


def replacement_args(bias, gain, residual, padded):
    return (bias, gain, residual, padded, 133, 128, 96)


def replacement_func():
    return roll_norm
