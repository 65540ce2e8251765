"""Factories for `module:factory`, each with a graph that a person can write down."""

import torch
from torch import nn


class Gate(nn.Module):
    """relu(linear(x)) * 2, with a weight that is known."""

    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(3, 2, bias=False)
        with torch.no_grad():
            self.proj.weight.copy_(torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]]))

    def forward(self, x):
        return torch.relu(self.proj(x)) * 2


def gate():
    return Gate(), (torch.tensor([[1.0, 1.0, 1.0]]),)


class Broken(nn.Module):
    """`print` ends the first graph."""

    example_inputs = (torch.ones(2),)

    def forward(self, x):
        x = x + 1
        print("between")
        return x.sin()


class Lookup(nn.Module):
    """Constants, indices, an in-place operator and a device in one graph."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(4, 2)

    def forward(self, ids, mask):
        rows = self.table(ids)
        rows += torch.tensor([0.5, -0.5])
        bias = torch.zeros(2, device=rows.device)
        return rows.masked_fill(mask.unsqueeze(-1), float("-inf")) + bias, rows.size(0)


def lookup():
    inputs = {"ids": torch.tensor([3, 0, 3]), "mask": torch.tensor([True, False, False])}
    return Lookup(), inputs


class Scale(nn.Module):
    """y = x · w: its backward is g·w and Σ g·x."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([2.0, -1.0]))

    def forward(self, x):
        return x * self.w


def scale():
    return Scale(), (torch.tensor([3.0, 5.0]),)


def fails():
    raise RuntimeError("no weights today")


def spins():
    while True:
        pass


def huge():
    return nn.Linear(1 << 16, 1 << 16), torch.zeros(1 << 16)


def wrong():
    return 3
