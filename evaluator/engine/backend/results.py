"""What Inductor is promised about a launcher's result, and how the promise is kept.

Inductor generates code for the sizes, strides and dtype that eager's result has. A launcher may lay its result out in
another way, or return one of its inputs: then the result is copied. Another dtype or size would make the generated
code read beyond the end of memory: that is an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from evaluator.engine.backend.examples import Unknown

Size = Any  # int | torch.SymInt


class LauncherResult(RuntimeError):
    """A launcher returned something else than what it takes the place of."""


@dataclass(frozen=True)
class Promise:
    """A dense tensor. `order` lists its dimensions from the outermost in memory to the innermost."""

    launcher: str
    sizes: tuple[Size, ...]
    order: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    def empty(self) -> torch.Tensor:
        """Such a tensor, in whatever mode is active."""
        return torch.empty_strided(
            self.sizes, dense_strides(self.sizes, self.order), dtype=self.dtype, device=self.device
        )

    def kept(self, value: Any, taken: set[int]) -> torch.Tensor:
        """The launcher's result as promised. `taken` holds the addresses of memory that has an owner already.

        Raises LauncherResult.
        """
        self._check(value)
        wanted = dense_strides(value.shape, self.order)
        address = value.untyped_storage().data_ptr()
        if _same(value, wanted) and (address not in taken or not value.numel()):
            taken.add(address)
            return value  # type: ignore[no-any-return]
        fresh = torch.empty_strided(value.shape, wanted, dtype=self.dtype, device=self.device)
        return fresh.copy_(value)

    def _check(self, value: Any) -> None:
        if not isinstance(value, torch.Tensor):
            raise LauncherResult(f"{self.launcher} returned a {type(value).__name__} in the place of a tensor")
        sizes = len(value.shape) == len(self.sizes) and all(
            wanted == found for wanted, found in zip(self.sizes, value.shape, strict=True) if isinstance(wanted, int)
        )
        if not sizes or value.dtype != self.dtype or value.device != self.device:
            found = f"{value.dtype} {list(value.shape)} on {value.device}"
            wanted = f"{self.dtype} [{', '.join(map(str, self.sizes))}] on {self.device}"
            raise LauncherResult(f"{self.launcher} returned {found}; the graph has {wanted} there")


def promise(value: Any, launcher: str) -> Promise:
    """What the result that `value` is an example of will look like. Raises Unknown where that is no tensor."""
    if not isinstance(value, torch.Tensor):
        raise Unknown(f"a result is a {type(value).__name__}, not a tensor")
    strides = [_hint(stride) for stride in value.stride()]
    order = list(range(value.dim()))
    if all(strides):  # else it is expanded: that says nothing about an order
        order.sort(key=lambda dim: -strides[dim])
    return Promise(launcher, tuple(value.shape), tuple(order), value.dtype, value.device)


def dense_strides(sizes: Sequence[Size], order: Sequence[int]) -> list[Size]:
    """Strides without gaps for a memory order."""
    strides: list[Size] = [1] * len(sizes)
    step: Size = 1
    for dim in reversed(order):
        strides[dim] = step
        size = sizes[dim]
        step = step * (max(size, 1) if isinstance(size, int) else size)
    return strides


def _same(value: torch.Tensor, strides: Sequence[int]) -> bool:
    """Whether it lies in memory like that; the stride of a dimension of size 1 means nothing."""
    return all(
        size == 1 or found == wanted for size, found, wanted in zip(value.shape, value.stride(), strides, strict=True)
    )


def _hint(size: Size) -> int:
    """A symbolic number's value in the call that is being compiled for."""
    hint = size if isinstance(size, int) else size.node.hint
    return 0 if hint is None else int(hint)
