"""Reading and changing runs with permission: every page, API call and socket gets its rows here, or a Refused.

A run, its log, its files and what it did to graphs belong to its author. Reviewers and admins see every run; only the
author and admins cancel one. Somebody else's run is answered like one that does not exist.
"""

import uuid

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from evaluator.verdicts import RunState
from graphs.refused import Refused
from submissions.imported import is_example
from submissions.models import Author, OwnedTask, ReviewItem, Run, Share, Submission, Upload
from submissions.tokens import Scope, digest_of

# Read when somebody asks for them: a browser that follows a run reads its row several times a second.
LARGE = ("revision__files", "task__description", "task__example_files", "task__thumbnail", "task__search_text")


def access_run(author: Author, run_id: str | uuid.UUID) -> Run:
    """A run by its id, with its revision and task."""
    try:
        wanted = run_id if isinstance(run_id, uuid.UUID) else uuid.UUID(run_id)
    except ValueError:
        raise Refused(404, "unknown_run", f"{str(run_id)[:80]!r} is not the id of a run: it is not a UUID.") from None
    run = Run.objects.select_related("revision", "task", "author").defer(*LARGE).filter(pk=wanted).first()
    if run is None or not may_watch(author, run):
        raise Refused(404, "unknown_run", f"There is no run {wanted}. The task's history lists the runs there are.")
    return run


def access_run_to_cancel(author: Author, run_id: str | uuid.UUID) -> Run:
    """A run that this author may end: an own one, or one of a model that they brought in."""
    run = access_run(author, run_id)
    theirs = run.author_id == author.pk or run.author.brought_in_by_id == author.pk
    if not theirs and not is_admin(author):
        raise Refused(403, "not_yours", "This is another author's run: you may look at it but not cancel it.")
    return run


def access_run_to_review(author: Author, run_id: str | uuid.UUID) -> Run:
    """A run whose verdict this author may overturn. A reviewer is no judge in their own case; an admin may have to."""
    run = access_run(author, run_id)
    if not is_reviewer(author):
        raise Refused(403, "not_a_reviewer", "Only reviewers and admins overturn a verdict. Ask one of them.")
    if run.author_id == author.pk and not is_admin(author):
        raise Refused(403, "own_run", "This is your own run. Ask another reviewer.")
    return run


def access_run_to_share(author: Author, run_id: str | uuid.UUID) -> Run:
    """A run that this author may show to others: an own one that has ended."""
    run = access_run(author, run_id)
    if run.author_id != author.pk:
        raise Refused(403, "not_yours", "This is not a run of yours. Only its author shares it.")
    if not RunState(run.state).is_final:
        raise Refused(409, "not_finished", "The run is still going on. Share it when it has ended.")
    return run


def access_share(author: Author | None, secret: str) -> Share:
    """The share whose link holds `secret`, for somebody with an account or, where its owner and PUBLIC_SHARES allow
    it, for anybody (None). Refused: 404 unknown, 410 revoked, 401 needs a login."""
    share = Share.objects.select_related("author", "task", "revision", "run").filter(digest=digest_of(secret)).first()
    if share is None:
        message = "No share has this address. The link was cut off or mistyped; ask whoever gave it to you again."
        raise Refused(404, "unknown_share", message)
    if share.revoked_at is not None:
        message = "Its owner has revoked this share. Ask them for a new link."
        raise Refused(410, "share_revoked", message)
    if author is None and not (share.public and settings.PUBLIC_SHARES):
        raise Refused(401, "not_logged_in", "This share is for people with an account here. Log in to see it.")
    return share


def access_upload(author: Author, upload_id: uuid.UUID) -> Upload:
    """What this author brought in, or an admin looks into."""
    upload = Upload.objects.filter(pk=upload_id).first()
    if upload is None or (upload.author_id != author.pk and not is_admin(author)):
        raise Refused(
            404, "unknown_upload", f"There is no upload {upload_id} of yours. /upload/ lists those there are."
        )
    return upload


def access_task_to_remove(author: Author, slug: str) -> OwnedTask:
    """A task that this author brought in; admins remove those of others, too."""
    owned = OwnedTask.objects.select_related("task").filter(task__slug=slug).first()
    if owned is None:
        raise Refused(404, "not_uploaded", f"No task {slug[:100]!r} was uploaded here. Only uploaded ones are removed.")
    if owned.author_id != author.pk and not is_admin(author):
        raise Refused(403, "not_yours", "Somebody else brought this task in: only they and admins remove it.")
    return owned


def may_watch(author: Author, run: Run) -> bool:
    """Whether an author may see a run and its log. Asked at subscription and before each message of a socket."""
    return may_read_work(author, run.author) or is_example(run)


def may_read_work(reader: Author, author: Author) -> bool:
    """Whether somebody may read what an author handed in. A model's that somebody brought in is theirs to read, one
    that this workbench's operator imported everybody's, and so is what programs of the workbench hand in."""
    if author.pk == reader.pk or author.kind == Author.Kind.BUILT_IN:
        return True
    if author.kind == Author.Kind.MODEL and author.user_id is None and author.brought_in_by_id in (None, reader.pk):
        return True
    return is_reviewer(reader)


def access_author(reader: Author, author_id: int) -> Author:
    """An author whose work this reader may look into."""
    found = Author.objects.filter(pk=author_id).first()
    if found is None or not may_read_work(reader, found):
        raise Refused(404, "unknown_author", "There is no such author whose work you may see. /boards/ lists all.")
    return found


def access_submission(reader: Author, submission_id: int) -> Submission:
    """What came in a run folder, with its author and task."""
    found = Submission.objects.select_related("author", "task", "revision").filter(pk=submission_id).first()
    if found is None or not may_read_work(reader, found.author):
        raise Refused(404, "unknown_submission", "There is no such submission that you may see. /boards/ leads to all.")
    return found


def visible_items(reader: Author) -> QuerySet[ReviewItem]:
    """Items of the review queue whose work this reader may look into: all of them for reviewers."""
    items = ReviewItem.objects.all()
    if is_reviewer(reader):
        return items
    public = Q(author__kind=Author.Kind.MODEL, author__user=None) & (
        Q(author__brought_in_by=None) | Q(author__brought_in_by=reader)
    )
    return items.filter(Q(author=reader) | Q(author__kind=Author.Kind.BUILT_IN) | public)


def access_item(reader: Author, item_id: int) -> ReviewItem:
    """An item that this reader may look at and comment on."""
    item = visible_items(reader).select_related("author", "task", "run", "submission").filter(pk=item_id).first()
    if item is None:
        raise Refused(404, "unknown_item", "There is no such item that you may see. /review/ lists all.")
    return item


def require_reviewer(reader: Author) -> None:
    """Raises Refused for whoever may look and comment only: deciding, labelling and assigning is for reviewers."""
    if not is_reviewer(reader):
        raise Refused(403, "not_a_reviewer", "Only reviewers and admins decide. You may comment; ask one of them.")


def may_decide(reviewer: Author, item: ReviewItem) -> bool:
    """Whether a reviewer may decide on it: nobody is a judge in their own case, but for an admin, who may have to."""
    own = reviewer.pk in (item.author_id, item.author.brought_in_by_id)
    return is_reviewer(reviewer) and (not own or is_admin(reviewer))


def may_review(author: Author, run: Run) -> bool:
    """Whether an author may overturn this run's verdict now."""
    judged = run.state == RunState.DONE and bool(run.verdict)
    return judged and is_reviewer(author) and (run.author_id != author.pk or is_admin(author))


def is_reviewer(author: Author) -> bool:
    """Sees every run and may overturn verdicts."""
    return author.user is not None and author.user.is_active and author.user.has_perm("submissions.review_run")


def is_admin(author: Author) -> bool:
    """May do everything."""
    return author.user is not None and author.user.is_active and author.user.is_superuser


def require_scope(request: HttpRequest, needed: Scope) -> None:
    """Raises Refused when the request came with a token that may not do this. A session may do what its user may."""
    scope: Scope | None = getattr(request, "token_scope", None)
    if scope is not None and not scope.includes(needed):
        message = f"This token's scope is {scope.value}; {needed.value} is needed. Make another token at /account/."
        raise Refused(403, "scope", message)
