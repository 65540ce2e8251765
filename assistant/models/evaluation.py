"""What programs asked to have judged, for the sake of a reward."""

import uuid

from django.db import models
from django.utils import timezone

from submissions.models import Author, Run


class Evaluation(models.Model):
    """One request of `/api/evaluate`. `key` is the asker's own word for it: asked again with the same key and content
    it is the same evaluation, so that a request whose answer got lost costs nothing."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="evaluations")
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="evaluation")
    reward = models.CharField(max_length=12, help_text="assistant.reward.Kind")
    key = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64, help_text="of what was asked for")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["author", "key"], condition=~models.Q(key=""), name="one_evaluation_of_an_author_for_a_key"
            )
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.reward}"
