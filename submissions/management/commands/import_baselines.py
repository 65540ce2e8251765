"""`manage.py import_baselines FILE…`: figures that `python -m evaluator baseline --json` measured elsewhere."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.baselines_file import BaselineFileError, import_file


class Command(BaseCommand):
    help = "Load figures of `python -m evaluator baseline --json` from another machine, marked with their origin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="one JSON object a line")
        parser.add_argument("--origin", default="", help="what pages name as their origin (default: the file's name)")

    def handle(self, *args: Any, files: list[Path], origin: str, **options: Any) -> None:
        for file in files:
            try:
                done = import_file(file, origin or file.name)
            except BaselineFileError as problem:
                raise CommandError(str(problem)) from None
            for said in done.skipped:
                self.stderr.write(f"{file.name}:{said}")
            self.stdout.write(f"{file.name}: {done.stored} figures stored, {len(done.skipped)} lines left out.")
