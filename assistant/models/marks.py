"""What may leave this machine: marks on tasks, and authors' consent to send their code to a host."""

from django.db import models
from django.utils import timezone

from graphs.models import Task
from submissions.models import Author


class TaskMark(models.Model):
    """What somebody has said about a task. Without an author it is the site's word, which holds for everybody."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="marks")
    author = models.ForeignKey(Author, null=True, on_delete=models.CASCADE, related_name="task_marks")
    never_send = models.BooleanField(default=False, help_text="nothing of it goes to a model")
    held_out = models.BooleanField(default=False, help_text="its passes are shown to no model as an example")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "author"], name="task_marked_once"),
            models.UniqueConstraint(fields=["task"], condition=models.Q(author=None), name="site_marks_task_once"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} never_send={self.never_send} held_out={self.held_out}"


class Consent(models.Model):
    """An author agrees that graphs, files and results are sent to a host."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="consents")
    host = models.CharField(max_length=255)
    given_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["author", "host"], name="consent_given_once")]

    def __str__(self) -> str:
        return f"{self.author_id} → {self.host}"
