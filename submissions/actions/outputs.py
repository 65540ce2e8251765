"""Keeping what a run prints beyond its log: a bounded file of a run, of a bounded number of an author's runs."""

import zlib

from django.db import transaction
from django.db.models import Max

from submissions.actions.claims import Claim
from submissions.events import StaleToken
from submissions.models import LIVE_STATES, Run, RunOutput

KEPT_BYTES = 16 << 20  # of a run
KEPT_RUNS = 10  # of an author, the newest


def do_keep_output(claim: Claim, text: str) -> None:
    """Stores a piece. The first one of an attempt removes those of earlier attempts, and of the author's runs that are
    more than KEPT_RUNS. Raises StaleToken."""
    with transaction.atomic():
        held = Run.objects.filter(pk=claim.run_id, token=claim.token, state__in=LIVE_STATES)
        author = held.values_list("author_id", flat=True).first()
        if author is None:
            raise StaleToken(f"run {claim.run_id} is not held by token {claim.token} any more")
        own = RunOutput.objects.filter(run_id=claim.run_id)
        first = not own.filter(token=claim.token).exists()
        if first:
            own.delete()
        RunOutput.objects.create(run_id=claim.run_id, token=claim.token, text=zlib.compress(text.encode()))
        if first:
            _forget_older(author)


def _forget_older(author: int) -> None:
    outputs = RunOutput.objects.filter(run__author_id=author)
    by_age = outputs.values("run_id").annotate(last=Max("pk")).order_by("-last").values_list("run_id", flat=True)
    outputs.filter(run_id__in=list(by_age[KEPT_RUNS:])).delete()
