from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from graphs.refused import Refused
from submissions.access import is_admin, is_reviewer
from submissions.actions.accounts import Role, do_add_first_account, do_add_user, one_time_password
from submissions.actions.tokens import do_make_token
from submissions.authors import author_of
from submissions.models import ApiToken, AuditEntry, Author
from submissions.tokens import Scope, find_token
from tests.accounts import account
from tests.http_session import PASSWORD

pytestmark = pytest.mark.usefixtures("db", "quick_passwords")


def command(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(("role", "reviews", "administers"), [("author", 0, 0), ("reviewer", 1, 0), ("admin", 1, 1)])
def test_add_user(role, reviews, administers):
    said = command("add_user", "ada", "--role", role)
    author = Author.objects.get(name="ada")
    assert (is_reviewer(author), is_admin(author)) == (bool(reviews), bool(administers))
    assert author.user.is_staff is bool(administers)
    password = said.split(" once with ")[1].split()[0]
    assert author.user.check_password(password) and author.one_time_password
    assert password not in str(list(AuditEntry.objects.values()))


@pytest.mark.parametrize("name", ["", "Ada", "a b", "-a", "a" * 41, "../a", "\u0430da", "a\n", "<b>"])
def test_names_that_are_not_taken(name):
    with pytest.raises(Refused, match="user name has"):
        do_add_user(name, Role.AUTHOR)


def test_a_name_is_taken_once():
    command("add_user", "ada")
    with pytest.raises(CommandError, match="reset_password ada"):
        command("add_user", "ada")


def test_reset_password_ends_sessions_and_tokens(client, author):
    author.refresh_from_db()
    secret = do_make_token(author, "x", Scope.READ, 1)[1]
    said = command("reset_password", "ada")
    user = User.objects.get(username="ada")
    assert user.check_password(said.split(" once with ")[1].split()[0]) and not user.check_password(PASSWORD)
    assert Author.objects.get(name="ada").one_time_password
    assert find_token(secret) is None
    assert client.get("/account/").status_code == 302
    with pytest.raises(CommandError, match="There are: ada"):
        command("reset_password", "eve")


def test_add_token():
    command("add_user", "ada")
    with pytest.raises(CommandError, match="has not chosen a password"):
        command("add_token", "ada")
    Author.objects.update(one_time_password=False)
    secret = command("add_token", "ada", "--scope", "run", "--days", "3", "--for", "a script").strip()
    token = ApiToken.objects.get()
    assert find_token(secret) == token
    assert (token.scope, token.name, (token.expires_at - token.created_at).days) == ("run", "a script", 3)
    for arguments in (["eve"], ["ada", "--days", "0"], ["ada", "--days", "1000"], ["ada", "--scope", "admin"]):
        with pytest.raises(CommandError):
            command("add_token", *arguments)


def test_the_first_account_takes_over_what_was_done_before():
    Author.objects.create(name="local")
    made = do_add_first_account()
    assert made is not None
    assert [one.user.is_superuser for one in Author.objects.filter(name="admin")] == [True]
    assert not Author.objects.filter(name="local").exists()
    assert do_add_first_account() is None


def test_a_user_made_elsewhere_never_becomes_somebody_else():
    Author.objects.create(name="gpt")  # a model's name; it has no account
    author = author_of(User.objects.create_user("gpt"))
    assert author.name.startswith("gpt-") and author_of(User.objects.get()) == author


def test_an_author_who_loses_the_account_keeps_the_work():
    author = account("ada")
    author.user.delete()
    assert Author.objects.get(name="ada").user is None


def test_tokens_have_an_end_and_a_number():
    author = account("ada")
    for days in (0, -1, 367):
        with pytest.raises(Refused, match="1 to 366 days"):
            do_make_token(author, "x", Scope.READ, days)
    with pytest.raises(Refused, match="a name"):
        do_make_token(author, " \n ", Scope.READ, 1)
    for _ in range(50):
        do_make_token(author, "x", Scope.READ, 1)
    with pytest.raises(Refused, match="Revoke one"):
        do_make_token(author, "x", Scope.READ, 1)


def test_scopes_include_the_smaller_ones():
    order = [Scope.READ, Scope.RUN, Scope.ADMIN]
    for at, scope in enumerate(order):
        assert [scope.includes(other) for other in order] == [index <= at for index in range(3)]


def test_one_time_passwords_can_be_copied_by_hand():
    made = {one_time_password() for _ in range(100)}
    assert len(made) == 100
    assert not set("".join(made)) & set("il1o0") and all(len(password) == 23 for password in made)
