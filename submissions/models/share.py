"""What an author has shown to others by a link."""

from django.db import models
from django.utils import timezone

from graphs.models import Task
from submissions.models.people import Author
from submissions.models.work import Revision, Run


class Share(models.Model):
    """A link to one revision, or to one run of it, with what it depends on as it was when it was shared.

    The link's token is shown once and never stored: `digest` is its SHA-256. A share outlives what it shows, so that
    its page can say that this is gone.
    """

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="shares")
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=16, help_text="the token's first characters, to tell shares apart")
    public = models.BooleanField(help_text="anybody with the link may look; else people with an account here")
    title = models.CharField(max_length=300, help_text="what was shared, for its owner's list")
    task = models.ForeignKey(Task, null=True, on_delete=models.SET_NULL, related_name="shares")
    revision = models.ForeignKey(Revision, null=True, on_delete=models.SET_NULL, related_name="shares")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="shares")
    with_run = models.BooleanField(help_text="a run was shared, even if it is gone now")
    files_hash = models.CharField(max_length=64, help_text="submissions.hashing.files_hash")
    graphs = models.JSONField(help_text="[[name, identity]], as in a run")
    graph = models.CharField(max_length=300, blank=True, help_text="the one that was in view")
    device = models.CharField(max_length=60)
    versions = models.JSONField(default=dict, help_text="python, torch, triton, harness; empty where nothing had said")
    created_at = models.DateTimeField(default=timezone.now)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.author_id} {self.hint}…"
