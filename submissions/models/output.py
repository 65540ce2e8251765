"""What a run printed beyond what its log shows."""

from django.db import models

from submissions.models.work import Run


class RunOutput(models.Model):
    """A piece of it, in the order of the keys. Belongs to the attempt with this token."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="outputs")
    token = models.PositiveIntegerField()
    text = models.BinaryField(help_text="zlib of UTF-8")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.token}"
