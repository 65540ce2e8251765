from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("graphs", "0002_packed_sources"),
    ]

    operations = [
        migrations.AlterField(
            "Task", "origin", models.CharField(help_text="shipped, captured or imported", max_length=20)
        ),
        migrations.CreateModel(
            name="LoadedArchive",
            fields=[
                (
                    "content_hash",
                    models.CharField(
                        help_text="SHA-256 of the archive's bytes", max_length=64, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("loaded_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
