"""`manage.py reset_password NAME`: a new one-time password; sessions end and API tokens are revoked."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.actions.accounts import do_reset_password


class Command(BaseCommand):
    help = "Give an account a new one-time password, end its sessions and revoke its API tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            known = ", ".join(User.objects.order_by("username").values_list("username", flat=True)[:20])
            raise CommandError(f"There is no account {name}. There are: {known or 'none; the first start makes one'}.")
        made = do_reset_password(user)
        self.stdout.write(f"{name} can log in once with {made.password} and then chooses a password.")
