"""Leaderboards as data: who is how good on a benchmark, on one device and with one set of versions."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from submissions.authors import author_or_none
from submissions.boards.costs import board_trajectories
from submissions.boards.export import as_csv, as_json, history_json
from submissions.boards.history import curves
from submissions.boards.making import Found, find_board, runs_of
from submissions.spending import Trajectory

router = Router(tags=["boards"])

Key = Annotated[str, Field(max_length=300)]


class Which(Schema):
    benchmark: Key = ""  # empty: the first there is
    context: Key = ""  # empty: the first there is; "reported": what authors say of themselves


class CurveOut(Schema):
    author: str
    version: str
    points: list[dict[str, Any]]  # at, value: what it was from then on


class BoardOut(Schema):
    benchmarks: list[dict[str, Any]]  # key, title, tasks, missing
    benchmark: str | None
    contexts: list[dict[str, Any]]  # key, device, torch, harness, profile, origin: never mixed in one ranking
    context: str | None
    reported: bool  # scores are their authors' own word
    tasks: list[dict[str, Any]]  # name, title, slug, graphs, solved_by
    rows: list[dict[str, Any]]  # figures with 95 % intervals; outcomes go with the tasks


@router.get("/boards", response=BoardOut, summary="A leaderboard")
def board(request: HttpRequest, which: Query[Which]) -> dict[str, Any]:
    """Visitors without an account see models and programs, not people."""
    found = _found(request, which)
    return as_json(found, _paths(request, found))


@router.get("/boards/history", response=list[CurveOut], summary="How the authors of a board came to where they are")
def history(request: HttpRequest, which: Query[Which]) -> list[dict[str, Any]]:
    """AS from run to run; the share of correct graphs where speed is not measured."""
    found = _found(request, which)
    return history_json([] if found.board is None else curves(found.board, runs_of(found)))


@router.get("/boards/figures", summary="A leaderboard as a file")
def figures(request: HttpRequest, which: Query[Which], format: Literal["csv", "json"] = "csv") -> HttpResponse:
    """One row for each author; the JSON has every task as well."""
    found = _found(request, which)
    paths = _paths(request, found)
    text = as_csv(found, paths) if format == "csv" else json.dumps(as_json(found, paths), indent=1)
    kind = "text/csv; charset=utf-8" if format == "csv" else "application/json"
    return HttpResponse(
        text, content_type=kind, headers={"Content-Disposition": f'attachment; filename="board.{format}"'}
    )


def _found(request: HttpRequest, which: Which) -> Found:
    return find_board(which.benchmark, which.context, with_people=author_or_none(request) is not None)


def _paths(request: HttpRequest, found: Found) -> Mapping[str, Trajectory]:
    """What attempts took is for people with an account."""
    visitor = author_or_none(request) is None
    return {} if visitor or found.board is None else board_trajectories(found.board)
