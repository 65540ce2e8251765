"""Accounts for tests of the web rooms."""

from submissions.actions.accounts import Role, do_add_user, do_change_password
from submissions.models import Author
from tests.http_session import PASSWORD


def account(name: str, role: Role = Role.AUTHOR) -> Author:
    """An account that has chosen its password."""
    author = do_add_user(name, role).author
    do_change_password(author, PASSWORD)
    return Author.objects.select_related("user").get(pk=author.pk)
