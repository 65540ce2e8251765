"""`manage.py restore FILE --yes`: the database becomes what it was when the backup was made."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from passnet_web.backups import BackupProblem, read_about, restore_backup


class Command(BaseCommand):
    help = "Replace everything in the database by a backup. Stop web servers and workers first."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do it; without, only say what would be restored")

    def handle(self, *args: Any, file: Path, yes: bool, **options: Any) -> None:
        try:
            about = read_about(file)
            if not yes:
                self.stdout.write(
                    f"{file} is of {about['engine']}, as of {about['made_at']}. Repeat with --yes to restore it."
                )
                return
            restore_backup(file)
        except BackupProblem as problem:
            raise CommandError(str(problem)) from None
        call_command("migrate", interactive=False, verbosity=0)  # an older backup, a newer program
        self.stdout.write(f"restored as of {about['made_at']}")
