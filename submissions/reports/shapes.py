"""A report as plain values. Each text is on one line and free of what can not be seen; escaping is the renderer's."""

from dataclasses import dataclass, field
from datetime import datetime

from graphs.plain_text import plain_line

_LONGEST = 300


@dataclass(frozen=True)
class Cell:
    """`href` is an address of this workbench, from "/" on; "" for none."""

    text: str
    href: str = ""
    number: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", plain(self.text))


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Each head, and whether numbers stand under it."""
        return [(word, any(row[place].number for row in self.rows)) for place, word in enumerate(self.head)]


@dataclass(frozen=True)
class Bar:
    """`text` is the value in words and digits; `low` and `high` are its interval, None where there is none."""

    label: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", plain(self.label))
        object.__setattr__(self, "text", plain(self.text))


@dataclass(frozen=True)
class Figure:
    """Bars on one scale from 0 on. `unit` names it; `rule`: a value that a line marks."""

    title: str
    unit: str
    bars: tuple[Bar, ...]
    rule: float | None = None


@dataclass(frozen=True)
class Section:
    """`words` stand above figure and table; `empty` instead of them where there is nothing."""

    title: str
    words: str = ""
    figure: Figure | None = None
    table: Table | None = None
    empty: str = ""

    @property
    def is_empty(self) -> bool:
        return (self.table is None or not self.table.rows) and (self.figure is None or not self.figure.bars)


@dataclass(frozen=True)
class Report:
    """`name` is that of a file, letters and digits; `facts` are pairs of a word and what it says."""

    kind: str
    title: str
    name: str
    made_at: datetime
    facts: tuple[tuple[str, str], ...] = ()
    links: tuple[Cell, ...] = ()
    sections: tuple[Section, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", plain(self.title))
        object.__setattr__(self, "facts", tuple((plain(word), plain(said)) for word, said in self.facts))


def plain(text: str) -> str:
    """On one line, without what can not be seen, and not longer than a line may be."""
    line = plain_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def number(value: int | float, digits: int = 0) -> Cell:
    return Cell(f"{value:,.{digits}f}", number=True)
