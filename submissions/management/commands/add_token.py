"""`manage.py add_token NAME [--scope read|run|admin] [--days N]`: an API token, for scripts on this machine."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.refused import Refused
from submissions.actions.tokens import LONGEST_DAYS, do_make_token
from submissions.models import Author
from submissions.tokens import Scope


class Command(BaseCommand):
    help = "Make an API token for an account and print it, alone on its line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the account")
        parser.add_argument("--scope", choices=[scope.value for scope in Scope], default=Scope.READ.value)
        parser.add_argument("--days", type=int, default=1, help=f"how long it is valid, at most {LONGEST_DAYS}")
        parser.add_argument("--for", dest="purpose", default="made by a command", help="what it is for")

    def handle(self, *args: Any, name: str, scope: str, days: int, purpose: str, **options: Any) -> None:
        author = Author.objects.select_related("user").filter(user__username=name).first()
        if author is None:
            raise CommandError(f"There is no account {name}. Add one: .venv/bin/python manage.py add_user {name}")
        if author.one_time_password:
            raise CommandError(f"{name} has not chosen a password yet; a token works only after that.")
        try:
            _, secret = do_make_token(author, purpose, Scope(scope), days)
        except Refused as refused:
            raise CommandError(refused.message) from None
        self.stdout.write(secret)
