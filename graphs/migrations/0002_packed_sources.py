"""Sources, samples and layouts are kept compressed; folders are kept byte by byte; a second hash of each source."""

import zlib
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

import graphs.fields


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode(), 4)


def pack(apps: Any, schema_editor: Any) -> None:
    source_model = apps.get_model("graphs", "Source")
    for source in source_model.objects.iterator(chunk_size=50):
        source_model.objects.filter(pk=source.pk).update(packed=_pack(source.text))
    graph_model = apps.get_model("graphs", "Graph")
    for graph in graph_model.objects.only("sample", "layout").iterator(chunk_size=50):
        graph_model.objects.filter(pk=graph.pk).update(packed_sample=graph.sample, packed_layout=graph.layout)


def unpack(apps: Any, schema_editor: Any) -> None:
    source_model = apps.get_model("graphs", "Source")
    for source in source_model.objects.iterator(chunk_size=50):
        source_model.objects.filter(pk=source.pk).update(text=zlib.decompress(source.packed).decode())
    graph_model = apps.get_model("graphs", "Graph")
    for graph in graph_model.objects.only("packed_sample", "packed_layout").iterator(chunk_size=50):
        graph_model.objects.filter(pk=graph.pk).update(sample=graph.packed_sample, layout=graph.packed_layout)


class Migration(migrations.Migration):
    dependencies = [("graphs", "0001_initial")]

    operations = [
        migrations.AddField("Source", "packed", models.BinaryField(default=b"")),
        migrations.AddField("Graph", "packed_sample", graphs.fields.PackedJSONField(default=None, null=True)),
        migrations.AddField("Graph", "packed_layout", graphs.fields.PackedJSONField(null=True)),
        migrations.AlterField("Source", "text", models.TextField(default="")),
        migrations.AlterField("Graph", "sample", graphs.fields.LosslessJSONField(default=dict)),
        migrations.RunPython(pack, unpack),
        migrations.RemoveField("Source", "text"),
        migrations.RemoveField("Graph", "sample"),
        migrations.RemoveField("Graph", "layout"),
        migrations.RenameField("Graph", "packed_sample", "sample"),
        migrations.RenameField("Graph", "packed_layout", "layout"),
        migrations.AlterField("Source", "packed", models.BinaryField(help_text="the file's bytes, compressed")),
        migrations.AlterField(
            "Graph", "sample", graphs.fields.PackedJSONField(help_text="sample_to_json without the source")
        ),
        migrations.AlterField(
            "Graph",
            "layout",
            graphs.fields.PackedJSONField(
                help_text="null when the graph is too large to draw, or the layout is due", null=True
            ),
        ),
        migrations.AddField(
            "Graph",
            "layout_is_due",
            models.BooleanField(default=False, help_text="it is made when the graph is first looked at"),
        ),
        migrations.AddField(
            "Source",
            "canonical_hash",
            models.CharField(
                blank=True,
                db_index=True,
                default="",
                help_text="equal for graphs that differ in names and in the order of independent nodes; "
                "empty when not known",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name="Content",
            fields=[
                (
                    "content_hash",
                    models.CharField(
                        help_text="SHA-256 of the file's bytes", max_length=64, primary_key=True, serialize=False
                    ),
                ),
                ("packed", models.BinaryField(help_text="the file's bytes, compressed")),
            ],
        ),
        migrations.CreateModel(
            name="Folder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(help_text="SHA-256 over path and digest", max_length=64, unique=True)),
                (
                    "digest",
                    models.CharField(
                        db_index=True, help_text="SHA-256 over all that decides what it becomes", max_length=64
                    ),
                ),
                ("path", graphs.fields.LosslessJSONField(help_text="relative to the tree that was imported")),
                (
                    "files",
                    graphs.fields.LosslessJSONField(
                        help_text="{relative name: SHA-256 of the bytes}, of a Source or a Content"
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="folders", to="graphs.task"
                    ),
                ),
            ],
            options={"ordering": ["id"]},
        ),
    ]
