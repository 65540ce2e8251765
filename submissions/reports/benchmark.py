"""A benchmark: who is best, what fails for whom, what is flagged, what nobody has solved."""

from urllib.parse import quote, urlencode

from django.utils import timezone

from submissions.boards.board import Board, Row
from submissions.boards.making import REPORTED, Found, find_board
from submissions.boards.shown import context_name
from submissions.models import Author
from submissions.reports.failures import by_author, causes, common, failing, flagged, of_tasks, share
from submissions.reports.shapes import Bar, Cell, Figure, Report, Section, Table, number
from submissions.statistics import Estimate

NOTHING_RIGHT = 0.1471  # AS of a one-graph task that is wrong at every t < 1, rounded up
_MOST_UNSOLVED = 200


def benchmark_report(reader: Author, benchmark: str, context: str) -> Report:
    """`context` as on the board, "" for the first one there is. Raises Refused for keys that name nothing."""
    found = find_board(benchmark, context, with_people=True)
    boards = [found]
    if found.has_reported and not found.reported:
        boards.append(find_board(benchmark, REPORTED, with_people=True))
    tasks = found.benchmark.tasks if found.benchmark else ()
    here = [task.pk for task in tasks if task.pk is not None]
    items = failing(reader).filter(of_tasks(here, [task.name for task in tasks if task.pk is None]))
    key = found.benchmark.key if found.benchmark else benchmark
    return Report(
        "Report of a benchmark",
        found.benchmark.title if found.benchmark else benchmark,
        f"benchmark-{key}",
        timezone.now(),
        (
            ("tasks", f"{len(tasks):,}, the graphs of {len(here):,} are here"),
            ("measured", context_name(found.context) if found.context else "nothing"),
            ("failures in the review queue", f"{items.count():,}"),
        ),
        (
            Cell("leaderboard", f"/boards/?{urlencode({'benchmark': key})}"),
            *(
                Cell(context_name(one), f"/reports/benchmark/{quote(key)}/?{urlencode({'context': one.key})}")
                for one in found.contexts
                if one != found.context
            ),
        ),
        (
            *map(_ranking, boards),
            by_author(items),
            causes(items, {}),
            common(items),
            flagged(items, {}),
            *map(_unsolved, boards),
        ),
    )


def _ranking(found: Found) -> Section:
    if found.board is None:
        return Section("Who is best", empty="Nothing was measured and no score was reported.")
    title = "Who is best by their own reports" if found.reported else "Who is best"
    column = "as" if found.board.timed else "correct"
    unit = "AS, 95 % interval" if found.board.timed else "share of correct graphs, 95 % interval"
    rows = [row for row in found.board.rows if row.figures[column] is not None]
    bars = tuple(_bar(row, column) for row in rows)
    table = tuple(_row(row, found.board) for row in rows)
    head = ("rank", "author", "AS", "correct graphs", "tasks solved", "exploits", "results")
    words = "What authors report of themselves; nothing here was measured." if found.reported else ""
    figure = Figure(title, unit, bars, 1.0 if found.board.timed else None)
    return Section(title, words, figure, Table(head, table), "No author has a result.")


def _bar(row: Row, column: str) -> Bar:
    one = row.figures[column] or Estimate(0.0, 0.0, 0.0)
    return Bar(row.entrant.name, one.value, f"{one.value:.3f}", one.low, one.high)


def _row(row: Row, board: Board) -> tuple[Cell, ...]:
    link = f"/reports/author/{row.entrant.author}/" if row.entrant.author else ""
    score = row.figures["as"]
    return (
        Cell("–" if row.rank is None else str(row.rank), number=True),
        Cell(row.entrant.name, link),
        Cell("–" if score is None else f"{score.value:.3f} ({score.low:.3f} to {score.high:.3f})", number=True),
        *(
            Cell("–" if (one := row.figures[name]) is None else f"{100 * one.value:.1f} %", number=True)
            for name in ("correct", "tasks")
        ),
        number(row.exploits),
        Cell(f"{row.scored} of {len(board.tasks)}", number=True),
    )


def _unsolved(found: Found) -> Section:
    """Measured: no author is correct on every graph. Reported: nobody reports more than a wrong result gets."""
    board = found.board
    if board is None:
        return Section("Solved by nobody", empty="Nothing was measured.")
    authors = [row for row in board.rows if not row.entrant.baseline]
    rows = []
    for place, task in enumerate(board.tasks):
        outcomes = [one for row in authors if (one := row.outcomes[place]) is not None]
        best = max((one.score for one in outcomes if one.score is not None), default=None)
        solved = (best or 0.0) > NOTHING_RIGHT if found.reported else board.solved_by[place] > 0
        if solved or not outcomes:
            continue
        graphs = max((one.correct for one in outcomes), default=0)
        rows.append(
            (
                Cell(task.title, f"/reports/task/{task.slug}/" if task.slug else ""),
                number(len(outcomes)),
                Cell("–" if best is None else f"{best:.3f}", number=True),
                Cell(f"{graphs} of {task.graphs}" if task.graphs else "–", number=True),
            )
        )
    words = f"{len(rows):,} of {len(board.tasks):,} tasks ({share(len(rows), len(board.tasks))}) that somebody tried. "
    words += (
        f"Nobody reports more than {NOTHING_RIGHT:.3f}, which a result that is nowhere correct gets."
        if found.reported
        else "No author's best run is correct on every graph."
    )
    title = "Solved by nobody, by their own reports" if found.reported else "Solved by nobody"
    head = ("task", "authors who tried", "best score", "most correct graphs")
    return Section(title, words, table=Table(head, tuple(rows[:_MOST_UNSOLVED])), empty="Every task is solved.")
