"""Follows Triton launches while a guard is on: how deep inside one we are, and which of their arguments they wrote.

Nothing of it stays in place outside a guarded call.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._pytree import tree_leaves
from triton.runtime import autotuner, interpreter, jit

_RUNNERS = (jit.JITFunction, autotuner.Autotuner, autotuner.Heuristics, interpreter.InterpretedFunction)


class LaunchWatch:
    """`depth` is positive while Triton itself works; `launched(given, written)` hears of each outermost launch."""

    def __init__(
        self,
        launched: Callable[[list[torch.Tensor], list[torch.Tensor]], None],
        pause: Any,
        about_to: Callable[[], None] = lambda: None,
    ) -> None:
        """`about_to` is called before each of them."""
        self.depth = 0
        self.launches = 0
        self._launched = launched
        self._about_to = about_to
        self._pause = pause

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Stand around every launch within the block."""
        before = [(cls, cls.run) for cls in _RUNNERS]
        for cls, run in before:
            cls.run = self._observed(run)
        try:
            yield
        finally:
            for cls, run in before:
                cls.run = run

    def _observed(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def observed(kernel: Any, *args: Any, **kwargs: Any) -> Any:
            if self.depth:
                return run(kernel, *args, **kwargs)
            given = tensors_in((args, kwargs))
            self._about_to()
            with self._pause():
                before = [_bytes(tensor) for tensor in given]
            self.depth += 1
            self.launches += 1
            try:
                result = run(kernel, *args, **kwargs)
            finally:
                self.depth -= 1
            with self._pause():
                written = [tensor for tensor, old in zip(given, before, strict=True) if _changed(tensor, old)]
                self._launched(given, written)
            return result

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):  # nobody is to tell us by them
            setattr(observed, name, getattr(run, name))
        return observed


def tensors_in(values: Any) -> list[torch.Tensor]:
    """All tensors among arguments, also those under Triton's descriptors and wrappers."""
    found: list[torch.Tensor] = []
    for leaf in tree_leaves(values):
        if isinstance(leaf, torch.Tensor):
            found.append(leaf)
        elif isinstance(getattr(leaf, "base", None), torch.Tensor):
            found.append(leaf.base)
    return found


def _bytes(tensor: torch.Tensor) -> torch.Tensor | None:
    """A copy of the whole storage, or None where that can not be had."""
    try:
        storage = tensor.untyped_storage()
        return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage).clone()  # type: ignore[call-overload, no-any-return]
    except (RuntimeError, NotImplementedError):
        return None


def _changed(tensor: torch.Tensor, before: torch.Tensor | None) -> bool:
    if before is None:
        return True
    now = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())  # type: ignore[call-overload]
    return now.numel() != before.numel() or not torch.equal(now, before)
