"""What an imported submission looks for, as drawings."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from submissions.access import access_submission
from submissions.authors import current_author
from submissions.patterns import drawn_patterns

router = Router(tags=["imports"])


class PatternOut(Schema):
    file: str
    code: str  # the pattern as the forward of a graph
    graph: dict[str, Any] | None  # as of /api/graphs, without shapes; null where it is not drawn
    problem: str


@router.get(
    "/submissions/{submission_id}/patterns", response=list[PatternOut], summary="A submission's patterns as graphs"
)
def patterns(request: HttpRequest, submission_id: int) -> list[dict[str, Any]]:
    """Read from the text: nothing of it is executed, and the task's graphs need not be here."""
    found = drawn_patterns(access_submission(current_author(request), submission_id).files)
    return [{"file": one.file, "code": one.code, "graph": one.graph, "problem": one.problem} for one in found]
