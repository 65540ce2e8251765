"""Making and revoking API tokens."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from graphs.refused import Refused
from submissions.access import is_reviewer
from submissions.audit import note
from submissions.models import ApiToken, Author
from submissions.safe_json import safe_text
from submissions.tokens import PREFIX, Scope, digest_of, new_secret

LONGEST_DAYS = 366
MOST_TOKENS = 50  # valid ones of one author


@transaction.atomic
def do_make_token(author: Author, name: str, scope: Scope, days: int) -> tuple[ApiToken, str]:
    """A new token and the secret that is its only proof. Raises Refused."""
    name = safe_text(" ".join(name.split()))[:80]
    if not name:
        raise Refused(400, "bad_token", "Give the token a name that says where it will be used.")
    if not 1 <= days <= LONGEST_DAYS:
        raise Refused(400, "bad_token", f"A token is valid for 1 to {LONGEST_DAYS} days, not {days}.")
    if scope is Scope.ADMIN and not is_reviewer(author):
        raise Refused(403, "scope", "Only reviewers and admins can make a token of the scope admin.")
    now = timezone.now()
    if ApiToken.objects.filter(author=author, revoked_at=None, expires_at__gt=now).count() >= MOST_TOKENS:
        raise Refused(429, "too_many_tokens", f"There are {MOST_TOKENS} valid tokens already. Revoke one first.")
    secret = new_secret()
    token = ApiToken.objects.create(
        author=author,
        name=name,
        digest=digest_of(secret),
        hint=secret[: len(PREFIX) + 4],
        scope=scope.value,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    note(author, "token_made", token.hint, scope=scope.value, days=days, name=name)
    return token, secret


@transaction.atomic
def do_revoke_token(author: Author, token_id: int) -> None:
    """Ends one of the author's tokens. Raises Refused when there is none of that number."""
    token = ApiToken.objects.filter(pk=token_id, author=author).first()
    if token is None:
        raise Refused(404, "unknown_token", "You have no such token. Your account page lists the ones there are.")
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()) == 1:
        note(author, "token_revoked", token.hint, name=token.name)
