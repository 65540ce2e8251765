"""Submissions judged by people who do not know whose they are."""

import uuid

from django.db import models
from django.utils import timezone

from graphs.models import Task
from submissions.models.people import Author


class BlindPair(models.Model):
    """Two submissions of different authors on one task, `first` before `second` by their keys. Keys are those of
    /compare/: a run's id, or "s" and the number of an imported submission."""

    task = models.ForeignKey(Task, null=True, on_delete=models.SET_NULL, related_name="+")
    task_name = models.CharField(max_length=200, help_text="its title, or the folder's name where it is not here")
    first_key = models.CharField(max_length=40)
    second_key = models.CharField(max_length=40)
    first_author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="+")
    second_author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["first_key", "second_key"], name="blind_pair_once")]

    def __str__(self) -> str:
        return f"{self.first_key} {self.second_key}"


class BlindVote(models.Model):
    """What a person was shown, and what they said to it: `choice` is empty until they vote, and never changes after,
    since the answer names the authors. `secret` is all that a page tells of the row."""

    class Choice(models.TextChoices):
        LEFT = "left", "left is better"
        RIGHT = "right", "right is better"
        BOTH_GOOD = "both_good", "both are good"
        BOTH_BAD = "both_bad", "both are bad"

    secret = models.UUIDField(unique=True, default=uuid.uuid4)
    pair = models.ForeignKey(BlindPair, on_delete=models.CASCADE, related_name="votes")
    voter = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="blind_votes")
    swapped = models.BooleanField(help_text="the second one stood left; drawn when it was shown first")
    choice = models.CharField(max_length=10, blank=True, choices=Choice)
    reasons = models.JSONField(default=list, help_text="of submissions.comparing.blind.REASONS")
    shown_at = models.DateTimeField(default=timezone.now)
    voted_at = models.DateTimeField(null=True, db_index=True)

    class Meta:
        ordering = ["-voted_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["pair", "voter"], name="blind_vote_once")]

    def __str__(self) -> str:
        return f"{self.voter_id} on {self.pair_id} {self.choice}"
