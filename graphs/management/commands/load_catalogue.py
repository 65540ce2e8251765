"""`manage.py load_catalogue`: the tasks that the workbench ships with."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from graphs.importing import import_tree


class Command(BaseCommand):
    help = "Load or bring up to date the shipped tasks. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.CATALOGUE.is_dir() or not any(settings.CATALOGUE.iterdir()):
            self.stdout.write("no shipped tasks")
            return
        counts = import_tree(settings.CATALOGUE, say=self.stderr.write, origin="shipped").as_json()
        self.stdout.write(", ".join(f"{number} {word}" for word, number in counts.items()))
        if counts["failed"]:
            raise CommandError(f"{counts['failed']} shipped tasks can not be read; the lines above say why.")
