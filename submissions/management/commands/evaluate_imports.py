"""`manage.py evaluate_imports DEVICE`: has imported submissions judged, behind whoever waits for a result."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.refused import Refused
from submissions.models import Submission
from submissions.reviewing.evaluating import do_want_evaluations


class Command(BaseCommand):
    help = (
        "Queue evaluations of imported submissions that were not judged on a device class: a few at a time, behind "
        "people. Those whose graphs are not here wait until these arrive."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("device", help="a device class: cpu, cuda:H200, …")
        parser.add_argument("--author", default="", help="only what this author handed in")
        parser.add_argument("--task", default="", help="only this task: its slug, or the folder's name")

    def handle(self, *args: Any, device: str, author: str, task: str, **options: Any) -> None:
        rows = Submission.objects.select_related("author").defer("files").order_by("pk")
        rows = rows.filter(author__name=author) if author else rows
        if task:
            rows = rows.filter(task__slug=task) | rows.filter(task_name=task)
        if not rows.exists():
            raise CommandError("No imported submission is like that. /boards/ lists the authors and their tasks.")
        try:
            wanted = do_want_evaluations(None, list(rows), device)
        except Refused as refused:
            raise CommandError(refused.message) from None
        without = rows.filter(wanted_on=device, task=None).count()
        self.stdout.write(f"{wanted:,} more are wanted on {device}; of {without:,} the graphs are not here yet")
