import torch

from .roll_norm_kernel import roll_norm


def pattern(bias, gain, residual, padded):
    kept = torch.roll(padded, shifts=(3, 3), dims=(1, 2))[:, :64, :64, :].contiguous()
    total = residual + kept.view(1, 4096, 192)
    return total, torch.nn.functional.layer_norm(total, (192,), gain, bias, 1e-05)


def replacement_args(bias, gain, residual, padded):
    return (bias, gain, residual, padded, 70, 64, 192)


def replacement_func():
    return roll_norm
