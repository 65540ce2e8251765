"""What the recipe needs of a model. Anything that can do this takes the place of the tiny one."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import torch


class Policy(Protocol):
    """A model with parameters that writes texts."""

    def parameters(self) -> Iterable[torch.nn.Parameter]:
        """What is trained."""
        ...

    def log_probability(self, prompt: str, completions: Sequence[str]) -> torch.Tensor:
        """Logarithm of the probability of each completion after the prompt: shape (count,), with gradients."""
        ...

    def sample(self, prompt: str, count: int, generator: torch.Generator) -> list[str]:
        """Completions, drawn at temperature 1; without gradients."""
        ...
