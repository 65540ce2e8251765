"""What came in a run folder, and in logs of evaluations elsewhere: kept whether its tasks are here or not."""

from django.db import models
from django.utils import timezone

from graphs.fields import LosslessJSONField
from graphs.models import Task
from submissions.models.people import Author
from submissions.models.work import Revision


class Submission(models.Model):
    """One `pass_dir` of a run folder. `reported` is its author's own word; what was measured here is in runs.

    `revision` is made when it is first evaluated, which needs the task's graphs; `problem` says why it never can be.
    """

    author = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="submissions")
    task_name = models.CharField(max_length=200, help_text="the folder that held it: a task's id")
    task = models.ForeignKey(Task, null=True, on_delete=models.SET_NULL, related_name="submissions")
    hash = models.CharField(max_length=64, help_text="submissions.hashing.files_hash")
    files = LosslessJSONField(help_text="{name: text}, bytes that are no UTF-8 as surrogates")
    path = models.CharField(max_length=1000, help_text="in the run folder")
    reported = models.FloatField(null=True, help_text="score.txt: reported by the author, not measured here")
    problem = models.CharField(max_length=500, blank=True, help_text="why it can not be evaluated, for people")
    findings = models.JSONField(null=True, help_text="of the static check; null: not looked at yet")
    check_problem = models.CharField(max_length=300, blank=True, help_text="why there may be more findings")
    wanted_on = models.CharField(max_length=60, blank=True, help_text="device class on which it is to be evaluated")
    revision = models.ForeignKey(Revision, null=True, on_delete=models.PROTECT, related_name="submissions")
    imported_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["author", "task_name", "hash"], name="files_handed_in_once_for_a_task")
        ]
        indexes = [
            models.Index(fields=["wanted_on", "task"], name="submissions_wanted"),
            models.Index(fields=["task_name"], name="submissions_of_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.author_id} {self.task_name} {self.hash[:12]}"


class ReportedLog(models.Model):
    """A log of the published harness. Everything in it is reported, not measured: a submission can print such lines."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="reported_logs")
    name = models.CharField(max_length=300)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file's bytes")
    graphs = models.JSONField(help_text="list of submissions.importing.eval_log.ReportedGraph as JSON")
    imported_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["author", "digest"], name="log_of_an_author_once")]

    def __str__(self) -> str:
        return f"{self.author_id} {self.name}"
