"""The review queue: failed submissions with their cause, what reviewers made of them, and cases for the harness."""

from django.db import models
from django.utils import timezone

from graphs.models import Task
from submissions.models.handed_in import Submission
from submissions.models.people import Author
from submissions.models.work import Revision, Run


class ReviewItem(models.Model):
    """One failed submission. Its cause is told once, when its run ends or its folder is imported.

    `run` is what failed; it is None while an imported `submission` has only been looked at, not evaluated.
    """

    class Decision(models.TextChoices):
        OPEN = "", "not decided"
        CONFIRM = "confirm", "the failure stands"
        OVERTURN = "overturn", "no violation"
        HARNESS_FAULT = "harness_fault", "the harness is wrong"
        DUPLICATE = "duplicate", "the same as another one"

    run = models.OneToOneField(Run, null=True, on_delete=models.CASCADE, related_name="review_item")
    submission = models.OneToOneField(Submission, null=True, on_delete=models.CASCADE, related_name="review_item")
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="review_items")
    task = models.ForeignKey(Task, null=True, on_delete=models.SET_NULL, related_name="review_items")
    task_name = models.CharField(max_length=200, help_text="its title, or the folder's name where it is not here")
    device = models.CharField(max_length=60, blank=True, help_text="empty: not evaluated")
    group = models.CharField(max_length=20, help_text="submissions.reviewing.taxonomy.GROUPS")
    kind = models.CharField(max_length=40, blank=True)
    text = models.CharField(max_length=300, help_text="the cause in one line, the same for all of a cluster")
    signature = models.CharField(max_length=32, help_text="equal for the same cause")
    graph = models.CharField(max_length=300, blank=True, help_text="the first graph that failed so")
    failed = models.PositiveIntegerField(default=0, help_text="graphs")
    total = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(help_text="when it failed")
    decision = models.CharField(max_length=20, blank=True, choices=Decision)
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(Author, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True)
    duplicate_of = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="duplicates")
    assignee = models.ForeignKey(Author, null=True, on_delete=models.SET_NULL, related_name="assigned_items")
    note = models.TextField(blank=True, help_text="of reviewers, for reviewers")
    rerun = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="rerun_for")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["signature", "decision"], name="review_clusters"),
            models.Index(fields=["decision", "-id"], name="review_open"),
            models.Index(fields=["author", "group"], name="review_of_author"),
            models.Index(fields=["group", "kind"], name="review_of_group"),
            models.Index(fields=["task", "group"], name="review_of_task"),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.group} {self.kind}"


class ReviewLabel(models.Model):
    """A word that reviewers have put on an item."""

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="labels")
    name = models.CharField(max_length=40, db_index=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["item", "name"], name="label_once_on_an_item")]

    def __str__(self) -> str:
        return self.name


class ReviewStep(models.Model):
    """What a reviewer did in one go, to one item or to many. It can be undone."""

    actor = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="review_steps")
    at = models.DateTimeField(default=timezone.now)
    what = models.CharField(max_length=20)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["actor", "-id"], name="review_steps_of")]

    def __str__(self) -> str:
        return f"{self.actor_id} {self.what} {self.at:%Y-%m-%d %H:%M}"


class ReviewChange(models.Model):
    """What a step made of one item: what may change, before and after it."""

    step = models.ForeignKey(ReviewStep, on_delete=models.CASCADE, related_name="changes")
    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="changes")
    before = models.JSONField()
    after = models.JSONField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.step_id} {self.item_id}"


class ReviewComment(models.Model):
    """Said about an item. Its text may name lines ("A.py:12"), graphs and nodes ("graph:name"), people ("@name")."""

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="review_comments")
    text = models.TextField()
    mentions = models.ManyToManyField(Author, related_name="mentioned_in")
    created_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.item_id} {self.author_id}"


class ReviewDraft(models.Model):
    """What somebody has typed about an item and not sent yet."""

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="drafts")
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="review_drafts")
    fields = models.JSONField(help_text="{reason, note, comment}")
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "author"], name="one_draft_of_an_item")]

    def __str__(self) -> str:
        return f"{self.item_id} {self.author_id}"


class RegressionCase(models.Model):
    """A suspected fault of the harness: files, and what a correct harness would say about them."""

    name = models.SlugField(max_length=100, unique=True)
    item = models.ForeignKey(ReviewItem, null=True, on_delete=models.SET_NULL, related_name="cases")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="cases")
    expected = models.JSONField(help_text="task, kind, per_graph, why, must_flag")
    made_by = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(null=True)
    checked_on = models.CharField(max_length=60, blank=True)
    harness = models.CharField(max_length=64, blank=True, help_text="evaluator.harness.harness_hash at the check")
    differences = models.JSONField(null=True, help_text="in words; []: the harness agrees; null: not checked yet")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name
