import torch
from pass_dir.rms_kernel import rms_norm


def pattern(weight, x):
    wide = x.to(torch.float32)
    mean_square = wide.pow(2).mean(-1, keepdim=True)
    normed = wide * torch.rsqrt(mean_square + 1e-06)
    return weight * normed.to(torch.float16)


def replacement_args(weight, x):
    return (weight, x, 1e-06)


def replacement_func():
    return rms_norm
