"""A layer split over two devices by hand: each rank has half of the hidden units, their sum is what both give."""

import torch
from torch import distributed, nn


class Halves(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        hidden = 8 // distributed.get_world_size()
        self.up = nn.Linear(4, hidden)
        self.down = nn.Linear(hidden, 4, bias=False)
        nn.init.constant_(self.up.weight, 1.0 + distributed.get_rank())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.down(torch.relu(self.up(x)))
        distributed.all_reduce(y)
        return x + y


def mlp() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Halves(), (torch.randn(3, 4),)


def one_fails() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    if distributed.get_rank() == 1:
        raise ValueError("no second half")
    return mlp()
