"""Logging in and out: fixation, guessing, one-time passwords, and where a login leads."""

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from submissions import limits
from submissions.actions.accounts import Role, do_add_first_account, do_add_user
from submissions.models import AuditEntry, Author, RateCount
from tests.http_session import PASSWORD
from tests.security.people import DRAFT, Person


def log_in(browser: Client, name: str, password: str, **fields: str):
    browser.get("/login/")
    token = browser.cookies["csrftoken"].value
    form = {"username": name, "password": password, "csrfmiddlewaretoken": token, **fields}
    return browser.post("/login/", form)


def test_a_session_that_was_planted_before_is_worth_nothing(ada: Person, nobody) -> None:
    nobody.cookies["sessionid"] = "plantedbyanattacker0123456789ab"
    log_in(nobody, "ada", PASSWORD)
    assert nobody.cookies["sessionid"].value != "plantedbyanattacker0123456789ab"
    attacker = Client()
    attacker.cookies["sessionid"] = "plantedbyanattacker0123456789ab"
    assert attacker.get("/account/").status_code == 302


def test_a_session_from_before_the_login_gets_a_new_key(ada: Person, eve: Person) -> None:
    """Eve's browser, left at a shared machine, becomes Ada's: nothing of Eve's session lives on."""
    before = eve.browser.cookies["sessionid"].value
    eve.post_form("/logout/")
    assert not Session.objects.filter(pk=before).exists()
    log_in(eve.browser, "ada", PASSWORD)
    assert eve.browser.cookies["sessionid"].value not in ("", before)


def test_the_token_against_forgery_changes_with_the_login(ada: Person, nobody) -> None:
    nobody.get("/login/")
    before = nobody.cookies["csrftoken"].value
    log_in(nobody, "ada", PASSWORD)
    nobody.get("/account/")
    assert nobody.cookies["csrftoken"].value != before


def test_after_the_logout_the_old_cookie_opens_nothing(ada: Person, task) -> None:
    stolen = ada.browser.cookies["sessionid"].value
    assert ada.post_form("/logout/").headers["Location"] == "/login/"
    thief = Client()
    thief.cookies["sessionid"] = stolen
    assert thief.get(DRAFT).status_code == 401


def test_a_new_password_ends_all_other_sessions(ada: Person) -> None:
    other = Client()
    other.force_login(ada.author.user)
    new = "another four words here"
    assert ada.post_form("/account/password/", current=PASSWORD, new=new, again=new).status_code == 302
    assert other.get("/account/").status_code == 302
    assert ada.browser.get("/account/").status_code == 200


@pytest.mark.parametrize(
    ("current", "new", "again"),
    [
        ("wrong", "a good long password", "a good long password"),
        (PASSWORD, "a good long password", "another one"),
        (PASSWORD, "short", "short"),
        (PASSWORD, "12345678901234", "12345678901234"),
        (PASSWORD, "password123", "password123"),
        (PASSWORD, PASSWORD, PASSWORD),
        (PASSWORD, "x" * 1001, "x" * 1001),
    ],
)
def test_a_password_that_is_not_taken(ada: Person, current: str, new: str, again: str) -> None:
    answer = ada.post_form("/account/password/", current=current, new=new, again=again)
    assert answer.status_code == 422
    assert User.objects.get(username="ada").check_password(PASSWORD)
    assert new.encode() not in answer.content or len(new) < 6


def test_the_cookies(ada: Person, nobody) -> None:
    answer = log_in(nobody, "ada", PASSWORD)
    session = answer.cookies["sessionid"]
    assert session["httponly"] and session["samesite"] == "Lax" and session["path"] == "/"
    assert nobody.cookies["csrftoken"]["samesite"] == "Lax"


def test_guessing_a_password_is_slowed_down(ada: Person, nobody) -> None:
    codes = [log_in(nobody, "ada", f"guess {number}").status_code for number in range(7)]
    assert codes == [403] * 5 + [429] * 2
    answer = log_in(nobody, "ada", PASSWORD)  # even the right one has to wait now
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 30
    assert b"Try again in" in answer.content
    assert log_in(nobody, "eve", "x").status_code == 403  # others from the same place can go on


def test_guessing_names_is_slowed_down(nobody, db) -> None:
    codes = [log_in(nobody, f"user{number}", "x").status_code for number in range(limits.LOGINS_FROM_ADDRESS.burst + 1)]
    assert codes == [403] * limits.LOGINS_FROM_ADDRESS.burst + [429]


def test_guessing_from_many_places_is_slowed_down(ada: Person, nobody, monkeypatch) -> None:
    monkeypatch.setattr(limits, "LOGINS_OF_NAME", limits.Rate("login name", 8, 60))
    codes = []
    for number in range(10):
        nobody.defaults["REMOTE_ADDR"] = f"192.0.2.{number}"
        codes.append(log_in(nobody, "ada", "x").status_code)
    assert codes == [403] * 8 + [429] * 2


def test_a_made_up_forwarding_header_is_not_another_place(ada: Person, nobody) -> None:
    codes = []
    for number in range(7):
        nobody.defaults["HTTP_X_FORWARDED_FOR"] = f"192.0.2.{number}"
        codes.append(log_in(nobody, "ada", "x").status_code)
    assert codes == [403] * 5 + [429] * 2


def test_behind_a_proxy_the_proxy_s_word_counts(ada: Person, nobody, settings) -> None:
    settings.PROXIES = 1
    codes = []
    for number in range(7):  # what the client wrote stands left of what the proxy added
        nobody.defaults["HTTP_X_FORWARDED_FOR"] = f"192.0.2.{number}, 198.51.100.7"
        codes.append(log_in(nobody, "ada", "x").status_code)
    assert codes == [403] * 5 + [429] * 2


def test_a_login_that_succeeds_starts_the_count_anew(ada: Person, nobody) -> None:
    for _ in range(3):
        for _ in range(4):
            assert log_in(nobody, "ada", "x").status_code == 403
        assert log_in(nobody, "ada", PASSWORD).status_code == 302
        token = nobody.cookies["csrftoken"].value
        nobody.post("/logout/", {"csrfmiddlewaretoken": token})


def test_guessing_one_s_own_password_is_slowed_down(ada: Person) -> None:
    codes = [
        ada.post_form("/account/password/", current=f"g{number}", new="a" * 12, again="a" * 12).status_code
        for number in range(limits.PASSWORD_CHANGES.burst + 1)
    ]
    assert codes == [422] * limits.PASSWORD_CHANGES.burst + [429]


def test_names_that_exist_and_names_that_do_not_look_alike(ada: Person, nobody) -> None:
    known, unknown = (log_in(nobody, name, "x") for name in ("ada", "nosuch"))
    assert known.status_code == unknown.status_code
    assert len(known.content) == len(unknown.content)


def test_a_closed_account_can_not_log_in(ada: Person, nobody) -> None:
    User.objects.update(is_active=False)
    assert log_in(nobody, "ada", PASSWORD).status_code == 403
    assert ada.browser.get("/account/").status_code == 302


def test_no_name_or_address_or_password_is_kept_of_a_failed_login(ada: Person, nobody, caplog) -> None:
    log_in(nobody, "my password by mistake", "sentinel-password")
    assert "by mistake" not in caplog.text and "sentinel-password" not in caplog.text
    kept = str(list(RateCount.objects.values())) + str(list(AuditEntry.objects.values()))
    assert "by mistake" not in kept and "127.0.0.1" not in str(list(RateCount.objects.values()))


GOALS = {
    "/tasks/doubled-relu/": "/tasks/doubled-relu/",
    "/tasks/doubled-relu/?graph=f32": "/tasks/doubled-relu/?graph=f32",
    "https://evil.example/": "/",
    "//evil.example/": "/",
    "///evil.example/": "/",
    "/\\evil.example/": "/",
    "\\\\evil.example": "/",
    "http:evil.example": "/",
    "javascript:alert(1)": "/",
    "data:text/html,x": "/",
    " //evil.example": "/",
    "/\t/evil.example": "/",
    "/a\r\nSet-Cookie: x=y": "/",
    "/a\nLocation: https://evil.example": "/",
    "https://testserver@evil.example/": "/",
    "": "/",
    "relative": "/",
    "/login/?next=/login/": "/",
    "/" + "a" * 3000: "/",
}


@pytest.mark.parametrize("wanted", GOALS, ids=lambda text: ascii(text)[:30])
def test_a_login_leads_to_our_own_pages_only(ada: Person, nobody, wanted: str) -> None:
    goal = GOALS[wanted]
    assert log_in(nobody, "ada", PASSWORD, next=wanted).headers["Location"] == goal
    assert nobody.get("/login/", {"next": wanted}).headers["Location"] == goal  # logged in already


def test_the_login_page_shows_a_goal_as_text(nobody, db) -> None:
    page = nobody.get("/login/", {"next": '/"><script>alert(1)</script>'}).content
    assert b"<script>alert" not in page


def test_the_way_to_the_login_keeps_the_page_one_wanted(nobody, db) -> None:
    assert (
        nobody.get("/tasks/x/?a=b&c=%0d%0ad").headers["Location"]
        == "/login/?next=%2Ftasks%2Fx%2F%3Fa%3Db%26c%3D%250d%250ad"
    )


def test_a_one_time_password_opens_the_password_page_only(nobody, task, quick_passwords) -> None:
    password = do_add_user("new", Role.ADMIN).password
    assert log_in(nobody, "new", password, next="/account/").status_code == 302
    for path in ("/", "/account/", "/tasks/doubled-relu/", "/admin/"):
        assert nobody.get(path).headers["Location"].startswith("/account/password/")
    for path in ("/api/tasks", DRAFT, "/api/docs"):
        assert nobody.get(path).json()["code"] == "password_change_needed"
    assert (
        nobody.post("/account/tokens/", {"csrfmiddlewaretoken": nobody.cookies["csrftoken"].value}).status_code == 302
    )
    page = nobody.get("/account/password/")
    assert b"one-time password" in page.content
    token = nobody.cookies["csrftoken"].value
    form = {"current": password, "new": PASSWORD, "again": PASSWORD, "next": "/account/", "csrfmiddlewaretoken": token}
    assert nobody.post("/account/password/", form).headers["Location"] == "/account/"
    assert nobody.get("/account/").status_code == 200
    assert log_in(Client(enforce_csrf_checks=True), "new", password).status_code == 403


def test_the_first_account_is_made_once_and_takes_over_earlier_work(db, quick_passwords) -> None:
    Author.objects.create(name="local")
    made = do_add_first_account()
    assert made is not None and made.author.name == "admin" and made.author.user.is_superuser
    assert Author.objects.filter(kind="person").count() == 1
    assert do_add_first_account() is None
    assert User.objects.get().check_password(made.password)
