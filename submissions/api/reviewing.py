"""The review queue as data: what the page /review/ shows and does."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from graphs.refused import Refused
from submissions import limits
from submissions.access import access_item, is_reviewer, require_reviewer, require_scope
from submissions.authors import current_author
from submissions.devices import device_names
from submissions.models import Author, RegressionCase, ReviewItem, ReviewStep, Submission
from submissions.reviewing.cases import do_make_case
from submissions.reviewing.comments import do_comment, do_withdraw_comment
from submissions.reviewing.detail import detail_of
from submissions.reviewing.drafts import do_save_draft
from submissions.reviewing.evaluating import do_run_again, do_want_evaluations
from submissions.reviewing.filters import Filters, filtered
from submissions.reviewing.listing import MOST, count_items, list_clusters, list_items, neighbours
from submissions.reviewing.steps import MOST_ITEMS, Decided, do_assign, do_decide, do_label, do_undo, do_write_note
from submissions.reviewing.taxonomy import GROUPS
from submissions.tokens import Scope

router = Router(tags=["review queue"])

# Not read with thousands of items: whoever needs one of them gets it when it asks.
_LARGE = ("run__result", "run__revision__files", "submission__files", "run__revision__task__thumbnail")

Text = Annotated[str, Field(max_length=20_000)]


class StepIn(Schema):
    """One action on the named items, or, with `all`, on everything that fits the filters."""

    what: Literal["decide", "label", "unlabel", "assign", "note", "evaluate"]
    items: Annotated[list[int], Field(max_length=MOST_ITEMS)] = []
    all: Filters | None = None
    decision: Annotated[str, Field(max_length=20)] = ""
    reason: Text = ""
    duplicate_of: int | None = None
    value: Text = ""  # a label, an assignee, a note, a device


class CommentIn(Schema):
    text: Text


class DraftIn(Schema):
    fields: dict[str, Text]


class DeviceIn(Schema):
    device: Annotated[str, Field(max_length=60)]


class WhyIn(Schema):
    why: Text = ""


@router.get("/review/items", summary="Failed submissions, the newest first, page by page")
def items(
    request: HttpRequest, filters: Query[Filters], after: int = 0, limit: Annotated[int, Field(ge=1, le=MOST)] = 100
) -> dict[str, Any]:
    """Everybody sees items of the work that they may look into; reviewers all of them. Ask on with `after` = `next`."""
    reader = current_author(request)
    rows, following = list_items(reader, filters, after, limit)
    return {"items": rows, "next": following}


@router.get("/review/counts", summary="How many items fit, and how many with other values of each filter")
def counts(request: HttpRequest, filters: Query[Filters]) -> dict[str, Any]:
    reader = current_author(request)
    step = ReviewStep.objects.filter(actor=reader, undone_at=None).first()
    return {
        **count_items(reader, filters),
        "groups": [{"key": one.key, "name": one.name, "means": one.means, "kinds": one.kinds} for one in GROUPS],
        "devices": device_names(),
        "may_review": is_reviewer(reader),
        "me": reader.name,
        "undo": None if step is None else {"what": step.what, "items": step.changes.count()},
    }


@router.get("/review/clusters", summary="Items of one cause together, those of most first")
def clusters(
    request: HttpRequest, filters: Query[Filters], limit: Annotated[int, Field(ge=1, le=MOST)] = 100
) -> dict[str, Any]:
    return {"clusters": list_clusters(current_author(request), filters, limit)}


@router.get("/review/items/{item_id}", summary="One item with its evidence")
def item(request: HttpRequest, item_id: int, filters: Query[Filters]) -> dict[str, Any]:
    """`previous` and `next` are its neighbours among those that fit the filters."""
    reader = current_author(request)
    found = access_item(reader, item_id)
    return {**detail_of(reader, found), **neighbours(reader, filters, found)}


@router.post("/review/steps", summary="Decide, label, assign or note, on one item or on many")
def step(request: HttpRequest, body: StepIn) -> dict[str, Any]:
    """For reviewers; a token needs the scope `admin`. All or nothing, and it can be undone (but for evaluations)."""
    require_scope(request, Scope.ADMIN)
    reviewer = current_author(request)
    limits.take(limits.REVIEWS, reviewer.pk)
    require_reviewer(reviewer)
    rows = _chosen(reviewer, body)
    if body.what == "evaluate":
        pks = [one.submission_id for one in rows if one.submission_id is not None and one.run_id is None]
        return {"items": do_want_evaluations(reviewer, _submissions(pks), body.value), "step": None}
    if body.what == "decide":
        done = do_decide(reviewer, rows, Decided(body.decision, body.reason, body.duplicate_of))
    elif body.what == "assign":
        done = do_assign(reviewer, rows, body.value)
    elif body.what == "note":
        if len(rows) != 1:
            raise Refused(400, "one_item", "A note belongs to one item. Name one.")
        done = do_write_note(reviewer, rows[0], body.value)
    else:
        done = do_label(reviewer, rows, body.value, remove=body.what == "unlabel")
    return {"items": len(rows), "step": done.pk}


@router.post("/review/undo", summary="Take back your newest step")
def undo(request: HttpRequest) -> dict[str, Any]:
    require_scope(request, Scope.ADMIN)
    reviewer = current_author(request)
    limits.take(limits.REVIEWS, reviewer.pk)
    done = do_undo(reviewer)
    return {"what": done.what, "items": list(done.changes.values_list("item_id", flat=True))}


@router.post("/review/items/{item_id}/comments", response={201: dict[str, int]}, summary="Say something about an item")
def comment(request: HttpRequest, item_id: int, body: CommentIn) -> tuple[int, dict[str, int]]:
    """For everybody who may see the item. `A.py:12`, `graph:name` and `@name` become links."""
    require_scope(request, Scope.RUN)
    author = current_author(request)
    limits.take(limits.REVIEWS, author.pk)
    return 201, {"id": do_comment(author, access_item(author, item_id), body.text).pk}


@router.delete("/review/items/{item_id}/comments/{comment_id}", summary="Take a comment of yours back")
def withdraw(request: HttpRequest, item_id: int, comment_id: int) -> dict[str, int]:
    require_scope(request, Scope.RUN)
    author = current_author(request)
    limits.take(limits.REVIEWS, author.pk)
    return {"id": do_withdraw_comment(author, access_item(author, item_id), comment_id).pk}


@router.put("/review/items/{item_id}/draft", response={204: None}, summary="Keep what is typed and not sent")
def draft(request: HttpRequest, item_id: int, body: DraftIn) -> tuple[int, None]:
    require_scope(request, Scope.RUN)
    author = current_author(request)
    limits.take(limits.DRAFTS, author.pk)
    do_save_draft(author, access_item(author, item_id), body.fields)
    return 204, None


@router.post("/review/items/{item_id}/rerun", response={201: dict[str, str]}, summary="Run an item's files again")
def rerun(request: HttpRequest, item_id: int, body: DeviceIn) -> tuple[int, dict[str, str]]:
    require_scope(request, Scope.ADMIN)
    reviewer = current_author(request)
    limits.take(limits.RUNS, reviewer.pk)
    run = do_run_again(reviewer, access_item(reviewer, item_id), body.device)
    return 201, {"run": str(run.pk), "state": run.state}


@router.post(
    "/review/items/{item_id}/case", response={201: dict[str, str]}, summary="Make a regression case of an item"
)
def case(request: HttpRequest, item_id: int, body: WhyIn) -> tuple[int, dict[str, str]]:
    """`manage.py check_cases` judges it again."""
    require_scope(request, Scope.ADMIN)
    reviewer = current_author(request)
    limits.take(limits.REVIEWS, reviewer.pk)
    found = access_item(reviewer, item_id)
    require_reviewer(reviewer)
    return 201, {"name": do_make_case(reviewer, found, body.why or "A reviewer suspects the harness.").name}


@router.get("/review/cases", summary="Regression cases, with what the harness last said")
def cases(request: HttpRequest) -> dict[str, Any]:
    """For reviewers: they hold files of authors."""
    require_reviewer(current_author(request))
    rows = RegressionCase.objects.select_related("revision__task", "made_by")
    columns = ("name", "expected", "made_at", "checked_at", "checked_on", "harness", "differences")
    shown = [
        {**{key: getattr(one, key) for key in columns}, "task": one.revision.task.slug, "made_by": one.made_by.name}
        for one in rows
    ]
    return {"cases": shown}


def _chosen(reviewer: Author, body: StepIn) -> list[ReviewItem]:
    rows = filtered(reviewer, body.all) if body.all is not None else filtered(reviewer, Filters(state="any"))
    if body.all is None:
        rows = rows.filter(pk__in=body.items[:MOST_ITEMS])
    rows = rows.select_related("author", "run__revision__task", "submission", "task").defer(*_LARGE)
    found = list(rows.order_by("pk")[: MOST_ITEMS + 1])
    if not found or (body.all is None and len(found) != len(set(body.items))):
        raise Refused(404, "unknown_item", "Some of these items are not there, or none fits. Load the list again.")
    if len(found) > MOST_ITEMS:
        raise Refused(413, "too_many_items", f"More than {MOST_ITEMS:,} items fit. Narrow them down first.")
    return found


def _submissions(pks: list[int]) -> list[Submission]:
    rows: list[Submission] = []
    for start in range(0, len(pks), 500):
        rows += Submission.objects.select_related("author").filter(pk__in=pks[start : start + 500]).defer("files")
    return rows
