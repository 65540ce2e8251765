"""API tokens: what they may do, how they are made, how one that comes with a request is found again."""

import hashlib
import secrets
from datetime import timedelta
from enum import StrEnum

from django.utils import timezone

from submissions.models import ApiToken

PREFIX = "passnet_"  # so that a scanner of logs and repositories can tell what it has found
USE_NOTED = timedelta(minutes=1)


class Scope(StrEnum):
    """What a token may do; each includes the ones before it. A session has no scope: it may do what its user may."""

    READ = "read"  # look at what its author may look at
    EVALUATE = "evaluate"  # also have files judged in the background (/api/evaluate), for programs that train a model
    RUN = "run"  # also save drafts, hand in, cancel
    ADMIN = "admin"  # also what needs a role, as far as its author has that role: reviews

    def includes(self, other: "Scope") -> bool:
        """Whether a token of this scope may do what `other` stands for."""
        ranks = list(Scope)
        return ranks.index(self) >= ranks.index(other)


def new_secret() -> str:
    """A token, 256 random bits: too many to guess, so that a plain hash of it is enough."""
    return PREFIX + secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """What is stored instead of a token."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def find_token(secret: str) -> ApiToken | None:
    """The valid token that was given out as `secret`, with its author and user; notes that it was used."""
    found = ApiToken.objects.select_related("author__user").filter(digest=digest_of(secret)).first()
    if found is None or not found.is_valid:
        return None
    user = found.author.user
    if user is None or not user.is_active or found.author.one_time_password:
        return None
    now = timezone.now()
    if found.used_at is None or found.used_at < now - USE_NOTED:
        ApiToken.objects.filter(pk=found.pk).update(used_at=now)
    return found
