"""`manage.py author_benchmark`: the drafter, or a model, over a whole benchmark, by workers that may come and go."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant.access import access_batch
from assistant.actions.batches import do_pause_batch, do_resume_batch, do_stop_batch
from assistant.batch_api import Begin, begin_batch
from assistant.batches.choosing import named_tasks, shipped_benchmark, tasks_of_manifest
from assistant.batches.progress import progress_of
from assistant.models import Batch
from graphs.refused import Refused
from submissions.models import Author

_LOOK_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Let the drafter, or a model, try every task of a benchmark. The workers of a running workbench do it; this "
        "command only begins it, watches, pauses, resumes or stops it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("author", help="the account that it is asked for")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--tasks", metavar="SLUG,SLUG", help="these tasks (default: the shipped benchmark)")
        what.add_argument("--manifest", type=Path, metavar="BENCHMARK.json", help="the tasks of another benchmark")
        for wish in ("watch", "pause", "resume", "stop"):
            what.add_argument(f"--{wish}", metavar="BATCH", help=f"{wish} this batch")
        parser.add_argument("--provider", type=int, help="number of a model's provider (default: the drafter)")
        parser.add_argument("--device", default="cpu", help="default: cpu")
        parser.add_argument("--most", type=int, default=8, help="sets of files of the drafter for a task (default: 8)")
        parser.add_argument("--steps", type=int, default=40, help="of a model for a task (default: 40)")
        parser.add_argument("--minutes", type=int, default=60, help="of a model for a task (default: 60)")
        parser.add_argument("--tokens", type=int, default=0, help="of a model for a task (default: no limit)")

    def handle(self, *args: Any, author: str, **options: Any) -> None:
        found = Author.objects.select_related("user").filter(name=author).first()
        if found is None or found.user is None:
            raise CommandError(f"There is no account {author}. manage.py add_user makes one.")
        try:
            self._do(found, options)
        except Refused as refused:
            raise CommandError(refused.message) from None
        except ValueError as problem:
            raise CommandError(str(problem)) from None

    def _do(self, author: Author, options: dict[str, Any]) -> None:
        for wish, action in (("pause", do_pause_batch), ("resume", do_resume_batch), ("stop", do_stop_batch)):
            if options[wish]:
                batch = access_batch(author, options[wish])
                action(batch)
                batch.refresh_from_db()
                self.stdout.write(_line(batch))
                return
        if options["watch"]:
            self._watch(access_batch(author, options["watch"]))
            return
        if options["tasks"]:
            tasks = named_tasks([slug.strip() for slug in options["tasks"].split(",") if slug.strip()])
        else:
            tasks = tasks_of_manifest(options["manifest"]) if options["manifest"] else shipped_benchmark()
        names = ("device", "provider", "most", "steps", "minutes", "tokens")
        batch = begin_batch(author, tasks, Begin(**{name: options[name] for name in names}))
        self.stdout.write(f"batch {batch.pk}: {_line(batch)}")

    def _watch(self, batch: Batch) -> None:
        shown = ""
        while True:
            line = _line(batch)
            if line != shown:
                self.stdout.write(line)
                shown = line
            if batch.state == Batch.State.ENDED:
                return
            time.sleep(_LOOK_SECONDS)
            batch.refresh_from_db()


def _line(batch: Batch) -> str:
    now = progress_of(batch)
    score = "" if now.score is None else f", board score {now.score:.4f}"
    return (
        f"{batch.state}, {now.done} of {now.total} tasks done, {now.solved} with every graph correct{score}"
        f"{f', {now.left_out} left out' if now.left_out else ''}{f': {batch.message}' if batch.message else ''}"
    )
