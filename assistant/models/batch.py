"""One author over many tasks: the drafter, or a model with an attempt for each."""

import uuid

from django.db import models
from django.utils import timezone

from assistant.models.attempt import Attempt
from assistant.models.provider import Provider
from graphs.models import Task
from submissions.models import Author


class Batch(models.Model):
    """running → ended, or paused and resumed. All of it is in the rows, so that workers may come and go."""

    class Kind(models.TextChoices):
        DRAFTER = "drafter"
        MODEL = "model"

    class State(models.TextChoices):
        RUNNING = "running"
        PAUSED = "paused"
        ENDED = "ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="batches", help_text="who asked for it")
    kind = models.CharField(max_length=8, choices=Kind)
    provider = models.ForeignKey(Provider, null=True, on_delete=models.SET_NULL, related_name="batches")
    device = models.CharField(max_length=60)
    budget = models.JSONField(help_text="of each task: {most} sets of files, or an attempt's max_… fields")
    version = models.CharField(max_length=80, blank=True, help_text="of the drafter, or the model's name")
    state = models.CharField(max_length=8, choices=State, default=State.RUNNING)
    message = models.TextField(blank=True, help_text="why it is paused")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.id} {self.kind} {self.state}"


class BatchItem(models.Model):
    """One task of a batch. `best` is one of `evaluations`; while somebody drafts, `holder` and `beat_at` say who, and
    that they live: an item whose thread is gone waits again, and what was judged already is not judged anew."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        LEFT_OUT = "left_out"

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="items")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    place = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    attempt = models.ForeignKey(Attempt, null=True, on_delete=models.SET_NULL, related_name="+")
    evaluations = models.JSONField(default=list, help_text="as an attempt's; `files` is the hash of what was judged")
    best = models.JSONField(null=True)
    message = models.TextField(blank=True)
    holder = models.CharField(max_length=32, blank=True)
    beat_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["place"]
        constraints = [models.UniqueConstraint(fields=["batch", "task"], name="a_task_once_in_a_batch")]

    def __str__(self) -> str:
        return f"{self.batch_id} {self.place} {self.state}"
