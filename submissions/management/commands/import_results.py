"""`manage.py import_results FILE --author NAME [--json]`: results of a bundle that this author exported."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.refused import Refused
from submissions.actions.imports import do_import_results
from submissions.imported_results import MAX_BYTES
from submissions.models import Author


class Command(BaseCommand):
    help = "Import what `python -m evaluator run-bundle BUNDLE.zip --out FILE` wrote, as a run marked with its origin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the results, JSON Lines")
        parser.add_argument("--author", required=True, help="whose bundle was judged")
        parser.add_argument("--json", action="store_true", help="counts as a JSON object in the last line")

    def handle(self, *args: Any, file: Path, author: str, **options: Any) -> None:
        counts = dict.fromkeys(("imported", "unchanged", "skipped", "failed"), 0)
        try:
            done = do_import_results(_author(author), read_text(file))
        except Refused as refused:
            counts["failed"] = 1
            self._report(counts, options["json"])
            raise CommandError(f"{file}: {refused.message}") from None
        counts["imported" if done.fresh else "unchanged"] = 1
        self.stdout.write(f"{done.run.task.slug}: run {done.run.pk}, {done.run.correct} of {done.run.total} correct")
        self._report(counts, options["json"])

    def _report(self, counts: dict[str, int], as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(counts))


def read_text(path: Path) -> str:
    """The file's text, read no further than results may be long. Raises CommandError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise CommandError(f"{path} can not be read: {problem.strerror}") from problem
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise CommandError(f"{path} is not UTF-8 text (byte {problem.start}); results are JSON Lines.") from problem


def _author(name: str) -> Author:
    found = Author.objects.filter(name=name, user__isnull=False).first()
    if found is None:
        raise CommandError(f"There is no account {name[:60]!r}.")
    return found
