"""What people said to submissions whose names were hidden, as data."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema

from submissions.authors import current_author
from submissions.comparing.ratings import COLUMNS, lines, ratings, ratings_json
from submissions.csv_text import csv_text

router = Router(tags=["comparisons"])


class RatingsOut(Schema):
    votes: int
    voters: int
    left: int  # votes for the left side, of the `sided` ones that chose a side
    sided: int
    agreement: dict[str, Any]  # share: of twos of votes on one pair that are the same; alpha: Krippendorff's
    authors: list[dict[str, Any]]  # Bradley and Terry's ratings around 1000, 95 % intervals, counts, reasons of wins


@router.get("/compare/ratings", response=RatingsOut, summary="Ratings of authors from blind votes")
def read_ratings(request: HttpRequest) -> dict[str, Any]:
    """Single votes are their voters' own: none is told here."""
    current_author(request)
    return ratings_json(ratings())


@router.get("/compare/ratings/figures", summary="The ratings as a file")
def figures(request: HttpRequest) -> HttpResponse:
    """CSV: a line for each author."""
    current_author(request)
    headers = {"Content-Disposition": 'attachment; filename="ratings.csv"'}
    return HttpResponse(csv_text(COLUMNS, lines(ratings())), content_type="text/csv; charset=utf-8", headers=headers)
