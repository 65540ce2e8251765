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

from evaluator.measure import primitives
from graphs.samples import TensorMeta

MOST_COPIED_BYTES = 256 << 20  # of all copies of the inputs together

#: What can be copied many at a time on a GPU. Others are rare (uint16, float8), and copied one by one.
_TOGETHER = frozenset(
    (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8, torch.bool)
)

_Piece = tuple[torch.Tensor, torch.Tensor]  # where to, and from where


def rolled_inputs(metas: Sequence[TensorMeta]) -> list[bool]:
    """Which inputs may be rolled: floating-point ones whose exact data the metadata does not give."""
    return [meta.data is None and meta.dtype.startswith(("float", "bfloat")) for meta in metas]


def round_values(
    sets: Sequence[Sequence[Any]], rolled: Sequence[bool], seed: str, method: str, number: int, copy: int = 0
) -> list[Any]:
    """The inputs of round `number` of a method: new tensors on the device of the sets, numbers as they are.

    A round has as many copies as are asked for, each with values of its own.
    """
    draws = _draws(sets, rolled, seed, method, number)
    chosen, fractions = next(draw for at, draw in enumerate(draws) if at == copy)
    return [
        torch.roll(value.reshape(-1), _shift(value, fraction)).view(value.shape) if roll else value
        for value, roll, fraction in zip(chosen, rolled, fractions, strict=True)
    ]


def _draws(
    sets: Sequence[Sequence[Any]], rolled: Sequence[bool], seed: str, method: str, number: int
) -> Iterator[tuple[Sequence[Any], list[float]]]:
    """Endless: a set of values, and how far each of them is rolled, for one copy after the other."""
    rng = random.Random(f"{seed}/{method}/{number}")
    while True:
        yield sets[rng.randrange(len(sets))], [rng.random() for _ in rolled]


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
    """The tensors that calls read, refilled in place: the same addresses for all participants (a CUDA graph needs it).

    `values` is the first of the `copies`; a method that makes several calls in a row gives each a copy of its own.
    """

    def __init__(self, sets: Sequence[Sequence[Any]], rolled: Sequence[bool], seed: str) -> None:
        self._sets, self._rolled, self.seed = sets, rolled, seed
        self.values = [value.clone() if isinstance(value, torch.Tensor) else value for value in sets[0]]
        self.device = next((value.device for value in tensors(self.values) if value.is_cuda), torch.device("cpu"))
        self.copies = [self.values]
        self._own = _storages(self.values)

    def provide(self, count: int) -> int:
        """Have `count` copies, or as many as there is room for; how many there are then."""
        size = sum(value.nbytes for value in tensors(self.values))
        while len(self.copies) < count and size * len(self.copies) < MOST_COPIED_BYTES:
            self.copies.append([value.clone() if isinstance(value, torch.Tensor) else value for value in self.values])
            self._own |= _storages(self.copies[-1])
        return min(count, len(self.copies))

    def refill(self, method: str, number: int, copies: int = 1) -> None:
        """Put in the values of a round, into as many of the copies. They are the same for every participant.

        All that is of one dtype is copied at once: the launch of a small copy takes longer than the copy.
        """
        draws = _draws(self._sets, self._rolled, self.seed, method, number)
        pieces: dict[torch.dtype, list[_Piece]] = {}
        for own, (chosen, fractions) in zip(self.copies[:copies], draws, strict=False):
            for target, value, roll, fraction in zip(own, chosen, self._rolled, fractions, strict=True):
                if isinstance(target, torch.Tensor):
                    shift = _shift(value, fraction) if roll else 0
                    pieces.setdefault(target.dtype, []).extend(_pieces(target, value, shift))
        for dtype, alike in pieces.items():
            if dtype in _TOGETHER:
                primitives.copy_all([to for to, _ in alike], [source for _, source in alike])
            else:
                for to, source in alike:
                    to.copy_(source)

    def are_changed_by(self, call: Callable[[], Any]) -> bool:
        """Whether a call writes into the inputs, as in-place graphs do."""
        before = [value._version for value in tensors(self.values)]
        call()
        return before != [value._version for value in tensors(self.values)]

    def spoil(self, returned: Any) -> None:
        """Overwrite outputs (floats become NaN); one that is an input, or a view of one, stays as it is."""
        for value in tensors(tree_leaves(returned)):
            storage = value.untyped_storage()
            if storage.nbytes() and storage.data_ptr() not in self._own:
                torch.empty(0, dtype=torch.uint8, device=value.device).set_(storage).fill_(255)  # type: ignore[call-overload]


def tensors(values: Collection[Any]) -> list[torch.Tensor]:
    return [value for value in values if isinstance(value, torch.Tensor)]


def _storages(values: Collection[Any]) -> set[int]:
    return {value.untyped_storage().data_ptr() for value in tensors(values)}


def _shift(value: torch.Tensor, fraction: float) -> int:
    return int(fraction * value.numel())


def _pieces(target: torch.Tensor, value: torch.Tensor, shift: int) -> list[_Piece]:
    """What to copy where, so that `target` becomes `value`, its elements moved on by `shift` as `torch.roll` does."""
    if not shift:
        return [(target, value)]
    if not target.is_contiguous() or not value.is_contiguous():
        return [(target, torch.roll(value.reshape(-1), shift).view(value.shape))]
    stays = value.numel() - shift
    first, last = value.view(-1).split_with_sizes((stays, shift))
    head, tail = target.view(-1).split_with_sizes((shift, stays))
    return [(head, last), (tail, first)]
