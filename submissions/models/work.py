"""What was handed in, and what became of it."""

import uuid

from django.db import models
from django.utils import timezone

from evaluator.verdicts import RunState
from graphs.fields import LosslessJSONField
from graphs.models import Task
from submissions.models.people import Author

LIVE_STATES = (RunState.LEASED.value, RunState.RUNNING.value)
OPEN_STATES = (RunState.QUEUED.value, *LIVE_STATES)


class Lane(models.IntegerChoices):
    """Who is judged first on a device: the smaller number."""

    INTERACTIVE = 0, "somebody waits for it"
    REVIEW = 5, "a reviewer's decision waits for it"
    BACKGROUND = 10, "asked for by a program, in numbers"


class Draft(models.Model):
    """The files an author is working on. `version` grows by one with each save; a save names the one it knows."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    task = models.ForeignKey(Task, on_delete=models.CASCADE)
    files = LosslessJSONField()
    version = models.PositiveIntegerField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["author", "task"], name="one_draft_of_an_author_for_a_task")]

    def __str__(self) -> str:
        return f"{self.author_id} on {self.task_id} v{self.version}"


class Revision(models.Model):
    """A set of files as it was handed in. Never changed."""

    hash = models.CharField(max_length=64, db_index=True, help_text="submissions.hashing.files_hash")
    number = models.PositiveIntegerField()
    files = LosslessJSONField()
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="revisions")
    author = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="revisions")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "author", "number"], name="revision_numbered_once")]

    def __str__(self) -> str:
        return f"{self.task_id} r{self.number} {self.hash[:12]}"


class Run(models.Model):
    """One judging of a revision on a device class.

    `seq` is the number of the last event of its log. `token` grows with every claim; whoever holds an older one can
    not write any more.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="runs")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="runs")
    author = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="runs")
    graphs = models.JSONField(help_text="[[name, identity]] of the task's graphs when the run was asked for")
    device = models.CharField(max_length=60)
    lane = models.PositiveSmallIntegerField(choices=Lane, default=Lane.INTERACTIVE)
    state = models.CharField(max_length=20, choices=[(state.value, state.value) for state in RunState])
    seq = models.PositiveIntegerField(default=0)
    token = models.PositiveIntegerField(default=0)
    losses = models.PositiveSmallIntegerField(default=0, help_text="how often a worker was lost while it ran")
    cancel_requested = models.BooleanField(default=False)
    message = models.TextField(blank=True)
    attended_at = models.DateTimeField(default=timezone.now, help_text="when a message for it was last sent or held")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    result = LosslessJSONField(null=True, help_text="payload of run_done, frozen; its graphs keep their order")
    correct = models.PositiveIntegerField(null=True)
    total = models.PositiveIntegerField(null=True)
    first_t = models.SmallIntegerField(null=True, help_text="worst over the graphs; null when one is never correct")
    verdict = models.CharField(max_length=12, blank=True, help_text="the judge's; never changed")
    reviewed_verdict = models.CharField(max_length=12, blank=True, help_text="of the newest review; empty without one")
    isolation = models.CharField(max_length=60, blank=True, help_text="what separated the submission from the machine")
    overturns = models.OneToOneField(
        "self",
        on_delete=models.CASCADE,
        null=True,
        related_name="scored_again",
        help_text="the run whose violation a reviewer has overturned: this one scores its files all the same",
    )

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["device", "state", "lane", "created_at"], name="run_queue"),
            models.Index(fields=["task", "author", "-created_at"], name="run_history"),
            models.Index(fields=["task", "device", "-correct"], name="run_best"),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class RunEvent(models.Model):
    """One line of a run's log. Numbers start at 1 and have no gaps."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    payload = LosslessJSONField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="event_numbered_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.seq} {self.kind}"


class RunReview(models.Model):
    """A reviewer's word on a run's verdict, with the reason. Never changed: another opinion is another row."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="reviews")
    before = models.CharField(max_length=12, help_text="the verdict that stood until then")
    verdict = models.CharField(max_length=12)
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["created_at", "id"]
        permissions = [("review_run", "Can see every run and overturn its verdict")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.before} → {self.verdict}"


class Lease(models.Model):
    """A worker's claim on a run. It ends by itself at `expires_at` unless the worker keeps saying that it lives."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="leases")
    token = models.PositiveIntegerField()
    device = models.CharField(max_length=60)
    worker = models.CharField(max_length=200)
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "token"], name="token_leased_once")]
        indexes = [models.Index(fields=["expires_at"], condition=models.Q(ended_at=None), name="open_leases")]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.token} {self.worker}"


class Device(models.Model):
    """How a device class is doing, by its best worker. `pinned` are the versions that its results are made with: a
    worker that has others takes no runs."""

    name = models.CharField(max_length=60, primary_key=True)
    status = models.CharField(max_length=20)
    message = models.TextField(blank=True)
    versions = models.JSONField(default=dict)
    pinned = models.JSONField(null=True, help_text="torch, triton and harness; null until a worker has said")
    isolation = models.CharField(max_length=60, blank=True, help_text="empty until its daemon has said")
    worker = models.CharField(max_length=200, blank=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} {self.status}"
