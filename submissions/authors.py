"""Who is asking. The one place that turns a request or a socket into an author."""

import contextlib
import uuid
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from graphs.refused import Refused
from submissions.models import Author

LOCAL_AUTHOR = "local"  # everybody, before there were accounts; the first account takes over what it has


def current_author(asking: HttpRequest | Mapping[str, Any]) -> Author:
    """The author behind an HTTP request or a WebSocket's scope. Raises Refused when nobody is logged in, or somebody
    who must choose a password first.

    A socket is asked about again and again: its session is read anew each time, so that it ends with a logout.
    """
    user = asking.user if isinstance(asking, HttpRequest) else socket_user(asking)
    if not isinstance(user, User) or not user.is_active:
        raise Refused(401, "not_logged_in", "You are not logged in, or not any more. Log in at /login/ and try again.")
    author = author_of(user)
    if author.one_time_password:
        message = "The one-time password must be changed first. Choose your own at /account/password/."
        raise Refused(403, "password_change_needed", message)
    return author


def author_or_none(request: HttpRequest) -> Author | None:
    """The author, or None for a visitor without an account, where one is let in (PUBLIC_READ)."""
    return current_author(request) if request.user.is_authenticated else None


def author_of(user: User) -> Author:
    """The author that a user is. One is made for a user that was not made by us, under a name that is free."""
    with contextlib.suppress(Author.DoesNotExist):
        known: Author = user.author  # type: ignore[attr-defined]  # read once for each request
        return known
    for name in (user.get_username()[:100], f"{user.get_username()[:80]}-{uuid.uuid4().hex[:8]}"):
        try:
            with transaction.atomic():
                return Author.objects.create(name=name, user=user)
        except IntegrityError:  # somebody else's name, or another request of this user was faster
            again = Author.objects.select_related("user").filter(user=user).first()
            if again is not None:
                return again
    raise RuntimeError(f"no author can be made for user {user.pk}")


def socket_user(scope: Mapping[str, Any]) -> User | AnonymousUser:
    """The user whose valid session a WebSocket's cookie names, read from the database now."""
    request = HttpRequest()
    store = import_module(settings.SESSION_ENGINE).SessionStore
    request.session = store(_session_key(scope))
    user = get_user(request)  # checks that the password is still the one that the session was opened with
    return user if isinstance(user, User) else AnonymousUser()


def _session_key(scope: Mapping[str, Any]) -> str | None:
    for name, value in scope.get("headers", ()):
        if name == b"cookie":
            try:
                morsel = SimpleCookie(value.decode("latin-1")).get(settings.SESSION_COOKIE_NAME)
            except CookieError:
                continue
            if morsel is not None:
                return morsel.value
    return None
