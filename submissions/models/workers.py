"""Who judges: the worker processes of every machine, and what each last said."""

from django.db import models


class Worker(models.Model):
    """One worker process, by its name ("cpu@machine"). It takes runs unless it is `draining` or `held`."""

    name = models.CharField(max_length=200, primary_key=True)
    device = models.CharField(max_length=60, db_index=True, help_text="the device class whose queue it serves")
    status = models.CharField(max_length=20, help_text="of its runner daemon: ready, warming, busy or offline")
    message = models.TextField(blank=True)
    versions = models.JSONField(default=dict)
    isolation = models.CharField(max_length=60, blank=True)
    held = models.TextField(blank=True, help_text="why it takes no runs: its versions are not those of its class")
    draining = models.BooleanField(default=False, help_text="an admin has asked it to finish its run and take no other")
    killed = models.PositiveIntegerField(default=0, help_text="attempts that were lost with it")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["device", "name"]

    def __str__(self) -> str:
        return f"{self.name} {self.status}"


class Tally(models.Model):
    """A count that only grows, for metrics: how many of a kind there were, and their seconds together. `key` is the
    metric's name and its labels as JSON (submissions.tallies)."""

    key = models.CharField(max_length=300, primary_key=True)
    count = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return f"{self.key} {self.count}"
