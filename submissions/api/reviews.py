"""Overturning the verdict of a run."""

from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema

from evaluator.verdicts import Integrity
from submissions import limits
from submissions.access import access_run_to_review, require_scope
from submissions.actions.reviews import do_review_run
from submissions.authors import current_author
from submissions.reviews import ReviewOut, reviews_of
from submissions.tokens import Scope

router = Router(tags=["reviews"])


class ReviewIn(Schema):
    verdict: Literal["clean", "suspicious", "violation"]
    reason: str


class Reviewed(Schema):
    run: UUID
    verdict: str  # the judge's, as it was
    reviewed_verdict: str  # the one that stands now
    reviews: list[ReviewOut]


@router.post("/runs/{run_id}/review", response={201: Reviewed}, summary="Overturn a run's verdict, with a reason")
def review_run(request: HttpRequest, run_id: str, body: ReviewIn) -> tuple[int, dict[str, Any]]:
    """For reviewers and admins; a token needs the scope `admin`. Both verdicts stay on record."""
    require_scope(request, Scope.ADMIN)
    reviewer = current_author(request)
    limits.take(limits.REVIEWS, reviewer.pk)
    run = access_run_to_review(reviewer, run_id)
    review = do_review_run(reviewer, run, Integrity(body.verdict), body.reason)
    said = {"run": run.pk, "verdict": run.verdict, "reviewed_verdict": review.verdict, "reviews": reviews_of(run)}
    return 201, said
