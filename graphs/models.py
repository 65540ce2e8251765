"""Graphs and tasks as rows. A graph is never changed once it is imported, but for what is computed from it."""

from typing import Any

from django.db import models

from graphs.fields import LosslessJSONField, PackedJSONField
from graphs.packing import unpack
from graphs.samples import Sample, sample_from_json


class Source(models.Model):
    """One model.py; graphs that differ in input shapes or dtypes alone share it."""

    content_hash = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the file's bytes")
    canonical_hash = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="equal for graphs that differ in names and in the order of independent nodes; empty when not known",
    )
    packed = models.BinaryField(help_text="the file's bytes, compressed")

    def __str__(self) -> str:
        return self.content_hash[:12]

    @property
    def text(self) -> str:
        return unpack(self.packed).decode()


class Content(models.Model):
    """The bytes of any other file of an imported folder, once however many folders hold it."""

    content_hash = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the file's bytes")
    packed = models.BinaryField(help_text="the file's bytes, compressed")

    def __str__(self) -> str:
        return self.content_hash[:12]


class Graph(models.Model):
    """One sample: a source with its inputs. `identity` covers everything that makes its results comparable."""

    identity = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=300)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="graphs")
    sample = PackedJSONField(help_text="sample_to_json without the source")
    operators = models.JSONField(default=list, help_text="[{label, class}] in order of first use")
    dtypes = models.JSONField(default=list, help_text="dtypes of the floating inputs, then others")
    node_count = models.PositiveIntegerField()
    layout = PackedJSONField(null=True, help_text="null when the graph is too large to draw, or the layout is due")
    layout_is_due = models.BooleanField(default=False, help_text="it is made when the graph is first looked at")
    thumbnail = models.TextField(blank=True, help_text="SVG, 96 × 48")
    warnings = models.JSONField(default=list)
    problem = models.TextField(blank=True, help_text="why the graph can not be drawn")
    shapes = LosslessJSONField(null=True, help_text="{node: {shape, dtype}}, filled in by the evaluator")
    shapes_problem = models.TextField(blank=True, help_text="why the evaluator could not tell the shapes")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name

    def as_sample(self, name: str) -> Sample:
        """The sample as the evaluator wants it, under the name it has in a task."""
        value: dict[str, Any] = {**self.sample, "source": self.source.text, "name": name}
        return sample_from_json(value)


class Task(models.Model):
    """Graphs that one submission must handle."""

    slug = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=200)
    summary = models.CharField(max_length=500, blank=True)
    description = models.TextField(blank=True)
    graphs = models.ManyToManyField(Graph, through="TaskGraph")
    example_files = LosslessJSONField(null=True, help_text="a worked pass_dir: {name: text}")
    origin = models.CharField(max_length=20, help_text="shipped, captured or imported")
    content_hash = models.CharField(max_length=64, db_index=True)
    operators = models.JSONField(default=list, help_text="[{label, class}] over all graphs, in order of first use")
    dtypes = models.JSONField(default=list)
    facets = models.JSONField(default=dict, help_text="kind, family, domain → values, as the folder's files say")
    graph_count = models.PositiveIntegerField(default=0)
    thumbnail = models.TextField(blank=True, help_text="the first graph's")
    search_text = models.TextField(blank=True, help_text="lower case; what the catalogue's search looks through")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True, db_index=True)

    class Meta:
        ordering = ["-origin", "title", "id"]  # "shipped" before "imported" before "captured"

    def __str__(self) -> str:
        return self.slug


class TaskGraph(models.Model):
    """A graph's place and name in a task."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="entries")
    graph = models.ForeignKey(Graph, on_delete=models.PROTECT, related_name="entries")
    name = models.CharField(max_length=300)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "name"], name="name_once_in_a_task"),
            models.UniqueConstraint(fields=["task", "position"], name="position_once_in_a_task"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}:{self.name}"


class Folder(models.Model):
    """A sample or task folder as it was imported: its files, byte by byte, and the task that it became."""

    key = models.CharField(max_length=64, unique=True, help_text="SHA-256 over path and digest")
    digest = models.CharField(max_length=64, db_index=True, help_text="SHA-256 over all that decides what it becomes")
    path = LosslessJSONField(help_text="relative to the tree that was imported")
    files = LosslessJSONField(help_text="{relative name: SHA-256 of the bytes}, of a Source or a Content")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="folders")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return str(self.path)


class LoadedArchive(models.Model):
    """An archive of the captured catalogue that was read, so that it is not read at every start."""

    content_hash = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the archive's bytes")
    name = models.CharField(max_length=200)
    loaded_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
