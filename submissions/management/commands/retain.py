"""`manage.py retain --days 90`: throws away what nobody looks at any more (submissions.retention)."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.retention import do_retain


class Command(BaseCommand):
    help = "Throw away printed texts and ended leases of old runs, and expired sessions. Results and verdicts stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=int, default=90, help="how long they are kept after a run's end (default: 90)"
        )
        parser.add_argument("--dry-run", action="store_true", help="only count")

    def handle(self, *args: Any, days: int, dry_run: bool, **options: Any) -> None:
        try:
            thrown = do_retain(days, dry_run)
        except ValueError as problem:
            raise CommandError(str(problem)) from None
        if not dry_run:
            call_command("clearsessions")
        self.stdout.write(f"{'would go' if dry_run else 'gone'}: {thrown}")
