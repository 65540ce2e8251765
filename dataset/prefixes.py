"""Prefix analysis: K(P) is the number of kernels of the first P operators; where it does not grow, operators fuse."""

from collections.abc import Callable, Sequence

from dataset.folding import Range


def ranges_without_growth(counts: Sequence[int]) -> list[Range]:
    """The longest ranges of operators over which K does not grow, for `counts` = K(1), K(2), …

    A range starts at the operator that brings K to its value and ends where K grows next. It has two operators at
    least, and at least one kernel.
    """
    return [(start, end) for start, end in _runs(counts) if end - start > 1 and counts[start] > 0]


def windowed_ranges(operators: int, kernels: Callable[[int, int], int | None], window: int) -> list[Range]:
    """The ranges of a long graph, from prefixes of at most `window` operators (0: of the whole graph).

    `kernels(start, end)` counts the kernels of a range of operators; None: it can not stand alone. A range that reaches
    the end of a window is looked at again from its own start, so that it is not cut there unless it fills a window.
    """
    found: list[Range] = []
    base = 0
    while base < operators:
        counts: list[int] = []
        limit = min(base + window, operators) if window else operators
        while base + len(counts) < limit and (count := kernels(base, base + len(counts) + 1)) is not None:
            counts.append(count)
        if not counts:
            base += 1  # this operator can not start a range
            continue
        end = base + len(counts)
        ranges = ranges_without_growth(counts)
        if end == limit < operators and (last := _runs(counts)[-1][0]) > 0:
            ranges = [one for one in ranges if one[0] < last]
            end = base + last
        found += [(base + start, base + stop) for start, stop in ranges]
        base = end
    return found


def runs_of(wanted: Sequence[bool]) -> list[Range]:
    """The longest ranges in which everything is wanted."""
    found: list[Range] = []
    start = 0
    for position, one in enumerate([*wanted, False]):
        if not one:
            if position > start:
                found.append((start, position))
            start = position + 1
    return found


def _runs(counts: Sequence[int]) -> list[Range]:
    """The whole sequence, cut before each place where it grows."""
    starts = [0, *(place for place in range(1, len(counts)) if counts[place] > counts[place - 1])]
    return list(zip(starts, [*starts[1:], len(counts)], strict=True))
