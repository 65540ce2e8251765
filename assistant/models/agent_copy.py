"""What an agent outside has in hand, where it comes over HTTP and has no folder of its own."""

from django.db import models
from django.utils import timezone

from graphs.fields import LosslessJSONField
from graphs.models import Task
from submissions.models import ApiToken


class AgentCopy(models.Model):
    """The files of one token for one task: two agents with tokens of their own do not write over each other."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="agent_copies")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="agent_copies")
    files = LosslessJSONField()
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "task"], name="one_copy_of_a_token_for_a_task")]

    def __str__(self) -> str:
        return f"{self.token_id} on {self.task_id}"
