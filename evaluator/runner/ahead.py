"""What the judge needs next, made while it would only wait for the runner."""

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Iterator[T], Generic[T]):
    """An iterator whose next item can be made before it is asked for. A problem in making it is raised when it is."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._made: list[T] = []
        self._problem: BaseException | None = None

    def make(self) -> None:
        """Make the next item now, if it is not there yet. Never raises."""
        if not self._made and self._problem is None:
            try:
                self._made.append(next(self._items))
            except Exception as problem:  # StopIteration, too
                self._problem = problem

    def __next__(self) -> T:
        self.make()
        if self._made:
            return self._made.pop()
        assert self._problem is not None
        raise self._problem
