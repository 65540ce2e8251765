"""`manage.py load_examples`: measured runs that ship with tasks, for those without a GPU. After load_catalogue."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.imports import do_import_example
from submissions.management.commands.import_results import read_text

FILE = "example_run.jsonl"


class Command(BaseCommand):
    help = "Load the measured example runs of the shipped tasks. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        """An example that can not be taken is said and left out: nothing else depends on it."""
        for path in sorted(settings.CATALOGUE.glob(f"*/{FILE}")):
            task = Task.objects.filter(slug=path.parent.name, origin="shipped").first()
            if task is None:
                self.stderr.write(f"{path}: there is no shipped task {path.parent.name}")
                continue
            try:
                done = do_import_example(task, read_text(path))
            except Refused as refused:
                self.stderr.write(f"{path}: {refused.message}")
                continue
            self.stdout.write(f"{task.slug}: {'loaded' if done.fresh else 'unchanged'}")
