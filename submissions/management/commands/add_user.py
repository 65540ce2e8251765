"""`manage.py add_user NAME [--role author|reviewer|admin]`: a new account; prints its one-time password."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.refused import Refused
from submissions.actions.accounts import Role, do_add_user


class Command(BaseCommand):
    help = "Add an account and print its one-time password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="small letters, digits, dots, dashes, underscores")
        parser.add_argument("--role", choices=[role.value for role in Role], default=Role.AUTHOR.value)

    def handle(self, *args: Any, name: str, role: str, **options: Any) -> None:
        try:
            made = do_add_user(name, Role(role))
        except Refused as refused:
            raise CommandError(refused.message) from None
        self.stdout.write(f"{made.author.name} can log in once with {made.password} and then chooses a password.")
