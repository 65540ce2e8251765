"""Repeated windows in a sequence of operators, found by folding the most valuable one and starting again.

A window of length L that occurs n times (without overlap) saves (L − 1)(n − 1) places when each occurrence becomes one
new symbol. The one that saves most is folded, in the whole sequence and inside the windows folded before, until nothing
repeats. So windows nest: a block that repeats, and inside it a pair that repeats.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

MAX_WINDOW = 64

Range = tuple[int, int]  # positions of the sequence, the end not included


@dataclass(frozen=True)
class Window:
    """A window that repeats: its length and count when it was folded, and every place where it stands."""

    length: int  # in symbols; an earlier window counts as one
    count: int
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class _Found:
    length: int
    starts: tuple[tuple[int, int], ...]  # (sequence, position), in order

    @property
    def value(self) -> int:
        return (self.length - 1) * (len(self.starts) - 1)


def fold(tokens: Sequence[Hashable], longest: int = MAX_WINDOW) -> list[Window]:
    """The windows of at least two symbols that repeat, in the order in which they were folded.

    Of equally valuable ones the longer counts, then the earlier.
    """
    numbers: dict[Hashable, int] = {}
    main = [numbers.setdefault(token, len(numbers)) for token in tokens]
    operators = len(numbers)  # symbols from here on stand for windows
    sequences = [main]  # and then the body of each window, in the order of folding
    folded: list[_Found] = []
    while (best := _most_valuable(sequences, longest)) is not None:
        symbol = operators + len(folded)
        sequence, start = best.starts[0]
        body = sequences[sequence][start : start + best.length]
        for index, position in reversed(best.starts):
            sequences[index][position : position + best.length] = [symbol]
        sequences.append(body)
        folded.append(best)
    ranges: list[list[Range]] = [[] for _ in folded]
    _places(sequences, operators, ranges)
    return [
        Window(found.length, len(found.starts), tuple(sorted(places)))
        for found, places in zip(folded, ranges, strict=True)
    ]


def _most_valuable(sequences: Sequence[list[int]], longest: int) -> _Found | None:
    """Windows are numbered by what they hold: that of length L by its first L − 1 symbols and its last."""
    best: _Found | None = None
    numbered = [list(sequence) for sequence in sequences]
    for length in range(2, longest + 1):
        numbers: dict[tuple[int, int], int] = {}
        starts: dict[int, list[tuple[int, int]]] = {}
        for index, sequence in enumerate(sequences):
            row = numbered[index]
            for start in range(len(sequence) - length + 1):
                window = numbers.setdefault((row[start], sequence[start + length - 1]), len(numbers))
                row[start] = window
                places = starts.setdefault(window, [])
                if not places or places[-1][0] != index or places[-1][1] + length <= start:
                    places.append((index, start))
            del row[max(len(sequence) - length + 1, 0) :]
        repeated = [places for places in starts.values() if len(places) > 1]
        if not repeated:
            break  # what does not repeat does not repeat when it is longer
        most = max(repeated, key=len)  # the first of the longest lists: the earliest
        found = _Found(length, tuple(most))
        if best is None or found.value >= best.value:
            best = found
    return best


def _places(sequences: Sequence[Sequence[int]], operators: int, ranges: list[list[Range]]) -> None:
    """Lay the whole sequence out again and note where each window stands."""
    sizes: dict[int, int] = {}

    def size(symbol: int) -> int:
        if symbol < operators:
            return 1
        if symbol not in sizes:
            sizes[symbol] = sum(map(size, sequences[symbol - operators + 1]))
        return sizes[symbol]

    open_bodies = [(0, 0)]  # (sequence, offset)
    while open_bodies:
        index, offset = open_bodies.pop()
        for symbol in sequences[index]:
            if symbol >= operators:
                ranges[symbol - operators].append((offset, offset + size(symbol)))
                open_bodies.append((symbol - operators + 1, offset))
            offset += size(symbol)
