"""What the frame of every page needs: theme, who is logged in, what must be warned of."""

from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError
from django.http import HttpRequest

from submissions.devices import without_isolation


def frame(request: HttpRequest) -> dict[str, Any]:
    """Template context: `theme` (so that a page is right from its first paint), `unisolated` (device classes)."""
    theme = request.COOKIES.get("theme", "")
    return {"theme": theme if theme in ("light", "dark") else "", "unisolated": _unisolated(request)}


def _unisolated(request: HttpRequest) -> list[str]:
    if not isinstance(getattr(request, "user", None), User):
        return []  # a visitor need not know
    try:
        return without_isolation()
    except DatabaseError:  # the page that says so must still come up
        return []
