import torch
from pass_dir.softmax_kernel import masked_softmax


def pattern(scores, mask):
    shown = scores * 0.125 + mask
    weights = torch.nn.functional.softmax(shown, dim=-1, dtype=torch.float32).to(torch.float16)
    return torch.nn.functional.dropout(weights, p=0.0, training=False)


def replacement_args(scores, mask):
    return (scores, mask, 0.125)


def replacement_func():
    return masked_softmax
