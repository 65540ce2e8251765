"""Pages of shares: what a link shows, its files as a folder, and going on from it as one's own draft."""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from graphs.refused import Refused
from submissions import limits
from submissions.access import access_share
from submissions.actions.shares import do_fork, draft_in_the_way
from submissions.api.shares import zip_response
from submissions.authors import author_or_none, current_author
from submissions.models import Revision, Share
from submissions.pass_dir import pass_dir_zip
from submissions.shared_page import shared_page


@require_safe
def shared(request: HttpRequest, secret: str) -> HttpResponse:
    """The share, read only."""
    try:
        viewer = author_or_none(request)
        share = access_share(viewer, secret)
        _revision(share)
    except Refused as refused:
        return _refused(request, refused)
    page = shared_page(share, request.GET.get("graph", ""), viewer)
    return _private(render(request, "shared.html", {**page, "secret": secret}))


@require_safe
def shared_zip(request: HttpRequest, secret: str) -> HttpResponse:
    """The shared files as a zip of pass_dir."""
    try:
        share = access_share(author_or_none(request), secret)
        content = pass_dir_zip(_revision(share).files)
    except Refused as refused:
        return _refused(request, refused)
    return _private(zip_response(f"shared-{share.files_hash[:12]}-pass_dir.zip", content))


@require_http_methods(["GET", "HEAD", "POST"])
def fork(request: HttpRequest, secret: str) -> HttpResponse:
    """Copies the files to the viewer's draft. Work that is in the way is kept as a revision, after a question."""
    try:
        author = current_author(request)
        share = access_share(author, secret)
        files = _revision(share).files
        if share.task is None:
            raise Refused(410, "task_gone", "The task is gone from this workbench. The files can still be downloaded.")
        if request.method != "POST":  # a visitor comes back from the login page here
            return HttpResponseRedirect(f"/s/{secret}/")
        limits.take(limits.DRAFTS, author.pk)
        keep = request.POST.get("keep") == "revision"
        before = draft_in_the_way(author, share.task, files)
        if before is not None and not keep:
            page = {"share": share, "secret": secret, "count": len(before.files), "names": sorted(before.files)}
            return _private(render(request, "shared_fork.html", page, status=409))
        done = do_fork(author, share.task, files, keep=keep)
    except Refused as refused:
        return _refused(request, refused)
    if done.kept is not None:
        return _private(render(request, "shared_forked.html", {"task": share.task, "kept": done.kept}))
    return HttpResponseRedirect(f"/tasks/{share.task.slug}/")


def _revision(share: Share) -> Revision:
    """The pinned files, if they are still here."""
    if share.revision is None:
        raise Refused(410, "share_gone", "The files of this share have been deleted. Ask its owner for a new link.")
    return share.revision


def _refused(request: HttpRequest, refused: Refused) -> HttpResponse:
    if refused.status == 401:
        return HttpResponseRedirect(f"{settings.LOGIN_URL}?{urlencode({'next': request.path})}")
    title = {404: "No such share", 410: "This is gone"}.get(refused.status, "This was not done")
    answer = _private(
        render(request, "shared_gone.html", {"title": title, "message": refused.message}, status=refused.status)
    )
    if "retry_after" in refused.extra:
        answer.headers["Retry-After"] = str(refused.extra["retry_after"])
    return answer


def _private(answer: HttpResponse) -> HttpResponse:
    """Not kept anywhere: it may be revoked the next moment. Not found by searching either."""
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    return answer
