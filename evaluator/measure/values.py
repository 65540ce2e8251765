"""Input values of timed calls: other ones in every round, and known to whoever holds the seed.

The judge draws a few sets of values and a seed; every round takes one of the sets and rolls each tensor by an offset,
both drawn from the seed. So no two rounds are alike, nothing is drawn on a busy host between timings, and the judge
can make the values of any round again to check what was returned in it.
"""

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from graphs.samples import TensorMeta


def rolled_inputs(metas: Sequence[TensorMeta]) -> list[bool]:
    """Which inputs may be rolled: floating-point ones whose exact data the metadata does not give."""
    return [meta.data is None and meta.dtype.startswith(("float", "bfloat")) for meta in metas]


def round_values(
    sets: Sequence[Sequence[Any]], rolled: Sequence[bool], seed: str, method: str, number: int
) -> list[Any]:
    """The inputs of round `number` of a method: new tensors on the device of the sets, numbers as they are."""
    rng = random.Random(f"{seed}/{method}/{number}")
    chosen = sets[rng.randrange(len(sets))]
    return [_roll(value, rng.random()) if roll else value for value, roll in zip(chosen, rolled, strict=True)]


def verified_rounds(seed: str, method: str, least: int) -> Iterator[int]:
    """Rounds whose outputs are verified: one at random among the first `least`, one in each four times as long stretch.

    Endless; a submission that behaves differently after some calls is met by a later one.
    """
    rng = random.Random(f"{seed}/{method}/verified")
    start, length = 0, least
    while True:
        yield start + rng.randrange(length)
        start, length = start + length, length * 4


class StaticInputs:
    """The tensors that every call reads, refilled in place: one address for all calls (a CUDA graph needs it)."""

    def __init__(self, sets: Sequence[Sequence[Any]], rolled: Sequence[bool], seed: str) -> None:
        self._sets, self._rolled, self.seed = sets, rolled, seed
        self.values = [value.clone() if isinstance(value, torch.Tensor) else value for value in sets[0]]
        self.device = next((value.device for value in tensors(self.values) if value.is_cuda), torch.device("cpu"))
        self._storages = {value.untyped_storage().data_ptr() for value in tensors(self.values)}

    def refill(self, method: str, number: int) -> None:
        """Put in the values of a round. They are the same for every participant."""
        new = round_values(self._sets, self._rolled, self.seed, method, number)
        for target, value in zip(self.values, new, strict=True):
            if isinstance(target, torch.Tensor):
                target.copy_(value)

    def are_changed_by(self, call: Callable[[], Any]) -> bool:
        """Whether a call writes into the inputs, as in-place graphs do."""
        before = [value._version for value in tensors(self.values)]
        call()
        return before != [value._version for value in tensors(self.values)]

    def spoil(self, returned: Any) -> None:
        """Overwrite outputs (floats become NaN); one that is an input, or a view of one, stays as it is."""
        for value in tensors(tree_leaves(returned)):
            storage = value.untyped_storage()
            if storage.nbytes() and storage.data_ptr() not in self._storages:
                torch.empty(0, dtype=torch.uint8, device=value.device).set_(storage).fill_(255)  # type: ignore[call-overload]


def tensors(values: Collection[Any]) -> list[torch.Tensor]:
    return [value for value in values if isinstance(value, torch.Tensor)]


def _roll(value: torch.Tensor, fraction: float) -> torch.Tensor:
    flat = value.reshape(-1)
    return torch.roll(flat, int(fraction * flat.numel())).view(value.shape)
