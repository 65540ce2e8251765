"""What a compiler makes of a graph, measured with no submission in sight."""

from django.db import models
from django.utils import timezone

from graphs.models import Graph
from submissions.models.work import Run


class Baseline(models.Model):
    """Eager against one compiler on one graph. All numbers of a row come from one interleaved session.

    For lists and boards. A submission is never compared with a row: its ratio comes from a session of its own.
    """

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="baselines")
    device = models.CharField(max_length=60, help_text="device class")
    hardware = models.CharField(max_length=200, help_text="what the machine is, in its system's words")
    torch = models.CharField(max_length=40)
    harness = models.CharField(max_length=40)
    backend = models.CharField(max_length=60, help_text="inductor, inductor max-autotune, …")
    entry = models.CharField(max_length=10, help_text="direct or compiled, the same for both")
    method = models.CharField(max_length=10)
    threads = models.PositiveSmallIntegerField(help_text="of both; 0 where that means nothing")
    origin = models.CharField(
        max_length=200, blank=True, help_text="file that it was imported from; empty: this machine"
    )
    eager_us = models.FloatField(help_text="median of one call")
    median_us = models.FloatField(help_text="the compiler's, of the same session")
    ratio = models.FloatField(help_text="eager / compiler")
    ratio_low = models.FloatField(help_text="of the 95 % interval")
    ratio_high = models.FloatField()
    word = models.CharField(max_length=12, help_text="evaluator.statistics.SpeedWord")
    kernels = models.PositiveIntegerField(null=True, help_text="of one call, by the compiler's own metrics")
    eager_kernels = models.PositiveIntegerField(null=True)
    compared = models.BooleanField(default=False, help_text="the outputs were compared with eager's")
    first_t = models.SmallIntegerField(null=True, help_text="smallest t at which they are right; null: at none")
    flags = models.JSONField(default=dict, help_text="evaluator.precision")
    versions = models.JSONField(default=dict)
    measured_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "graph", "device", "hardware", "torch", "harness", "backend", "entry", "method", "threads", "origin"
                ],
                name="one_baseline_of_a_kind",
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.graph_id} {self.backend} {self.method} on {self.device}"


class BaselineRun(models.Model):
    """Marks a run that measures the task's graphs and has no submission. Its revision is number 0, without files."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="baseline_run")
    asked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.run_id)
