"""Who is there: authors, their API tokens, what they did to accounts and verdicts, and how fast they ask."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Author(models.Model):
    """A person or a model that hands in passes. Who can log in is a Django user; a model has none."""

    class Kind(models.TextChoices):
        PERSON = "person"
        MODEL = "model"
        BUILT_IN = "built_in"  # a program of the workbench; what it hands in is everybody's to see

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PERSON)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="author"
    )
    one_time_password = models.BooleanField(default=False, help_text="must be changed before anything else is done")
    version = models.CharField(max_length=80, blank=True, help_text="of a model or a program, as its maker names it")
    settings = models.JSONField(default=dict, help_text="what a model was asked with: {name: short text or number}")
    brought_in_by = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="+", help_text="who may import more of a model's"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class ApiToken(models.Model):
    """A key for programs. The token itself is shown once and never stored: `digest` is its SHA-256."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=16, help_text="its first characters, to tell tokens apart")
    scope = models.CharField(max_length=8, help_text="submissions.tokens.Scope")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.author_id} {self.hint}… {self.scope}"

    @property
    def is_valid(self) -> bool:
        """Neither revoked nor expired."""
        return self.revoked_at is None and self.expires_at > timezone.now()


class AuditEntry(models.Model):
    """One thing that was done to an account, a token or a verdict, and by whom. Written by the action itself."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    actor = models.ForeignKey(
        Author, null=True, on_delete=models.SET_NULL, related_name="+", help_text="null: a command"
    )
    action = models.CharField(max_length=40)
    subject = models.CharField(max_length=200, help_text="what it was done to")
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action} {self.subject}"


class RateCount(models.Model):
    """How far ahead of its rate somebody is (submissions.limits). The key is a hash: no names or addresses here."""

    key = models.CharField(max_length=64, primary_key=True)
    due = models.FloatField(db_index=True, help_text="when all that was taken would be paid off, seconds since 1970")

    def __str__(self) -> str:
        return self.key[:12]
