"""Accounts: making them, and their passwords. A one-time password comes from a command and must be changed."""

import re
import secrets
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import Group, Permission, User
from django.db import IntegrityError, transaction
from django.utils import timezone

from graphs.refused import Refused
from submissions.audit import note
from submissions.authors import LOCAL_AUTHOR, author_of
from submissions.models import ApiToken, Author

FIRST_ACCOUNT = "admin"
REVIEWERS = "reviewers"
USER_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")  # no two that look alike
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that are mistaken for another when copied by hand


class Role(StrEnum):
    """What an account may do beside its own work."""

    AUTHOR = "author"
    REVIEWER = "reviewer"  # sees every run, overturns verdicts
    ADMIN = "admin"  # everything, /admin/ too


@dataclass(frozen=True)
class NewPassword:
    """An account and the one-time password that was just set for it. Show it once, store it nowhere."""

    author: Author
    password: str


def do_add_first_account() -> NewPassword | None:
    """The first account, an admin; None when there is an account already. Takes over the work from before accounts."""
    if User.objects.exists():
        return None
    try:
        with transaction.atomic():
            Author.objects.filter(name=LOCAL_AUTHOR, user=None).update(name=FIRST_ACCOUNT)
            return do_add_user(FIRST_ACCOUNT, Role.ADMIN)
    except IntegrityError:  # another server of this cluster was faster
        return None


@transaction.atomic
def do_add_user(name: str, role: Role, actor: Author | None = None) -> NewPassword:
    """A new account with a one-time password. An author of that name who has no account becomes this one."""
    if not USER_NAME.fullmatch(name):
        message = (
            "A user name has up to 40 small letters, digits, dots, dashes and underscores, and starts with a letter"
        )
        raise Refused(400, "bad_name", f"{message} or digit; {name[:60]!r} does not.")
    if User.objects.filter(username=name).exists():
        raise Refused(
            409,
            "taken",
            f"There is an account {name} already. `.venv/bin/python manage.py reset_password {name}` gives it a new "
            "password.",
        )
    if Author.objects.filter(name=name).exclude(kind=Author.Kind.PERSON).exists():
        message = f"{name} is the name of a model or a program that hands in passes here. Choose another name."
        raise Refused(409, "taken", message)
    password = one_time_password()
    admin = role is Role.ADMIN
    user = User.objects.create_user(name, password=password, is_staff=admin, is_superuser=admin)
    if role is Role.REVIEWER:
        user.groups.add(reviewers())
    author, _ = Author.objects.update_or_create(
        name=name, user=None, defaults={"user": user, "one_time_password": True}
    )
    note(actor, "user_added", name, role=role.value)
    return NewPassword(author, password)


@transaction.atomic
def do_reset_password(user: User, actor: Author | None = None) -> NewPassword:
    """A new one-time password; open sessions end and API tokens are revoked: this is what one does after a theft."""
    password = one_time_password()
    user.set_password(password)
    user.save(update_fields=["password"])
    author = author_of(user)
    Author.objects.filter(pk=author.pk).update(one_time_password=True)
    revoked = ApiToken.objects.filter(author=author, revoked_at=None).update(revoked_at=timezone.now())
    note(actor, "password_reset", user.get_username(), tokens_revoked=revoked)
    return NewPassword(author, password)


@transaction.atomic
def do_change_password(author: Author, password: str) -> None:
    """The password that an account chose itself. Every other session of it ends."""
    if author.user is None:
        raise ValueError("only an account has a password")
    author.user.set_password(password)
    author.user.save(update_fields=["password"])
    Author.objects.filter(pk=author.pk).update(one_time_password=False)
    note(author, "password_changed", author.user.get_username())


def one_time_password() -> str:
    """Four groups of five: 99 random bits, easy to copy."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(5)) for _ in range(4))


def reviewers() -> Group:
    """The group of reviewers, with its permission."""
    group, made = Group.objects.get_or_create(name=REVIEWERS)
    if made:
        wanted = {"content_type__app_label": "submissions", "codename": "review_run"}
        group.permissions.add(Permission.objects.get(**wanted))
    return group
