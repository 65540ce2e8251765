"""Logging in and out, and one's own account."""

import logging

from django.contrib import auth
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from graphs.refused import Refused
from passnet_web.accounts.forms import LoginForm, PasswordForm, TokenForm
from passnet_web.errors import with_headers
from passnet_web.gate import client_address
from submissions import limits
from submissions.access import is_admin, is_reviewer
from submissions.actions.accounts import do_change_password
from submissions.actions.tokens import LONGEST_DAYS, do_make_token, do_revoke_token
from submissions.audit import note
from submissions.authors import author_of
from submissions.models import Author
from submissions.tokens import Scope

log = logging.getLogger(__name__)

WRONG = "Name or password is wrong."


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """The login page. Says the same of an unknown name and of a wrong password."""
    goal = safe_goal(request)
    if request.method != "POST":
        return HttpResponseRedirect(goal) if request.user.is_authenticated else _login_page(request, goal)
    form = LoginForm(request.POST)
    if not form.is_valid():
        return _login_page(request, goal, WRONG, 403)
    name, address = form.cleaned_data["username"], client_address(request)
    try:
        limits.take(limits.LOGINS_FROM_ADDRESS, address)
        limits.take(limits.LOGINS_OF_NAME, name)
        limits.take(limits.LOGINS_OF_NAME_HERE, (address, name))
    except Refused as refused:
        log.warning("too many logins from %s", address)
        return with_headers(_login_page(request, goal, refused.message, refused.status), refused)
    user = auth.authenticate(request, username=name, password=form.cleaned_data["password"])
    if not isinstance(user, User):
        log.warning("a login from %s failed", address)  # not the name: people type passwords there
        return _login_page(request, goal, WRONG, 403)
    limits.forget(limits.LOGINS_OF_NAME_HERE, (address, name))
    auth.login(request, user)  # a new session key: one that was planted before is worth nothing
    author = author_of(user)
    note(author, "logged_in", user.get_username(), address=address)
    return HttpResponseRedirect(goal)


@never_cache
@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Ends the session, here and for every open WebSocket."""
    auth.logout(request)
    return HttpResponseRedirect("/login/")


@sensitive_post_parameters("current", "new", "again")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Choosing a password. With a one-time password this is the only page there is."""
    user = _user(request)
    author = author_of(user)
    must, goal = author.one_time_password, safe_goal(request)
    page = {"must": must, "next": goal}
    if request.method != "POST":
        return render(request, "accounts/password.html", page)
    limits.take(limits.PASSWORD_CHANGES, author.pk)
    form = PasswordForm(user, request.POST)
    if not form.is_valid():
        return render(request, "accounts/password.html", {**page, "form": form}, status=422)
    do_change_password(author, form.cleaned_data["new"])
    user.refresh_from_db()
    auth.update_session_auth_hash(request, user)  # this session goes on under a new key, all others end
    return HttpResponseRedirect(goal if must else "/account/")


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Who I am here, and my API tokens."""
    return _account_page(request, author_of(_user(request)))


@never_cache
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Makes a token and shows it, this once."""
    author = author_of(_user(request))
    form = TokenForm(request.POST)
    if not form.is_valid():
        words = " ".join(f"{name}: {problem}" for name, problems in form.errors.items() for problem in problems)
        return _account_page(request, author, problem=f"No token was made. {words}", status=422)
    limits.take(limits.TOKENS_MADE, author.pk)
    try:
        token, secret = do_make_token(
            author, form.cleaned_data["name"], Scope(form.cleaned_data["scope"]), form.cleaned_data["days"]
        )
    except Refused as refused:
        return _account_page(request, author, problem=refused.message, status=refused.status)
    return _account_page(request, author, made=token.name, secret=secret, status=201)


@never_cache
@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Ends a token at once."""
    do_revoke_token(author_of(_user(request)), token_id)
    return HttpResponseRedirect("/account/")


def safe_goal(request: HttpRequest) -> str:
    """The page to go to afterwards, if it is one of ours; else the catalogue."""
    wanted = request.POST.get("next") or request.GET.get("next") or "/"
    ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    plain = wanted.isprintable() and "\\" not in wanted and len(wanted) <= 2000
    return wanted if ours and plain and not wanted.startswith("/login/") else "/"


def _login_page(request: HttpRequest, goal: str, problem: str = "", status: int = 200) -> HttpResponse:
    return render(request, "accounts/login.html", {"next": goal, "problem": problem}, status=status)


def _account_page(request: HttpRequest, author: Author, *, status: int = 200, **said: str) -> HttpResponse:
    role = "admin" if is_admin(author) else "reviewer" if is_reviewer(author) else "author"
    scopes = [scope.value for scope in Scope if scope is not Scope.ADMIN or role != "author"]
    page = {"author": author, "role": role, "scopes": scopes, "longest_days": LONGEST_DAYS, **said}
    return render(request, "accounts/account.html", {**page, "tokens": author.tokens.all()[:100]}, status=status)


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):  # the gate lets nobody else through
        raise Refused(401, "not_logged_in", "You are not logged in, or not any more. Log in at /login/ and try again.")
    return request.user
