"""Two authors over a whole benchmark, as data."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from graphs.refused import Refused
from submissions.authors import current_author
from submissions.comparing.authors import Asked, Authors, compare_authors
from submissions.comparing.authors_shown import COLUMNS, TaskRow, authors_json, lines, task_rows
from submissions.comparing.readable import may_read_rows
from submissions.csv_text import csv_text

router = Router(tags=["comparisons"])

Key = Annotated[str, Field(max_length=300)]


class Which(Schema):
    a: Key = ""  # an author's number, "eager" or "inductor"; empty: the best on the board
    b: Key = ""
    benchmark: Key = ""  # empty: the first there is
    context: Key = ""  # as of /api/boards; "reported": what authors say of themselves
    device: Key = ""  # instead of a context: the first of that device
    dtype: Key = ""
    size: Key = ""
    operator: Key = ""
    by: Literal["dtype", "size", "operator"] = "dtype"
    over: Literal["", "both"] = ""  # "both": tasks alone on which each has a result
    show: Annotated[str, Field(max_length=40)] = ""  # disagree, a, b, tie, or a cell as "faster.part"


class AuthorsOut(Schema):
    benchmark: str | None
    context: str | None
    reported: bool
    a: dict[str, Any]
    b: dict[str, Any]
    head_to_head: dict[str, Any]  # wins, sign test, ratios a / b with 95 % intervals by bootstrap over tasks
    groups: list[dict[str, Any]]  # the same by dtype, size or operator
    tasks: list[dict[str, Any]]  # those that `show` keeps, the largest difference first


@router.get("/compare/authors", response=AuthorsOut, summary="Two authors over a benchmark")
def authors(request: HttpRequest, which: Query[Which]) -> dict[str, Any]:
    """Who wins where, and whether the difference is more than chance."""
    return authors_json(*_compared(request, which))


@router.get("/compare/authors/figures", summary="Two authors over a benchmark as a file")
def figures(request: HttpRequest, which: Query[Which]) -> HttpResponse:
    """CSV: a line for each task."""
    _, rows = _compared(request, which)
    headers = {"Content-Disposition": 'attachment; filename="compare-authors.csv"'}
    return HttpResponse(csv_text(COLUMNS, lines(rows)), content_type="text/csv; charset=utf-8", headers=headers)


def _compared(request: HttpRequest, which: Which) -> tuple[Authors, list[TaskRow]]:
    reader = current_author(request)
    _, found = compare_authors(Asked(**which.dict(exclude={"show"})))
    if found is None:
        raise Refused(404, "nothing_to_compare", "Fewer than two authors have a result there. /boards/ lists who has.")
    return found, task_rows(found, which.show, may_read=may_read_rows(reader, found.first, found.second))
