"""Pages of the blind comparison: ratings with a way in, a pair without names, the vote."""

import uuid

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from submissions import limits
from submissions.actions.blind_votes import access_vote, do_show_pair, do_vote
from submissions.authors import current_author
from submissions.comparing.blind import REASONS, shown_pair
from submissions.comparing.ratings import ratings
from submissions.models import BlindVote

_LISTED = 20  # of the reader's own votes
MEANS = {
    "readable": "its code is easier to read",
    "correct": "its results are right on more graphs",
    "general": "it holds for other shapes, dtypes and models",
    "fast": "it is the faster one",
}


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """What all votes say, and the reader's own."""
    reader = current_author(request)
    own = BlindVote.objects.filter(voter=reader).exclude(voted_at=None)
    mine = own.select_related("pair__first_author", "pair__second_author")[:_LISTED]
    found = ratings()
    ends = [end for row in found.rows for end in (row.rating.low, row.rating.high)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    scale = 120 / max(high - low, 1.0)
    shown = {
        "ratings": found,
        "rows": [
            (row, *(round((value - low) * scale, 1) for value in (row.rating.low, row.rating.high, row.rating.value)))
            for row in found.rows
        ],
        "reasons": [(one, MEANS[one]) for one in REASONS],
        "mine": mine,
        "my_votes": own.count(),
    }
    return render(request, "compare/blind_start.html", shown)


@require_POST
def following(request: HttpRequest) -> HttpResponse:
    """Draws a pair and leads to it."""
    voter = current_author(request)
    limits.take(limits.REVIEWS, voter.pk)
    return HttpResponseRedirect(f"/compare/blind/{do_show_pair(voter).secret}/")


@require_safe
def pair(request: HttpRequest, secret: uuid.UUID) -> HttpResponse:
    """Two sides without names; with them once the vote is given."""
    voter = current_author(request)
    vote = access_vote(voter, secret)
    shown = {
        "vote": vote,
        "shown": shown_pair(voter, vote),
        "reasons": [(one, MEANS[one]) for one in REASONS],
        "choices": BlindVote.Choice.choices,
    }
    return render(request, "compare/blind_pair.html", shown)


@require_POST
def vote(request: HttpRequest, secret: uuid.UUID) -> HttpResponse:
    """Takes the vote and shows whose the two are."""
    voter = current_author(request)
    limits.take(limits.REVIEWS, voter.pk)
    do_vote(voter, secret, request.POST.get("choice", ""), request.POST.getlist("reason"))
    return HttpResponseRedirect(f"/compare/blind/{secret}/")
