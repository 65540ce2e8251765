"""The static integrity check of files that are still being typed."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from graphs.access import access_task
from submissions import limits
from submissions.authors import current_author
from submissions.checking import check_apart
from submissions.files import check_files
from submissions.safe_json import safe_json

router = Router(tags=["checks"])


class CheckIn(Schema):
    files: dict[str, str]


class Checked(Schema):
    findings: list[dict[str, Any]]  # evaluator.events.Finding
    problem: str  # why there may be more than these; empty when everything was looked at


@router.post("/tasks/{slug}/check", response=Checked, summary="Integrity findings on files, without running them")
def check(request: HttpRequest, slug: str, body: CheckIn) -> dict[str, Any]:
    """What a run's static check would find. Nothing is stored, imported or run."""
    limits.take(limits.CHECKS, current_author(request).pk)
    access_task(slug)
    check_files(body.files, may_be_empty=True)
    found = check_apart(body.files)
    return {"findings": safe_json(found.findings), "problem": found.problem}
