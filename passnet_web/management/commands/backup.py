"""`manage.py backup FILE`: the whole database as it is now, in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from passnet_web.backups import BackupProblem, write_backup


class Command(BaseCommand):
    help = "Write the whole database into one file, while people work. SECRET_KEY is not in it: keep that elsewhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            about = write_backup(file.absolute())
        except BackupProblem as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"{file}: {about['engine']}, {file.stat().st_size} bytes, as of {about['made_at']}")
