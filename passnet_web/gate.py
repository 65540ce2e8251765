"""Who is let in. Every request passes here, and an address that is not named below needs an account.

A program shows an API token (`Authorization: Bearer …`), a person has a session. Where there is a token the session is
ignored, so that a request needs no protection against forgery exactly when it can not be forged.
"""

import re
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import CsrfViewMiddleware

from graphs.refused import Refused
from passnet_web.errors import refused_response
from passnet_web.middleware import SAFE_METHODS, Handler
from submissions import limits
from submissions.access import require_scope
from submissions.authors import author_of
from submissions.tokens import Scope, find_token

OPEN = frozenset({"/healthz", "/readyz", "/metrics", "/login/"})  # metrics look for themselves who asks
BEFORE_PASSWORD = frozenset({"/account/password/", "/logout/"})  # what a one-time password is good for
PUBLIC = re.compile(
    r"/((tasks|graphs)/[^/]+/|slower/|boards/)?"
    r"|/api/(devices|(slower|boards)(/figures)?|graphs/[^/]+(/drawing)?|tasks|tasks/[^/]+(/example|/baselines|/graphs/[^/]+)?)"
)  # with PUBLIC_READ
EVALUATE = re.compile(r"/api/evaluate(/.*)?")  # what a token of that scope may write to
SHARED = re.compile(r"/s/[A-Za-z0-9_-]{43}/(pass_dir\.zip)?")  # submissions.access.access_share has the word there


class Gate:
    """Identifies the caller and refuses whoever has no business at this address."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            _identify(request)
            turned_away = _turned_away(request)
        except Refused as refused:
            return refused_response(request, refused)
        return turned_away or self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """What a page's view refuses; the API has its own handler."""
        return refused_response(request, exception) if isinstance(exception, Refused) else None


def client_address(request: HttpRequest) -> str:
    """Where a request comes from: what the outermost proxy of ours saw, else the connection's other end."""
    count: int = settings.PROXIES
    if count:
        seen: list[str] = [
            part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()
        ]
        if len(seen) >= count:
            return seen[-count]
    return str(request.META.get("REMOTE_ADDR") or "")


def _identify(request: HttpRequest) -> None:
    """Lets a token stand for its author. A wrong one is refused, whatever session comes with it."""
    shown = request.headers.get("Authorization")
    if shown is None or not request.path.startswith("/api/"):
        return
    scheme, _, secret = shown.partition(" ")
    token = find_token(secret.strip()) if scheme.lower() == "bearer" else None
    if token is None or token.author.user is None:
        limits.take(limits.WRONG_TOKENS, client_address(request))
        message = "This API token is not valid: it is mistyped, expired or revoked. Make one at /account/."
        raise Refused(401, "bad_token", message)
    limits.take(limits.TOKEN_REQUESTS, token.pk)
    request.user = token.author.user
    request.token_scope = Scope(token.scope)  # type: ignore[attr-defined]
    request.api_token = token  # type: ignore[attr-defined]
    needed = Scope.EVALUATE if EVALUATE.fullmatch(request.path) else Scope.RUN
    require_scope(request, Scope.READ if request.method in SAFE_METHODS else needed)


def _turned_away(request: HttpRequest) -> HttpResponse | None:
    """The answer for whoever may not go on; None lets them in."""
    path = request.path
    if path in OPEN:
        return None
    user = request.user
    if not isinstance(user, User):
        if settings.PUBLIC_READ and request.method in ("GET", "HEAD") and PUBLIC.fullmatch(path):
            return None
        if request.method in ("GET", "HEAD") and SHARED.fullmatch(path):
            limits.take(limits.SHARED_PAGES, client_address(request))
            return None
        return _log_in_first(request)
    if author_of(user).one_time_password and path not in BEFORE_PASSWORD:
        return _choose_password_first(request)
    if path.startswith("/admin/") and not user.is_staff:
        raise Refused(404, "not_found", f"There is no page at {path[:200]}.")
    if path.startswith("/api/") and request.method not in SAFE_METHODS and not hasattr(request, "token_scope"):
        _check_forgery(request)
    return None


def _log_in_first(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        message = "You are not logged in, or not any more. Log in at /login/, or send an API token, and try again."
        raise Refused(401, "not_logged_in", message)
    return HttpResponseRedirect(f"{settings.LOGIN_URL}{_goal(request)}")


def _choose_password_first(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        message = "The one-time password must be changed first. Choose your own at /account/password/."
        raise Refused(403, "password_change_needed", message)
    return HttpResponseRedirect(f"/account/password/{_goal(request)}")


def _goal(request: HttpRequest) -> str:
    """`?next=…` when there is a page to come back to."""
    wanted = request.get_full_path()
    return f"?{urlencode({'next': wanted})}" if request.method == "GET" and wanted != "/" else ""


def _check_forgery(request: HttpRequest) -> None:
    """Django's own check, which the API's views are exempt from because programs with a token have no cookie."""
    reason = _ForgeryCheck(lambda _: HttpResponse()).process_view(request, lambda _: HttpResponse(), (), {})
    if reason is not None:
        message = f"{reason} Send the value of the cookie csrftoken as the header X-CSRFToken; a page sets that cookie."
        raise Refused(403, "csrf", message)


class _ForgeryCheck(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> str:  # type: ignore[override]
        return reason
