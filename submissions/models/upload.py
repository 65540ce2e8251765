"""What somebody brought in through the browser, and the tasks that are theirs because of it."""

import uuid

from django.db import models
from django.utils import timezone

from graphs.models import Task
from submissions.models.people import Author


class Upload(models.Model):
    """An archive of sample folders, or the text of a module. The text is kept, whatever becomes of it."""

    class Kind(models.TextChoices):
        ARCHIVE = "archive"
        MODULE = "module"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="uploads")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True, help_text="of a module")
    state = models.CharField(max_length=10, choices=State.choices)
    problem = models.TextField(blank=True, help_text="why it failed, for people")
    file = models.CharField(max_length=300, blank=True, help_text="where the problem is")
    line = models.PositiveIntegerField(null=True)
    said = models.JSONField(default=list, help_text="lines for people: folders left out, warnings, graph breaks")
    known = models.JSONField(default=list, help_text="slugs of tasks that had been here before")
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["author", "-created_at"], name="uploads_of_an_author")]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class OwnedTask(models.Model):
    """A task that came with an upload. Everybody sees it; its owner may remove it."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True, related_name="owned")
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="owned_tasks")
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="tasks")

    def __str__(self) -> str:
        return f"{self.task_id} of {self.author_id}"
