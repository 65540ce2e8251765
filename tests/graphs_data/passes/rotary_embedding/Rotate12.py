import torch
from pass_dir.rotary_kernel import rotate


def pattern(x, cos, sin):
    first = x[..., :12]
    second = x[..., 12:]
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def replacement_args(x, cos, sin):
    return (x, cos, sin)


def replacement_func():
    return rotate
