import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0015_blind_votes"),
    ]

    operations = [
        migrations.CreateModel(
            name="RunOutput",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token", models.PositiveIntegerField()),
                ("text", models.BinaryField(help_text="zlib of UTF-8")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="outputs", to="submissions.run"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
    ]
