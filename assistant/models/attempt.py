"""Attempts without a person: a conversation that a model holds with its tools, within a budget."""

import uuid

from django.db import models
from django.utils import timezone

from assistant.models.conversation import Conversation
from graphs.fields import LosslessJSONField


class Attempt(models.Model):
    """What was said is in the conversation's log. `best_files` are those of the best run so far, never of a worse one.

    queued → running → ended; a person may pause it, and resume it. `holder` and `beat_at` are the conversation's: an
    attempt whose process is gone goes back to queued.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        PAUSED = "paused"
        ENDED = "ended"

    class Wish(models.TextChoices):
        NONE = ""
        PAUSE = "pause"
        STOP = "stop"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.OneToOneField(Conversation, on_delete=models.CASCADE, related_name="attempt")
    device = models.CharField(max_length=60)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    wish = models.CharField(max_length=6, choices=Wish, default=Wish.NONE, blank=True)
    max_steps = models.PositiveIntegerField()
    max_tokens = models.PositiveIntegerField(default=0, help_text="0: no limit")
    max_cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="null: no limit")
    max_seconds = models.PositiveIntegerField(help_text="of work; time in the state paused does not count")
    steps = models.PositiveIntegerField(default=0)
    tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, help_text="null: no price is known")
    seconds = models.FloatField(default=0)
    failures = models.PositiveSmallIntegerField(default=0, help_text="answers in a row that were not whole")
    first_files = LosslessJSONField(help_text="what it started from")
    files = LosslessJSONField(help_text="its working copy")
    best_files = LosslessJSONField(null=True)
    best = models.JSONField(null=True, help_text="the best evaluation, one of `evaluations`")
    evaluations = models.JSONField(default=list, help_text="[{step, run, verdict, correct, total, first_t, score}]")
    exit_reason = models.CharField(max_length=20, blank=True)
    message = models.TextField(blank=True, help_text="the reason in a sentence")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["state", "created_at"], name="attempts_waiting")]

    def __str__(self) -> str:
        return f"{self.id} {self.state} {self.steps}/{self.max_steps}"
