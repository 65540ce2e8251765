"""Runs, drafts, files, logs, rewritten graphs and tokens of somebody else."""

import uuid

import pytest

from submissions.models import ApiToken, Draft, Run
from submissions.tokens import Scope
from tests.security.people import DRAFT, FILES, RUNS, Person, bearer, call

SECRET = b"of ada"


def reads(run: Run) -> list[str]:
    base = f"/api/runs/{run.pk}"
    return [base, f"{base}/events", f"{base}/files", f"{base}/graphs/f32/rewritten"]


@pytest.mark.parametrize("number", range(4))
def test_a_run_of_somebody_else_is_like_none_at_all(eve: Person, ada: Person, run: Run, number: int) -> None:
    path = reads(run)[number]
    assert ada.browser.get(path).status_code == 200
    answer = eve.browser.get(path)
    other = uuid.uuid4()
    unknown = eve.browser.get(path.replace(str(run.pk), str(other)))
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_run")
    assert answer.content == unknown.content.replace(str(other).encode(), str(run.pk).encode())
    assert SECRET not in answer.content


@pytest.mark.parametrize("spelling", ["upper", "hex", "braces", "urn"])
def test_another_spelling_of_its_id_opens_nothing(eve: Person, run: Run, spelling: str) -> None:
    written = {
        "upper": str(run.pk).upper(),
        "hex": run.pk.hex,
        "braces": f"{{{run.pk}}}",
        "urn": run.pk.urn,
    }[spelling]
    assert eve.browser.get(f"/api/runs/{written}").status_code == 404


def test_a_reviewer_sees_it(rea: Person, run: Run) -> None:
    for path in reads(run):
        assert rea.browser.get(path).status_code == 200


def test_a_reviewer_looks_but_does_not_cancel(rea: Person, eve: Person, adm: Person, run: Run) -> None:
    cancel = f"/api/runs/{run.pk}/cancel"
    assert eve.send("POST", cancel).json()["code"] == "unknown_run"
    assert rea.send("POST", cancel).json()["code"] == "not_yours"
    assert adm.send("POST", cancel).status_code == 200


def test_a_token_opens_what_its_author_may_open_and_no_more(eve: Person, ada: Person, run: Run, nobody, token) -> None:
    for path in reads(run):
        assert call(nobody, "GET", path, **bearer(token(eve, Scope.RUN))).status_code == 404
        assert call(nobody, "GET", path, **bearer(token(ada, Scope.READ))).status_code == 200


def test_drafts_and_histories_are_each_author_s_own(eve: Person, ada: Person, run: Run) -> None:
    assert ada.send("PUT", DRAFT, {"files": FILES, "version": 0}).status_code == 200
    assert SECRET not in eve.browser.get(DRAFT).content
    assert eve.browser.get(RUNS).json() == {"runs": [], "examples": []}
    assert len(ada.browser.get(RUNS).json()["runs"]) == 1
    eve.send("PUT", DRAFT, {"files": {"A.py": "eve"}, "version": 0})
    assert Draft.objects.get(author=ada.author).files == FILES


def test_a_conflict_shows_one_s_own_files_only(eve: Person, ada: Person, task) -> None:
    ada.send("PUT", DRAFT, {"files": FILES, "version": 0})
    answer = eve.send("PUT", DRAFT, {"files": {"A.py": "eve"}, "version": 7})
    assert answer.status_code == 409 and SECRET not in answer.content


def test_the_catalogue_names_no_run_that_can_not_be_opened(eve: Person, ada: Person, run: Run) -> None:
    Run.objects.update(verdict="clean", correct=2, total=2)
    best = [person.browser.get("/api/tasks").json()["tasks"][0]["best"][0]["run"] for person in (ada, eve)]
    assert best == [str(run.pk), None]


def test_tokens_are_each_author_s_own(eve: Person, ada: Person, token) -> None:
    token(ada, Scope.RUN)
    theirs = ApiToken.objects.get()
    assert theirs.hint.encode() not in eve.browser.get("/account/").content
    assert eve.post_form(f"/account/tokens/{theirs.pk}/revoke/").status_code == 404
    theirs.refresh_from_db()
    assert theirs.revoked_at is None


@pytest.mark.parametrize("path", ["/admin/", "/admin/auth/user/", "/admin/auth/user/1/password/", "/admin/login/"])
def test_the_admin_pages_do_not_exist_for_others(eve: Person, rea: Person, nobody, path: str) -> None:
    for person in (eve, rea):
        assert person.browser.get(path).status_code == 404
    assert nobody.get(path).headers["Location"].startswith("/login/")
    assert nobody.post(path, {"username": "adm", "password": "x"}).headers["Location"] == "/login/"


@pytest.mark.parametrize(
    "path", ["/", "/tasks/doubled-relu/", "/account/", "/account/password/", "/admin/", "/nowhere/", "/api"]
)
def test_a_visitor_sees_the_login_page_and_nothing_else(nobody, run: Run, path: str) -> None:
    answer = nobody.get(path)
    assert answer.status_code == 302 and answer.headers["Location"].startswith("/login/")


def test_a_visitor_reads_nothing_of_the_api(nobody, run: Run) -> None:
    paths = ["/api/tasks", "/api/tasks/doubled-relu", DRAFT, RUNS, "/api/devices", "/api/docs", "/api/openapi.json"]
    for path in [*paths, *reads(run), "/api/nowhere"]:
        answer = nobody.get(path)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_logged_in"), path
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_public_reading_shows_tasks_and_nothing_of_authors(nobody, run: Run, settings) -> None:
    settings.PUBLIC_READ = True
    Run.objects.update(verdict="clean", correct=2, total=2)
    for more in ("", "/graphs/f32", "/example", "/baselines"):
        assert nobody.get(f"/api/tasks/doubled-relu{more}").status_code == 200
    (row,) = nobody.get("/api/tasks").json()["tasks"]
    assert row["best"][0]["run"] is None
    for path in [DRAFT, RUNS, *reads(run)]:
        assert nobody.get(path).status_code == 401
    assert nobody.get("/account/").status_code == 302


def test_admins_look_at_the_record_and_do_not_change_it(adm: Person, rea: Person, run: Run, token) -> None:
    token(rea, Scope.READ)
    body = {"verdict": "clean", "reason": "a table of shapes, no cache"}
    assert rea.send("POST", f"/api/runs/{run.pk}/review", body).status_code == 201
    for name in ("auditentry", "runreview", "apitoken"):
        base = f"/admin/submissions/{name}/"
        assert adm.browser.get(base).status_code == 200
        assert adm.browser.get(f"{base}1/change/").status_code == 200
        assert ApiToken.objects.get().digest.encode() not in adm.browser.get(f"{base}1/change/").content
        for path in (f"{base}add/", f"{base}1/delete/"):
            assert adm.browser.get(path).status_code == 403
