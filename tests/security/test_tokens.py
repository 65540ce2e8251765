"""API tokens: scopes, expiry, revocation, and what a stolen or guessed one is good for."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions import limits
from submissions.actions.accounts import do_reset_password
from submissions.models import ApiToken, AuditEntry, Author, Run, RunReview
from submissions.tokens import Scope, digest_of
from tests.security.people import DRAFT, FILES, RUNS, Person, bearer, call

RUN_BODY = {"files": FILES, "device": "cpu"}


def review(run: Run) -> tuple[str, str, dict]:
    return "POST", f"/api/runs/{run.pk}/review", {"verdict": "clean", "reason": "a shape table, no cache"}


def test_a_token_to_read_reads_and_does_nothing_else(nobody, ada: Person, run: Run, token) -> None:
    shown = bearer(token(ada, Scope.READ))
    assert call(nobody, "GET", DRAFT, **shown).status_code == 200
    for method, path, body in (
        ("PUT", DRAFT, {"files": FILES, "version": 0}),
        ("POST", RUNS, RUN_BODY),
        ("POST", f"/api/runs/{run.pk}/cancel", None),
        review(run),
        ("POST", "/api/tasks/doubled-relu/check", {"files": {}}),
    ):
        answer = call(nobody, method, path, body, **shown)
        assert (answer.status_code, answer.json()["code"]) == (403, "scope")
    assert Run.objects.count() == 1


def test_a_token_to_run_hands_in_without_the_token_against_forgery(nobody, ada: Person, task, token) -> None:
    shown = bearer(token(ada, Scope.RUN))
    assert call(nobody, "POST", RUNS, RUN_BODY, **shown).status_code == 201
    assert call(nobody, "PUT", DRAFT, {"files": FILES, "version": 0}, **shown).status_code == 200


def test_an_admin_s_token_to_run_overturns_nothing(nobody, adm: Person, run: Run, token) -> None:
    answer = call(nobody, *review(run), **bearer(token(adm, Scope.RUN)))
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")
    assert RunReview.objects.count() == 0
    assert call(nobody, *review(run), **bearer(token(adm, Scope.ADMIN))).status_code == 201


def test_an_author_makes_no_token_for_admins(ada: Person) -> None:
    for scope in ("admin", "root", "read,admin", "ADMIN", ""):
        assert ada.post_form("/account/tokens/", name="evil", scope=scope, days="1").status_code in (403, 422)
    assert ApiToken.objects.count() == 0


def test_a_role_that_was_taken_away_is_gone_from_its_tokens(nobody, rea: Person, run: Run, token) -> None:
    shown = bearer(token(rea, Scope.ADMIN))
    assert call(nobody, "GET", f"/api/runs/{run.pk}", **shown).status_code == 200
    rea.author.user.groups.clear()
    assert call(nobody, "GET", f"/api/runs/{run.pk}", **shown).status_code == 404
    assert call(nobody, *review(run), **shown).status_code == 404


def test_a_token_makes_no_token_and_opens_no_page(nobody, adm: Person, token) -> None:
    shown = bearer(token(adm, Scope.ADMIN))
    for path in ("/account/", "/account/tokens/", "/admin/", "/"):
        assert call(nobody, "GET", path, **shown).status_code == 302
        assert call(nobody, "POST", path, **shown).status_code in (302, 403)
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize("how", ["revoked", "expired", "closed", "reset", "one-time"])
def test_a_token_that_has_ended(nobody, ada: Person, task, token, how: str) -> None:
    secret = token(ada, Scope.RUN)
    assert call(nobody, "GET", DRAFT, **bearer(secret)).status_code == 200
    made = ApiToken.objects.get()
    if how == "revoked":
        assert ada.post_form(f"/account/tokens/{made.pk}/revoke/").status_code == 302
    elif how == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif how == "closed":
        ada.author.user.is_active = False
        ada.author.user.save()
    elif how == "reset":
        do_reset_password(ada.author.user)
    else:
        Author.objects.update(one_time_password=True)
    for method, path, body in (("GET", DRAFT, None), ("POST", RUNS, RUN_BODY)):
        answer = call(nobody, method, path, body, **bearer(secret))
        assert (answer.status_code, answer.json()["code"]) == (401, "bad_token")
    assert Run.objects.count() == 0


@pytest.mark.parametrize(
    "shown",
    [
        "Bearer",
        "Bearer ",
        "Bearer x",
        "bearer passnet_",
        "Basic YWRhOng=",
        "Token abc",
        "",
        "Bearer \udcff",
        "Bearer a b",
    ],
)
def test_a_wrong_token_is_refused_even_with_a_session(ada: Person, task, shown: str) -> None:
    answer = ada.browser.get(DRAFT, headers={"Authorization": shown})
    assert (answer.status_code, answer.json()["code"]) == (401, "bad_token")


def test_the_digest_is_not_the_token(nobody, ada: Person, task, token) -> None:
    secret = token(ada, Scope.RUN)
    stored = ApiToken.objects.get()
    assert stored.digest == digest_of(secret) and secret not in str(vars(stored))
    for guess in (stored.digest, stored.hint, stored.digest.upper()):
        assert call(nobody, "GET", DRAFT, **bearer(guess)).status_code == 401


def test_guessing_tokens_is_slowed_down(nobody, db) -> None:
    codes = [
        call(nobody, "GET", DRAFT, **bearer(f"passnet_{number}")).status_code
        for number in range(limits.WRONG_TOKENS.burst + 1)
    ]
    assert codes == [401] * limits.WRONG_TOKENS.burst + [429]


def test_the_secret_is_shown_once_and_noted_nowhere(ada: Person, caplog) -> None:
    page = ada.post_form("/account/tokens/", name="mine", scope="run", days="7")
    assert page.status_code == 201
    secret = page.content.decode().partition('class="secret">')[2].partition("<")[0]
    assert ApiToken.objects.get().digest == digest_of(secret)
    assert secret not in ada.browser.get("/account/").content.decode()
    assert secret not in caplog.text
    assert secret not in str(list(AuditEntry.objects.values_list("details", "subject")))
    assert "no-store" in page.headers["Cache-Control"]


def test_a_token_s_own_rate(nobody, ada: Person, task, token, monkeypatch) -> None:
    monkeypatch.setattr(limits, "TOKEN_REQUESTS", limits.Rate("token request", 3, 60))
    shown = bearer(token(ada, Scope.READ))
    answers = [call(nobody, "GET", DRAFT, **shown) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 60
