"""The page of the review queue."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.authors import current_author


@require_safe
def review(request: HttpRequest) -> HttpResponse:
    """Failed submissions and why; what is chosen stands in the address."""
    current_author(request)
    return render(request, "review/review.html")
