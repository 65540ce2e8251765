"""How often somebody may ask. A rate lets a burst through at once and then one request every few seconds.

Counted in the database, in one statement: it holds for all web processes together and while Redis is away.
"""

import hashlib
import math
import time
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest

from graphs.refused import Refused
from submissions.models import RateCount


@dataclass(frozen=True)
class Rate:
    """`burst` requests at once, then one every `seconds`."""

    name: str
    burst: int
    seconds: float


LOGINS_OF_NAME_HERE = Rate("login name and address", 5, 30)
LOGINS_FROM_ADDRESS = Rate("login address", 30, 10)
LOGINS_OF_NAME = Rate("login name", 60, 60)  # from all addresses: slow enough for guessing, too high to lock people out
PASSWORD_CHANGES = Rate("password", 10, 30)
TOKENS_MADE = Rate("token made", 10, 60)
TOKEN_REQUESTS = Rate("token request", 300, 0.1)
WRONG_TOKENS = Rate("wrong token", 20, 5)
RUNS = Rate("run", 60, 1)
CANCELS = Rate("cancel", 60, 1)
DRAFTS = Rate("draft", 60, 0.5)  # the editor saves at most every 0.7 s, and a person may have several tabs
CHECKS = Rate("check", 60, 0.3)
REVIEWS = Rate("review", 60, 1)
SEARCHES = Rate("search saved", 60, 1)
UPLOADS = Rate("upload", 20, 10)
SHARES_MADE = Rate("share made", 20, 10)
SHARED_PAGES = Rate("shared page", 120, 0.5)  # of visitors without an account, from one address


def take(rate: Rate, who: object) -> None:
    """Counts one request of `who`. Raises Refused (429, with `retry_after` in seconds) when it is one too many."""
    key = _key(rate, who)
    now = _now()
    latest = now + (rate.burst - 1) * rate.seconds
    counted = RateCount.objects.filter(key=key, due__lte=latest)
    for _ in range(2):
        if counted.update(due=Greatest(F("due"), Value(now)) + rate.seconds) == 1:
            return
        due = RateCount.objects.filter(key=key).values_list("due", flat=True).first()
        if due is not None:
            raise _too_many(due - latest)
        RateCount.objects.filter(due__lt=now).delete()  # whoever has been quiet for long enough starts anew anyway
        try:
            with transaction.atomic():
                RateCount.objects.create(key=key, due=now + rate.seconds)
            return
        except IntegrityError:  # another process was faster: count on its row
            continue


def forget(rate: Rate, who: object) -> None:
    """Starts anew for `who`, as after a login that succeeded."""
    RateCount.objects.filter(key=_key(rate, who)).delete()


def _now() -> float:
    return time.time()


def _key(rate: Rate, who: object) -> str:
    return hashlib.sha256(f"{rate.name}\0{who}".encode("utf-8", "surrogatepass")).hexdigest()


def _too_many(wait: float) -> Refused:
    seconds = max(1, math.ceil(wait))
    plural = "s" if seconds > 1 else ""
    message = f"Too many requests of this kind. Try again in {seconds} second{plural}."
    return Refused(429, "too_many_requests", message, retry_after=seconds)
