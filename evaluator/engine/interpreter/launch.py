"""Launches under the interpreter: what runs right now, and who wants to know.

One honest interpreted launch dispatches a dozen ATen operators of its own. Whoever watches ATen asks `running()`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import triton
from triton.runtime import interpreter

Listener = Callable[["Launch"], None]


@dataclass
class Launch:
    """One launch of an interpreted kernel. `grid` is None until the kernel starts."""

    kernel: str
    grid: tuple[int, int, int] | None = None
    buffers: list["Buffer"] | None = None  # None: some pointer's origin is not known, so nothing can be said
    reads_outside: list["ReadOutside"] = field(default_factory=list)  # the first of each place and argument

    @property
    def programs(self) -> int:
        """Number of program instances; a launch over an empty grid does nothing, as on a GPU."""
        return 0 if self.grid is None else int(np.prod(self.grid))


@dataclass(frozen=True)
class ReadOutside:
    """A load outside every buffer. `argument` is the nearest one, None where none is near; `file` is a path."""

    kernel: str
    argument: str | None
    words: str
    file: str | None
    line: int | None


@dataclass(frozen=True)
class Buffer:
    """Memory that a launch was given: the storage behind one tensor argument. Addresses in bytes."""

    name: str
    start: int
    end: int


_stack: list[Launch] = []
_listeners: list[Listener] = []


def current() -> Launch | None:
    """The launch that is being interpreted, or None."""
    return _stack[-1] if _stack else None


def running() -> bool:
    """True while the interpreter itself works: ATen calls seen now are its own and not the submission's."""
    return bool(_stack)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call `listener(launch)` after each launch (also one that raised) within the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def install() -> None:
    """Put ourselves around every launch."""
    call, set_grid_dim = interpreter.GridExecutor.__call__, interpreter.InterpreterBuilder.set_grid_dim
    init_args = interpreter.GridExecutor._init_args_hst

    def observed_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        launch = Launch(self.fn.__name__)
        _stack.append(launch)
        try:
            with np.errstate(all="ignore"):  # a GPU does not warn of an overflow either
                return call(self, *args, **kwargs)
        finally:
            _stack.pop()
            for listener in list(_listeners):
                listener(launch)

    def observed_grid(self: Any, *dims: int) -> None:
        if _stack:
            _stack[-1].grid = tuple(int(dim) for dim in dims)  # type: ignore[assignment]
        set_grid_dim(self, *dims)

    def observed_args(self: Any, args: Any, kwargs: Any) -> Any:
        host_args, host_kwargs = init_args(self, args, kwargs)
        if _stack:
            named = [*zip(self.arg_names, host_args, strict=False), *host_kwargs.items()]
            _stack[-1].buffers = [buffer for name, value in named for buffer in _buffers(name, value)]
        return host_args, host_kwargs

    interpreter.GridExecutor.__call__ = observed_call
    interpreter.GridExecutor._init_args_hst = observed_args
    interpreter.InterpreterBuilder.set_grid_dim = observed_grid


def _buffers(name: str, value: Any) -> Iterator[Buffer]:
    if isinstance(value, tuple):
        for item in value:
            yield from _buffers(name, item)
    elif isinstance(value, triton.runtime.jit.TensorWrapper | interpreter.TensorDescriptor):
        yield from _buffers(name, value.base)
    elif hasattr(value, "untyped_storage"):
        storage = value.untyped_storage()
        yield Buffer(name, storage.data_ptr(), storage.data_ptr() + storage.nbytes())
