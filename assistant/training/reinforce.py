"""The second half: the model is rewarded by the workbench. A group of answers to one task is compared with itself."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import torch

from assistant.client import Evaluation, Job
from assistant.training.examples import files_of, prompt_for
from assistant.training.policy import Policy

_UNREADABLE = 0.0  # what the shaped reward gives to a submission that can not be read


class Rewards(Protocol):
    """What is needed of assistant.client.Workbench."""

    def submit(self, jobs: Sequence[Job], *, device: str = ..., reward: str = ...) -> list[Evaluation]: ...
    def results(self, submitted: Sequence[Evaluation], *, every: float = ...) -> Iterable[Evaluation]: ...


def train(
    policy: Policy,
    workbench: Rewards,
    tasks: Sequence[str],
    *,
    rounds: int,
    group: int = 8,
    rate: float = 1e-3,
    device: str = "cpu",
    reward: str = "shaped",
    every: float = 1.0,
    seed: int = 0,
    tell: Callable[[int, float], None] = lambda number, mean: None,
) -> list[float]:
    """The mean reward of each round. An answer counts by how much better it is than its group, in standard deviations;
    one that the workbench could not judge does not count."""
    optimiser = torch.optim.Adam(policy.parameters(), rate)
    generator = torch.Generator().manual_seed(seed)
    means = []
    for number in range(rounds):
        optimiser.zero_grad()
        known: list[float] = []
        for task in tasks:
            prompt = prompt_for(task)
            texts = policy.sample(prompt, group, generator)
            values = rewards_of(workbench, task, texts, device, reward, every)
            kept = [(text, value) for text, value in zip(texts, values, strict=True) if value is not None]
            if not kept:
                continue
            known += [value for _, value in kept]
            gains = torch.tensor([value for _, value in kept])
            gains = (gains - gains.mean()) / (gains.std(correction=0) + 1e-6)
            loss = -(gains * policy.log_probability(prompt, [text for text, _ in kept])).mean()
            loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimiser.step()
        means.append(sum(known) / len(known) if known else 0.0)
        tell(number, means[-1])
    return means


def rewards_of(
    workbench: Rewards, task: str, texts: Sequence[str], device: str, reward: str, every: float
) -> list[float | None]:
    """A reward for each text, in their order. A text without a file is not sent; the same files are judged once."""
    files = [files_of(text) for text in texts]
    different = {tuple(sorted(one.items())): one for one in files if one}
    submitted = workbench.submit([Job(task, one) for one in different.values()], device=device, reward=reward)
    found = {one.id: one.reward for one in workbench.results(submitted, every=every)}
    by_files = {key: found[one.id] for key, one in zip(different, submitted, strict=True)}
    return [by_files[tuple(sorted(one.items()))] if one else _UNREADABLE for one in files]
