"""Proposed edits as hunks, and putting chosen ones into a text that may have changed meanwhile. Plain Python."""

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Hunk:
    """Lines `first` to `last` (from 0, `last` not included) of the old text become `new`."""

    number: int
    first: int
    last: int
    old: tuple[str, ...]
    new: tuple[str, ...]


class Conflict(Exception):
    """Hunks whose place has changed since they were proposed."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__(f"changed meanwhile: {numbers}")
        self.numbers = numbers


def hunks_of(before: str, after: str) -> list[Hunk]:
    """What has to be done to `before` to get `after`, in the order of lines."""
    old, new = _lines(before), _lines(after)
    return [
        Hunk(number, i1, i2, tuple(old[i1:i2]), tuple(new[j1:j2]))
        for number, (i1, i2, j1, j2) in enumerate(_changes(old, new))
    ]


def merged(before: str, after: str, chosen: Collection[int], current: str) -> str:
    """The chosen hunks of before → after, put into `current`, which has grown out of `before`.

    A hunk that `current` has already is left as it is. Raises Conflict for those whose lines, or whose place between
    two lines, are not there any more: nobody's work is overwritten.
    """
    base, now = _lines(before), _lines(current)
    blocks = difflib.SequenceMatcher(None, base, now, autojunk=False).get_opcodes()
    own = {(i1, i2): now[j1:j2] for tag, i1, i2, j1, j2 in blocks if tag != "equal"}
    places: list[tuple[int, Hunk]] = []
    conflicts: list[int] = []
    for hunk in (one for one in hunks_of(before, after) if one.number in chosen):
        if own.get((hunk.first, hunk.last)) == list(hunk.new):
            continue
        at = _place(hunk, blocks, len(base))
        if at is None:
            conflicts.append(hunk.number)
        else:
            places.append((at, hunk))
    if conflicts:
        raise Conflict(conflicts)
    for at, hunk in reversed(places):
        now[at : at + hunk.last - hunk.first] = hunk.new
    return "".join(now)


def _place(hunk: Hunk, blocks: Sequence[tuple[str, int, int, int, int]], length: int) -> int | None:
    """Where the hunk's first line is in the current text; None when it, or what is next to it, was changed."""
    for tag, i1, i2, j1, _ in blocks:
        if tag != "equal" or not (i1 <= hunk.first and hunk.last <= i2):
            continue
        # New lines between two old ones need both of them.
        left_open = hunk.first == hunk.last == i1 and i1 > 0
        right_open = hunk.first == hunk.last == i2 and i2 < length
        if not left_open and not right_open:
            return j1 + hunk.first - i1
    if length == 0 and not blocks:
        return 0
    return None


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return ((i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")


def _lines(text: str) -> list[str]:
    """With their ends, split at "\\n" alone: what an editor calls a line."""
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]
