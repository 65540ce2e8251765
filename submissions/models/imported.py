"""Jobs that left this workbench as a file, and runs that came back as one."""

from django.db import models
from django.utils import timezone

from submissions.models.work import Revision, Run


class Bundle(models.Model):
    """A job that was exported to be judged elsewhere. Its results name it by `digest`."""

    digest = models.CharField(max_length=64, help_text="SHA-256 of the bundle's bytes")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="bundles")
    graphs = models.JSONField(help_text="[[name, identity]], as in a run")
    profile = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest", "revision"], name="bundle_of_a_revision_once")]

    def __str__(self) -> str:
        return self.digest[:12]


class ImportedRun(models.Model):
    """Marks a run that was not measured here, and says where it was. Everything in it is the file's own word."""

    class Kind(models.TextChoices):
        BUNDLE = "bundle"  # somebody exported the job here and brought its results back
        EXAMPLE = "example"  # ships with the workbench, for everybody to see

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="imported")
    kind = models.CharField(max_length=10, choices=Kind)
    digest = models.CharField(max_length=64, db_index=True, help_text="SHA-256 of the file of results")
    bundle = models.ForeignKey(Bundle, null=True, on_delete=models.PROTECT, related_name="imports")
    origin = models.JSONField(help_text="first line of the file")
    hardware = models.CharField(max_length=200, help_text="what it was measured on, in the file's words")
    versions = models.JSONField(default=dict)
    harness = models.CharField(max_length=64, blank=True, help_text="evaluator.harness.harness_hash there; or empty")
    imported_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.run_id} {self.kind}"
