"""Conversations with a model: an append-only log each, like a run's; and the edits that came out of it."""

import uuid

from django.db import models
from django.utils import timezone

from assistant.models.provider import Provider
from graphs.fields import LosslessJSONField
from graphs.models import Task
from submissions.models import Author


class Conversation(models.Model):
    """`seq` is the number of its last event. While a turn is going on, `holder` names the thread that writes it and
    `beat_at` is when it was last alive: a turn whose process is gone is ended by whoever looks next."""

    class State(models.TextChoices):
        IDLE = "idle"
        RUNNING = "running"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="conversations")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="conversations")
    provider = models.ForeignKey(Provider, null=True, on_delete=models.SET_NULL, related_name="conversations")
    title = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.IDLE)
    seq = models.PositiveIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    holder = models.CharField(max_length=32, blank=True)
    beat_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-changed_at"]
        indexes = [models.Index(fields=["author", "task", "-changed_at"], name="conversations_of_author")]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class ConversationEvent(models.Model):
    """One line of a conversation's log (assistant.chat.log lists the kinds). Numbers start at 1 and have no gaps."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    payload = LosslessJSONField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["conversation", "seq"], name="chat_event_numbered_once")]

    def __str__(self) -> str:
        return f"{self.conversation_id} {self.seq} {self.kind}"


class Proposal(models.Model):
    """What a turn made of one file. It is offered hunk by hunk and never written by itself."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="proposals")
    name = models.CharField(max_length=200, help_text="of the file")
    before = LosslessJSONField(null=True, help_text="the text it was made from; null: there was no such file")
    after = LosslessJSONField(null=True, help_text="the text it proposes; null: the file is removed")
    problem = models.TextField(blank=True, help_text="why it can not be accepted: it does not parse")
    decisions = models.JSONField(default=dict, help_text="{number of a hunk: accepted | rejected}")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.conversation_id} {self.name}"
