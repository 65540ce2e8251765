"""Pages that lay submissions and authors beside each other."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.authors import current_author


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to six submissions on one task; what they are stands in the address."""
    current_author(request)
    return render(request, "compare/compare.html")
