"""Sizes and indices as formulas over the launcher's size names.

A formula is simplified only where that holds for every size, or else for the sizes that the draft is
made for: `Facts.pinned` then names them, and the launcher insists on them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Size:
    """A product: a number times named sizes. `Size(2, ("D0",))` is 2 · D0."""

    factor: int = 1
    names: tuple[str, ...] = ()

    def __mul__(self, other: "Size") -> "Size":
        return Size(self.factor * other.factor, tuple(sorted(self.names + other.names)))

    def divided(self, other: "Size") -> "Size | None":
        """The quotient where it is a product again, else None."""
        names = list(self.names)
        for name in other.names:
            if name not in names:
                return None
            names.remove(name)
        if other.factor == 0 or self.factor % other.factor:
            return None
        return Size(self.factor // other.factor, tuple(names))

    @property
    def text(self) -> str:
        parts = [*([str(self.factor)] if self.factor != 1 or not self.names else []), *self.names]
        return " * ".join(parts)

    @property
    def atom(self) -> str:
        """The text with brackets where it has more than one part."""
        return f"({self.text})" if " " in self.text else self.text


ONE = Size()


def product(sizes: Iterable[Size]) -> Size:
    result = ONE
    for size in sizes:
        result = result * size
    return result


@dataclass(frozen=True, slots=True)
class Coord:
    """A coordinate of the kernel's iteration space: from 0 to below its size."""

    axis: int


@dataclass(frozen=True, slots=True)
class Divided:
    index: "Index"
    by: Size
    rest: bool  # the remainder instead of the quotient


@dataclass(frozen=True, slots=True)
class Loaded:
    """An index that was read from a tensor: the name of a variable of the kernel, and below what it stays."""

    name: str
    below: Size
    axes: frozenset[int]


Atom = Coord | Divided | Loaded


@dataclass(frozen=True, slots=True)
class Index:
    """A sum of terms, each a size times an atom; the atom None is 1."""

    terms: tuple[tuple[Size, Atom | None], ...] = ()

    def axes(self) -> frozenset[int]:
        """The axes of the iteration space that it depends on."""
        found: set[int] = set()
        for _, atom in self.terms:
            match atom:
                case Coord(axis):
                    found.add(axis)
                case Divided(index):
                    found |= index.axes()
                case Loaded(axes=axes):
                    found |= axes
        return frozenset(found)


ZERO = Index()


def coord(axis: int) -> Index:
    return Index(((ONE, Coord(axis)),))


@dataclass
class Facts:
    """What the names of sizes stand for in each of the graphs that a draft is made for, and the axes' sizes."""

    values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    variants: int = 1
    pinned: set[str] = field(default_factory=set)  # names of sizes that something was simplified for

    def pin(self, *sizes: "Size") -> None:
        """What was just simplified holds for these sizes as they are here: the launcher has to insist on them."""
        self.pinned.update(name for size in sizes for name in size.names)

    def of(self, size: Size) -> tuple[int, ...]:
        """The size in each graph."""
        return tuple(
            size.factor * math.prod(self.values[name][graph] for name in size.names) for graph in range(self.variants)
        )


class Space:
    """Arithmetic on the indices of one iteration space."""

    def __init__(self, facts: Facts, sizes: Sequence[Size]) -> None:
        self.facts = facts
        self.sizes = tuple(sizes)

    def plus(self, *parts: Index) -> Index:
        """The sum, with like terms put together."""
        found: dict[tuple[tuple[str, ...], Atom | None], int] = {}
        for part in parts:
            for size, atom in part.terms:
                key = (size.names, atom)
                found[key] = found.get(key, 0) + size.factor
        return Index(tuple((Size(factor, names), atom) for (names, atom), factor in found.items() if factor))

    def times(self, index: Index, size: Size) -> Index:
        return Index(tuple((part * size, atom) for part, atom in index.terms))

    def constant(self, size: Size | int) -> Index:
        size = Size(size) if isinstance(size, int) else size
        return Index(((size, None),)) if size.factor else ZERO

    def linear(self, indices: Sequence[Index], sizes: Sequence[Size]) -> Index:
        """The place of an element in a tensor of `sizes` that lies without gaps."""
        result, stride = ZERO, ONE
        for index, size in zip(reversed(indices), reversed(sizes), strict=True):
            result = self.plus(self.times(index, stride), result)
            stride = stride * size
        return result

    def quotient(self, index: Index, by: Size) -> Index:
        if by == ONE:
            return index
        whole, rest = self._split(index, by)
        if self._below(rest, by):
            return whole
        return Index(((ONE, Divided(index, by, rest=False)),))

    def remainder(self, index: Index, by: Size) -> Index:
        if by == ONE:
            return ZERO
        _, rest = self._split(index, by)
        if self._below(rest, by):
            return rest
        if any(size.factor < 0 for size, _ in rest.terms):
            rest = index  # a remainder of something negative would be negative
        return Index(((ONE, Divided(rest, by, rest=True)),))

    def below(self, atom: Atom | None) -> Size:
        match atom:
            case None:
                return Size(2)
            case Coord(axis):
                return self.sizes[axis]
            case Loaded(below=below):
                return below
            case Divided(index, by, rest):
                if rest:
                    return by
                largest = max(self._largest(index)) // max(1, min(self.facts.of(by)))
                self.facts.pin(by, *self._sizes_in(index))
                return Size(largest + 1)
        raise TypeError(atom)

    def _split(self, index: Index, by: Size) -> tuple[Index, Index]:
        whole, rest = [], []
        for size, atom in index.terms:
            part = size.divided(by) or self._divided_here(size, by)
            if part is None:
                rest.append((size, atom))
            else:
                whole.append((part, atom))
        return self.plus(Index(tuple(whole))), Index(tuple(rest))

    def _divided_here(self, size: Size, by: Size) -> Size | None:
        """The quotient as a plain number: right for the sizes at hand."""
        if not size.names and not by.names:
            return None
        parts = {divmod(a, b) if b else (0, 1) for a, b in zip(self.facts.of(size), self.facts.of(by), strict=True)}
        if len(parts) == 1 and (found := parts.pop())[1] == 0 and found[0]:
            self.facts.pin(size, by)
            return Size(found[0])
        return None

    def _largest(self, index: Index) -> tuple[int, ...]:
        total = [0] * self.facts.variants
        for size, atom in index.terms:
            bounds = self.facts.of(self.below(atom))
            for graph, (step, bound) in enumerate(zip(self.facts.of(size), bounds, strict=True)):
                total[graph] += step * (bound - 1)
        return tuple(total)

    def _below(self, rest: Index, by: Size) -> bool:
        """Whether the sum always stays below a size; by the form of its terms, else by the sizes at hand."""
        if not rest.terms:
            return True
        if all(size.factor >= 0 for size, _ in rest.terms):
            step = ONE
            left = list(rest.terms)
            while left:
                found = next((term for term in left if term[0] == step and term[1] is not None), None)
                if found is None:
                    break
                left.remove(found)
                step = step * self.below(found[1])
            if not left and step == by:
                return True
        if any(size.factor < 0 for size, _ in rest.terms):
            return False
        fits = all(a < b for a, b in zip(self._largest(rest), self.facts.of(by), strict=True))
        if fits and (by.names or any(size.names or self._named(atom) for size, atom in rest.terms)):
            self.facts.pin(by, *self._sizes_in(rest))
        return fits

    def _sizes_in(self, index: Index) -> list[Size]:
        return [size for size, _ in index.terms] + [self.below(atom) for _, atom in index.terms if atom is not None]

    def _named(self, atom: Atom | None) -> bool:
        return atom is not None and bool(self.below(atom).names)
