import torch
from pass_dir.norm_kernel import add_norm


def pattern(bias, gain, x, residual):
    total = torch.nn.functional.dropout(x, 0.1, False, False) + residual
    return torch.nn.functional.layer_norm(total, (80,), weight=gain, bias=bias, eps=1e-12)


def replacement_args(bias, gain, x, residual):
    return (bias, gain, x, residual)


def replacement_func():
    return add_norm
