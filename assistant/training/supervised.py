"""The first half: the model learns what attempts that worked have handed in."""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

import torch

from assistant.training.examples import Example
from assistant.training.policy import Policy


def train(
    policy: Policy,
    data: Sequence[Example],
    *,
    steps: int,
    rate: float = 1e-2,
    batch: int = 16,
    seed: int = 0,
    tell: Callable[[int, float], None] = lambda step, loss: None,
) -> float:
    """Takes so many steps; returns the last loss, in nats a completion. Raises ValueError without examples."""
    if not data:
        raise ValueError("there is no example to learn from: export more, or ask for less of them to be correct")
    optimiser = torch.optim.Adam(policy.parameters(), rate)
    chance = random.Random(seed)
    loss = torch.zeros(())
    for step in range(steps):
        by_prompt: dict[str, list[str]] = defaultdict(list)
        for one in chance.choices(data, k=batch):
            by_prompt[one.prompt].append(one.completion)
        total = sum(
            (policy.log_probability(prompt, texts).sum() for prompt, texts in by_prompt.items()), torch.zeros(())
        )
        loss = -total / batch
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimiser.step()
        tell(step, loss.item())
    return loss.item()
