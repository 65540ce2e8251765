"""Showing a pair of submissions without their names, and voting on it."""

import secrets
import uuid
from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from graphs.models import Task
from graphs.refused import Refused
from submissions.audit import note
from submissions.comparing.blind import REASONS
from submissions.comparing.pairing import draw_pair
from submissions.models import Author, BlindPair, BlindVote


@transaction.atomic
def do_show_pair(voter: Author) -> BlindVote:
    """Draws a pair and its sides for this voter; one that they left without a vote where no other is left. Raises
    Refused where nothing is left to judge."""
    drawn = draw_pair(voter)
    if drawn is None:
        left = BlindVote.objects.filter(voter=voter, voted_at=None).order_by("shown_at").first()
        if left is not None:
            BlindVote.objects.filter(pk=left.pk).update(shown_at=timezone.now())  # another one comes first next time
            return left
        message = "There is no pair left that you could judge: two authors must have handed in different files for one "
        raise Refused(404, "no_pair", f"{message}task, and you may read them. Your own work is never shown to you.")
    task = Task.objects.filter(pk=drawn.task).first() if isinstance(drawn.task, int) else None
    pair, _ = BlindPair.objects.get_or_create(
        first_key=drawn.first.key,
        second_key=drawn.second.key,
        defaults={
            "task": task,
            "task_name": task.title if task else str(drawn.task),
            "first_author_id": drawn.first.author,
            "second_author_id": drawn.second.author,
        },
    )
    return BlindVote.objects.get_or_create(pair=pair, voter=voter, defaults={"swapped": bool(secrets.randbelow(2))})[0]


def access_vote(voter: Author, secret: uuid.UUID) -> BlindVote:
    """What this voter was shown under this address; somebody else's is answered like one that does not exist."""
    found = (
        BlindVote.objects.select_related("pair__task", "pair__first_author", "pair__second_author")
        .filter(secret=secret, voter=voter)
        .first()
    )
    if found is None:
        raise Refused(404, "unknown_pair", "You were shown no such pair. /compare/blind/ shows you one.")
    return found


@transaction.atomic
def do_vote(voter: Author, secret: uuid.UUID, choice: str, reasons: Collection[str]) -> BlindVote:
    """The vote stands for good: its answer names the authors, and whoever knows them is no longer blind."""
    vote = access_vote(voter, secret)
    if choice not in BlindVote.Choice.values or not set(reasons) <= set(REASONS):
        message = f"Choose one of {', '.join(BlindVote.Choice.values)}, with reasons of {', '.join(REASONS)} alone."
        raise Refused(400, "bad_vote", message)
    kept = [one for one in REASONS if one in reasons]
    now = timezone.now()
    changed = BlindVote.objects.filter(pk=vote.pk, voted_at=None).update(choice=choice, reasons=kept, voted_at=now)
    if not changed:
        raise Refused(409, "voted_already", "You have voted on this pair and know whose they are: your vote stands.")
    note(voter, "blind_vote", vote.pair_id, choice=choice, reasons=kept, swapped=vote.swapped)
    vote.choice, vote.reasons, vote.voted_at = choice, kept, now
    return vote
