"""The lines of a kernel while it is written: what is outside of the loop over columns, and what is inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assistant.drafter.sizes import ONE, Coord, Divided, Index, Loaded, Size, Space, product


@dataclass
class Names:
    """Names of a kernel that are in use."""

    used: set[str] = field(default_factory=set)

    def take(self, wanted: str) -> str:
        """The name, with a number behind it when it is taken."""
        name, count = wanted, 0
        while name in self.used:
            count += 1
            name = f"{wanted}_{count}"
        self.used.add(name)
        return name


class Lines:
    """Lines that hold a row's values (`outer`) and those that depend on the columns (`inner`)."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.outer: list[str] = []
        self.inner: list[str] = []
        self._outer_known: dict[str, str] = {}
        self._inner_known: dict[str, str] = {}

    def add(self, line: str, inner: bool) -> None:
        (self.inner if inner else self.outer).append(line)

    def named(self, wanted: str, text: str, inner: bool) -> str:
        """A variable that holds what the text computes; the same one for the same text."""
        for known in (self._outer_known, self._inner_known):
            if text in known:
                return known[text]
        name = self.names.take(wanted)
        self.add(f"{name} = {text}", inner)
        (self._inner_known if inner else self._outer_known)[text] = name
        return name

    def new_loop(self) -> list[str]:
        """The loop's body so far; another one begins."""
        body, self.inner = self.inner, []
        self._inner_known = {}
        return body


class IndexText:
    """Indices as text of a kernel whose axes are counted by one or two variables."""

    def __init__(
        self, space: Space, groups: Mapping[str, Sequence[int]], lines: Lines, inner_axes: frozenset[int]
    ) -> None:
        self.space = space
        self.groups = {name: [axis for axis in axes if space.sizes[axis] != ONE] for name, axes in groups.items()}
        self.lines = lines
        self.inner_axes = inner_axes
        self.sizes_used: set[str] = set()

    def size(self, size: Size) -> str:
        self.sizes_used.update(size.names)
        return size.atom

    def inner(self, axes: frozenset[int]) -> bool:
        return bool(axes & self.inner_axes)

    def text(self, index: Index) -> str:
        """A sum as text, without brackets around it."""
        steps = {atom.axis: size for size, atom in index.terms if isinstance(atom, Coord)}
        parts: list[tuple[int, str]] = []
        for group, axes in self.groups.items():
            for run in self._runs(axes, steps):
                step = steps[run[-1]]
                counted = self._counted(group, axes, run)
                sign = -1 if step.factor < 0 else 1
                step = Size(abs(step.factor), step.names)
                parts.append((sign, counted if step == ONE else f"{counted} * {self.size(step)}"))
        for size, atom in index.terms:
            if isinstance(atom, Coord):
                continue
            sign, size = (-1 if size.factor < 0 else 1), Size(abs(size.factor), size.names)
            word = "" if atom is None else self._atom(atom)
            if atom is None:
                parts.append((sign, self.size(size)))
            else:
                parts.append((sign, word if size == ONE else f"{word} * {self.size(size)}"))
        parts.sort(key=lambda part: part[0] < 0)
        text = ""
        for sign, word in parts:
            text += (f" {'-' if sign < 0 else '+'} " if text else "-" if sign < 0 else "") + word
        return text or "0"

    def _runs(self, axes: Sequence[int], steps: dict[int, Size]) -> list[list[int]]:
        """Neighbouring axes that count on through each other, as one number does."""
        runs: list[list[int]] = []
        for axis in axes:
            if axis not in steps:
                continue
            before = runs[-1][-1] if runs else None
            place = axes.index(axis)
            follows = before is not None and place > 0 and axes[place - 1] == before
            if follows and before is not None and steps[before] == steps[axis] * self.space.sizes[axis]:
                runs[-1].append(axis)
            else:
                runs.append([axis])
        return runs

    def _counted(self, group: str, axes: Sequence[int], run: Sequence[int]) -> str:
        first, last = axes.index(run[0]), axes.index(run[-1])
        text = group
        if last < len(axes) - 1:
            text += f" // {self.size(product(self.space.sizes[axis] for axis in axes[last + 1 :]))}"
        if first > 0:
            text += f" % {self.size(product(self.space.sizes[axis] for axis in axes[first : last + 1]))}"
        if text == group:
            return group
        name = "i" + "".join(map(str, run))
        return self.lines.named(name, text, self.inner(frozenset(run)))

    def _atom(self, atom: Divided | Loaded) -> str:
        if isinstance(atom, Loaded):
            return atom.name
        inner = self.text(atom.index)
        inner = f"({inner})" if " " in inner else inner
        text = f"{inner} {'%' if atom.rest else '//'} {self.size(atom.by)}"
        return self.lines.named("j", text, self.inner(atom.index.axes()))
