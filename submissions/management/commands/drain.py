"""`manage.py drain WORKER`: it finishes its run and takes no other; `--resume` lets it take runs again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.actions.devices import do_drain
from submissions.models import Lease, Worker


class Command(BaseCommand):
    help = "Have a worker finish its run and take no other, before it is stopped. /operations/ does the same."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("worker", help="its name, as /operations/ shows it: cpu@machine")
        parser.add_argument("--resume", action="store_true", help="let it take runs again")

    def handle(self, *args: Any, worker: str, resume: bool, **options: Any) -> None:
        row = Worker.objects.filter(pk=worker).first()
        if row is None:
            known = ", ".join(Worker.objects.values_list("name", flat=True)) or "none has said anything yet"
            raise CommandError(f"There is no worker {worker}. Those there are: {known}.")
        do_drain(None, row, not resume)
        holds = Lease.objects.filter(worker=worker, ended_at=None).count()
        said = "takes runs again" if resume else f"takes no more runs; it holds {holds}"
        self.stdout.write(f"{worker} {said}")
