"""Pages that lay submissions and authors beside each other."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from graphs.access import access_task
from graphs.refused import Refused
from submissions.authors import current_author
from submissions.boards.making import REPORTED
from submissions.boards.shown import context_name
from submissions.comparing import authors_shown as shown
from submissions.comparing.authors import BYS, Asked, Authors, compare_authors, side_key
from submissions.comparing.entries import LEAST, keys_of_task
from submissions.comparing.head_to_head import Group
from submissions.comparing.readable import may_read_rows
from submissions.statistics import Estimate

_PARTS = ("a", "b", "benchmark", "context", "device", "dtype", "size", "operator", "by", "over", "show", "plot")
_LISTED = 300  # tasks in the page's table; the files have all of them


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to six submissions on one task; what they are stands in the address."""
    current_author(request)
    return render(request, "compare/compare.html")


@require_safe
def of_task(request: HttpRequest, slug: str) -> HttpResponse:
    """Leads to the best runs of up to six authors on one task, beside each other."""
    keys = keys_of_task(current_author(request), access_task(slug))
    if len(keys) < LEAST:
        message = "Fewer than two authors whose runs you may see have a result on this task: nothing to compare."
        raise Refused(404, "nothing_to_compare", message)
    return HttpResponseRedirect(f"/compare/?{urlencode({'of': keys}, doseq=True)}")


@require_safe
def authors(request: HttpRequest) -> HttpResponse:
    """Two authors over a whole benchmark: who wins where."""
    reader = current_author(request)
    given = {name: request.GET.get(name, "")[:300] for name in _PARTS}
    marked = request.GET.getlist("author")
    if len(marked) > 2:
        raise Refused(400, "wrong_number", f"{len(marked)} authors are marked: two can be compared. Leave some out.")
    for side, key in zip(("a", "b"), marked, strict=False):
        given[side] = key[:300]
    given["by"] = given["by"] if given["by"] in BYS else "dtype"
    asked = {name: given[name] for name in Asked.__dataclass_fields__}
    found, compared = compare_authors(Asked(**asked))  # type: ignore[arg-type]
    page: dict[str, object] = {
        "found": found,
        "given": given,
        "contexts": [(one.key, context_name(one)) for one in found.contexts],
        "reported_key": REPORTED,
    }
    if compared is not None:
        page |= _page(compared, given, may_read_rows(reader, compared.first, compared.second))
    return render(request, "compare/authors.html", page)


def _page(compared: Authors, given: dict[str, str], may_read: tuple[bool, bool]) -> dict[str, object]:
    found, first, second = compared.found, compared.first, compared.second
    a, b = side_key(first), side_key(second)
    kept = {**given, "a": a, "b": b, "benchmark": found.benchmark.key if found.benchmark else ""}
    names = (first.entrant.name, second.entrant.name)
    every = shown.task_rows(compared, "", may_read=may_read)
    rows = shown.task_rows(compared, given["show"], may_read=may_read)
    head = compared.head
    shows = [("", "all"), ("disagree", "other outcome"), ("a", "won by A"), ("b", "won by B"), ("tie", "tied")]
    plots = [("", "speed-up"), ("score", "AS")] if compared.timed and not found.reported else [("score", "score")]
    return {
        "first": first,
        "second": second,
        "a": a,
        "b": b,
        "swap": _link(kept, a=b, b=a, show={"a": "b", "b": "a"}.get(given["show"], "")),
        "entrants": [
            (side_key(row), row.entrant)
            for row in (found.board.rows if found.board else ())
            if row.scored or row.entrant.baseline
        ],
        "head": head,
        "verdict": shown.words_of(head, names),
        "p": shown.p_words(head.p),
        "score_ratio": shown.span(head.score_ratio),
        "speed_ratio": shown.span(head.speed_ratio),
        "correct": shown.span(_percent(head.correct), 1),
        "share": shown.span(head.record.share, 2),
        "groups": [(one, *_group_cells(one)) for one in compared.groups],
        "bys": [(_link(kept, by=by), by, given["by"] == by) for by in BYS],
        "choices": [(by, compared.choices[by], given[by]) for by in BYS if by in compared.choices],
        "filtered": any(given[by] for by in BYS),
        "all_graphs": _link(kept, dtype="", size="", operator=""),
        "shows": [(_link(kept, show=key), name, given["show"] == key) for key, name in shows],
        "plots": [(_link(kept, plot=key), name, given["plot"] == key) for key, name in plots],
        "scatter": shown.scatter(every, "score" if found.reported else given["plot"], names),
        "matrix": [
            (word, means, [(count, _link(kept, show=f"{word}.{other}"), word == other) for other, count in cells])
            for word, means, cells in shown.matrix_rows(compared.pairs, reported=found.reported)
        ],
        "rows": rows[:_LISTED],
        "row_count": len(rows),
        "files": urlencode({name: value for name, value in kept.items() if value and name != "plot"}),
        "context_name": context_name(found.context) if found.context else "",
    }


def _group_cells(one: Group) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str], str]:
    head = one.head
    return (
        shown.span(head.score_ratio),
        shown.span(head.speed_ratio),
        shown.span(_percent(head.correct), 1),
        shown.p_words(head.p),
    )


def _percent(one: Estimate | None) -> Estimate | None:
    return None if one is None else Estimate(100 * one.value, 100 * one.low, 100 * one.high)


def _link(kept: dict[str, str], **changes: str) -> str:
    return "?" + urlencode({name: value for name, value in {**kept, **changes}.items() if value})
