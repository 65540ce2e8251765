"""A board in the words and digits of its page. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from submissions.boards.board import Board, Row, sort_rows
from submissions.boards.columns import COLUMNS, Column
from submissions.boards.costs import spent_of
from submissions.boards.outcome import Outcome
from submissions.boards.stored import FILES, Context
from submissions.spending import Trajectory, cost_words
from submissions.statistics import Estimate

HEATS = (0.15, 0.5, 0.95, 1.05, 1.5)  # upper ends of the steps of colour; eager lies in the fourth
UNSOLVED, EXPLOITS = "unsolved", "exploits"
_WIDTH = 96  # of a whisker, in its own units
_MOST = 2.0  # AS at its right end


@dataclass(frozen=True)
class Cell:
    """`title` says in words what colour says."""

    text: str
    title: str
    tone: str = ""
    link: str = ""
    key: str = ""  # of the compare page


@dataclass(frozen=True)
class Figure:
    """A figure with its interval; empty texts where there is none."""

    text: str
    interval: str
    is_share: bool = False


@dataclass(frozen=True)
class Whisker:
    """Places of an interval and its value on a line from 0 to 2, where eager is in the middle."""

    low: float
    high: float
    at: float


@dataclass(frozen=True)
class Cost:
    """What the attempts behind a row's results took: "0.42 USD", and how many steps each result took on average."""

    text: str
    steps: str
    title: str


@dataclass(frozen=True)
class Line:
    """`cost` is None where no attempt made any of the results."""

    row: Row
    figures: tuple[Figure, ...]
    whisker: Whisker | None
    cost: Cost | None = None


@dataclass(frozen=True)
class TaskLine:
    name: str
    title: str
    slug: str | None
    solved_by: int
    cells: tuple[Cell, ...]


def context_name(one: Context) -> str:
    """ "H200 · torch 2.11.0 · harness 0.1.0 · precise, from files" """
    device = "CPU" if one.device == "cpu" else one.device.removeprefix("cuda:")
    where = "from files" if one.origin == FILES else "measured here"
    return f"{device} · torch {one.torch} · harness {one.harness} · {one.profile}, {where}"


def columns_of(board: Board, *, reported: bool) -> tuple[Column, ...]:
    """Those that this board can have figures in."""
    if reported:
        return COLUMNS[:1]
    return COLUMNS if board.timed else tuple(column for column in COLUMNS if not column.timed)


def lines_of(
    board: Board, columns: Sequence[Column], sort: str, words: str, paths: Mapping[str, Trajectory]
) -> list[Line]:
    """The rows whose author's name or version has every word, in the order asked for. Baselines always stay."""
    wanted = words.casefold().split()
    kept = [
        row
        for row in sort_rows(board.rows, sort)
        if row.entrant.baseline
        or all(word in f"{row.entrant.name} {row.entrant.version}".casefold() for word in wanted)
    ]
    return [
        Line(
            row,
            tuple(figure(row.figures[column.key], column) for column in columns),
            _whisker(row.figures["as"]),
            _cost(row, paths),
        )
        for row in kept
    ]


def _cost(row: Row, paths: Mapping[str, Trajectory]) -> Cost | None:
    spent = spent_of(row, paths)
    if spent is None:
        return None
    made = [paths[one.run] for one in row.outcomes if one is not None and one.run in paths]
    each = sum(one.step for one in made) / len(made)
    title = f"{len(made)} results of attempts: {spent.steps} steps and {spent.tokens:,} tokens in all"
    return Cost(cost_words(spent), f"{each:.1f}", title)


def figure(one: Estimate | None, column: Column) -> Figure:
    """ "61.9" and "58–65" for a share, in percent; "0.448" and "0.41–0.49" else."""
    if one is None:
        return Figure("–", "", column.percent)
    if column.percent:
        interval = "" if one.low == one.high else f"{100 * one.low:.0f}–{100 * one.high:.0f}"
        return Figure(f"{100 * one.value:.1f}", interval, True)
    return Figure(f"{one.value:.3f}", "" if one.low == one.high else f"{one.low:.3f}–{one.high:.3f}")


def task_lines(board: Board, lines: Sequence[Line], which: str, paths: Mapping[str, Trajectory]) -> list[TaskLine]:
    """The heat-map: a task a line, an author of `lines` a cell. `which` keeps what nobody solved, or has exploits."""
    found = []
    for place, task in enumerate(board.tasks):
        outcomes = [line.row.outcomes[place] for line in lines]
        if which == UNSOLVED and board.solved_by[place]:
            continue
        if which == EXPLOITS and not any(one is not None and one.on_record for one in outcomes):
            continue
        cells = tuple(
            cell(line.row.entrant.name, one, board.timed, task.slug, paths)
            for line, one in zip(lines, outcomes, strict=True)
        )
        found.append(TaskLine(task.name, task.title, task.slug, board.solved_by[place], cells))
    return found


def cell(author: str, one: Outcome | None, timed: bool, slug: str | None, paths: Mapping[str, Trajectory]) -> Cell:
    """Score, or graphs that are correct; a violation has a sign of its own."""
    if one is None:
        return Cell("·", f"{author}: nothing evaluated here", "none")
    link = f"/boards/submissions/{one.submission}/" if one.submission else ""
    if one.run and slug:
        link = f"/tasks/{slug}/?run={one.run}"
    graphs = f"{one.correct} of {one.graphs} graphs correct" if one.graphs else one.word
    path = paths.get(one.run)
    after = "" if path is None else f"; step {path.step} of {path.spent.steps}, {cost_words(path.spent)}"
    if one.exploit:
        return Cell("◆", f"{author}: violation; all graphs are rejected{after}", "violation", link, one.key)
    if one.score is None or not timed:
        share = one.correct / one.graphs if one.graphs else 0.0
        tone = "h4" if share == 1 else "h2" if share else "h0"
        text = f"{one.correct}/{one.graphs}" if one.graphs else "–"
        return Cell(text, f"{author}: {graphs}{_why(one)}{after}", tone, link, one.key)
    step = next((at for at, end in enumerate(HEATS) if one.score < end), len(HEATS))
    record = "; another run of the author here is a violation" if one.on_record else ""
    said = f"{author}: AS {one.score:.3f}, {graphs}{_why(one)}{record}{after}"
    return Cell(f"{one.score:.2f}" + ("◆" if one.on_record else ""), said, f"h{step}", link, one.key)


def _why(one: Outcome) -> str:
    return f"; {one.word}" if one.word and one.graphs else ""


def _whisker(one: Estimate | None) -> Whisker | None:
    if one is None:
        return None
    low, high, at = (round(_WIDTH * min(value, _MOST) / _MOST, 1) for value in (one.low, one.high, one.value))
    return Whisker(low, high, at)
