"""Proposed edits as hunks, and putting chosen ones into a text that may have changed meanwhile. Plain Python."""

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

# Around what stands in a file now and what is proposed, where both can not be: nothing that Python would read.
MINE, BETWEEN, THEIRS = "<<<<<<< yours, as it is now\n", "=======\n", ">>>>>>> proposed\n"


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


def merged(before: str, after: str, chosen: Collection[int], current: str, own: Mapping[int, str] | None = None) -> str:
    """The chosen hunks of before → after, put into `current`, which has grown out of `before`. `own` is a person's text
    in the place of what a hunk puts in.

    A hunk that `current` has already is left as it is. Raises Conflict for those whose lines, or whose place between
    two lines, are not there any more: nobody's work is overwritten.
    """
    places, conflicts = _placed(before, after, chosen, current, own or {})
    if conflicts:
        raise Conflict([hunk.number for _, hunk in conflicts])
    return _replaced(current, [(at, at + hunk.last - hunk.first, hunk.new) for at, hunk in places])


def with_marks(
    before: str, after: str, chosen: Collection[int], current: str, own: Mapping[int, str] | None = None
) -> str:
    """The same for a person to look at: where a hunk is in conflict, what stands there now and what is proposed stand
    one after the other, between marks. No line of `current` is lost."""
    places, conflicts = _placed(before, after, chosen, current, own or {})
    changes = [(at, at + hunk.last - hunk.first, hunk.new) for at, hunk in places]
    now = _lines(current)
    for (first, last), hunk in conflicts:
        marked = [MINE, *map(_ended, now[first:last]), BETWEEN, *map(_ended, hunk.new), THEIRS]
        changes.append((first, last, tuple(marked)))
    return _replaced(current, changes)


_Block = tuple[str, int, int, int, int]
_Conflicts = list[tuple[tuple[int, int], Hunk]]


def _placed(
    before: str, after: str, chosen: Collection[int], current: str, own: Mapping[int, str]
) -> tuple[list[tuple[int, Hunk]], _Conflicts]:
    """The hunks with the line of `current` where they begin, and those in conflict with the lines that stand there."""
    base, now = _lines(before), _lines(current)
    blocks = difflib.SequenceMatcher(None, base, now, autojunk=False).get_opcodes()
    changed = {(i1, i2): now[j1:j2] for tag, i1, i2, j1, j2 in blocks if tag != "equal"}
    places: list[tuple[int, Hunk]] = []
    conflicts: _Conflicts = []
    for one in hunks_of(before, after):
        if one.number not in chosen:
            continue
        hunk = replace(one, new=tuple(_lines(own[one.number]))) if one.number in own else one
        if changed.get((hunk.first, hunk.last)) == list(hunk.new):
            continue
        at = _place(hunk, blocks, len(base))
        if at is None:
            conflicts.append((_span(hunk, blocks), hunk))
        else:
            places.append((at, hunk))
    return places, conflicts


def _replaced(text: str, changes: Sequence[tuple[int, int, Sequence[str]]]) -> str:
    """The text with lines `first` to `last` of each change replaced. Changes in the same place stay in their order."""
    lines = _lines(text)
    for first, last, new in sorted(changes, key=lambda change: change[:2], reverse=True):
        lines[first:last] = new
    return "".join(lines)


def _span(hunk: Hunk, blocks: Sequence[_Block]) -> tuple[int, int]:
    """The lines of the current text that stand where the hunk's old ones were."""
    found: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in blocks:
        if i1 > hunk.last or i2 < hunk.first or (i2 == hunk.first < hunk.last and i1 != i2):
            continue
        if tag == "equal":
            found.append((j1 + max(0, hunk.first - i1), j2 - max(0, i2 - hunk.last)))
        else:
            found.append((j1, j2))
    first = min((start for start, _ in found), default=0)
    return first, max((end for _, end in found), default=first)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n"


def _place(hunk: Hunk, blocks: Sequence[_Block], length: int) -> int | None:
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
