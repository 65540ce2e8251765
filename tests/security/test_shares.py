"""Links to a run: who sees what behind them, until when, and what they never show."""

import re

import pytest
from django.test import Client

from graphs.models import Task
from submissions.models import AuditEntry, Draft, Revision, Run, Share
from submissions.tokens import digest_of
from tests.security.people import DRAFT, FILES, Person

SHARES = "/api/tasks/doubled-relu/shares"
SECRET = b"of ada"


def share(person: Person, run: Run, *, public: bool = False) -> str:
    """The path of a new share."""
    answer = person.send("POST", SHARES, {"run": str(run.pk), "public": public, "graph": "f16"})
    assert answer.status_code == 201, answer.content
    path: str = answer.json()["path"]
    return path


def revoke(person: Person, number: int) -> int:
    return person.send("POST", f"/api/shares/{number}/revoke").status_code


def test_people_with_an_account_see_exactly_what_was_shared(ada: Person, eve: Person, nobody: Client, run: Run) -> None:
    path = share(ada, run)
    page = eve.browser.get(path)
    assert page.status_code == 200 and SECRET in page.content
    assert page.headers["Cache-Control"] == "private, no-store"
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"]
    for place in (path, f"{path}pass_dir.zip"):
        answer = nobody.get(place)
        assert answer.status_code == 302 and answer.headers["Location"].startswith("/login/?next=")
        assert SECRET not in answer.content
    # The link opens its own page and nothing else of its run.
    for more in ("", "/events", "/files"):
        assert eve.browser.get(f"/api/runs/{run.pk}{more}").status_code == 404


def test_anybody_sees_it_where_owner_and_deployment_allow_it(ada: Person, nobody: Client, run: Run, settings) -> None:
    path = share(ada, run, public=True)
    page = nobody.get(path)
    assert page.status_code == 200 and SECRET in page.content
    assert "sessionid" not in page.cookies
    assert nobody.get(f"{path}pass_dir.zip").status_code == 200
    assert nobody.post(f"{path}fork/").status_code in (302, 403) and not Draft.objects.exists()
    assert nobody.post(path).status_code in (302, 403, 405)
    settings.PUBLIC_SHARES = False
    assert nobody.get(path).status_code == 302
    refused = ada.send("POST", SHARES, {"run": str(run.pk), "public": True})
    assert (refused.status_code, refused.json()["code"]) == (403, "no_public_shares")
    assert ada.browser.get("/api/shares").json()["shares"][0]["visible_to"] == "accounts"


def test_no_name_that_may_be_an_address_is_shown(ada: Person, eve: Person, nobody: Client, run: Run) -> None:
    ada.author.user.email = "ada@home.example"
    ada.author.user.save()
    ada.author.name = "ada.l@work.example"
    ada.author.save()
    path = share(ada, run, public=True)
    assert b"by ada.l," in eve.browser.get(path).content
    for browser in (eve.browser, nobody):
        assert b"example" not in browser.get(path).content
    assert b"ada.l" not in nobody.get(path).content


def test_only_its_author_shares_a_run(ada: Person, eve: Person, rea: Person, run: Run) -> None:
    body = {"run": str(run.pk)}
    assert eve.send("POST", SHARES, body).json()["code"] == "unknown_run"
    assert rea.send("POST", SHARES, body).json()["code"] == "not_yours"
    Run.objects.update(state="running")
    assert ada.send("POST", SHARES, body).json()["code"] == "not_finished"
    assert not Share.objects.exists()


def test_a_revoked_share_is_gone_at_once_for_everybody(ada: Person, eve: Person, nobody: Client, run: Run) -> None:
    path, other = share(ada, run, public=True), share(ada, run, public=True)
    number = Share.objects.get(digest=digest_of(path.split("/")[2])).pk
    assert revoke(eve, number) == 404 and eve.browser.get(path).status_code == 200
    assert revoke(ada, number) == 200
    for browser in (ada.browser, eve.browser, nobody):
        for place in (path, f"{path}pass_dir.zip"):
            answer = browser.get(place)
            assert answer.status_code == 410 and SECRET not in answer.content
            assert b"has revoked this share" in answer.content and b"Ask them" in answer.content
        assert browser.get(other).status_code == 200
    assert eve.post_form(f"{path}fork/").status_code == 410
    assert revoke(ada, number) == 200  # again: nothing changes
    assert list(AuditEntry.objects.filter(action="share_revoked").values_list("actor", flat=True)) == [ada.author.pk]


def test_the_list_is_each_author_s_own_and_tells_no_secret(ada: Person, eve: Person, run: Run) -> None:
    secret = share(ada, run).split("/")[2]
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", secret)  # 256 bits
    stored = Share.objects.get()
    assert secret not in str(vars(stored)) and stored.digest == digest_of(secret)
    mine = ada.browser.get("/api/shares?task=doubled-relu")
    assert [one["hint"] for one in mine.json()["shares"]] == [secret[:6]]
    assert secret.encode() not in mine.content and stored.digest.encode() not in mine.content
    assert eve.browser.get("/api/shares").json()["shares"] == []


@pytest.mark.parametrize("wrong", ["x" * 43, "A", "%00", "x" * 43 + "%0a"])
def test_a_wrong_address_says_so(ada: Person, nobody: Client, run: Run, wrong: str) -> None:
    share(ada, run, public=True)
    assert ada.browser.get(f"/s/{wrong}/").status_code in (400, 404)
    assert SECRET not in nobody.get(f"/s/{wrong}/").content


def test_visitors_are_slowed_down(ada: Person, nobody: Client, run: Run) -> None:
    path = share(ada, run, public=True)
    answers = [nobody.get(f"/s/{'x' * 43}/").status_code for _ in range(121)]
    assert answers == [404] * 120 + [429]
    assert nobody.get(path).status_code == 429 and ada.browser.get(path).status_code == 200


def test_what_is_hostile_is_text(ada: Person, nobody: Client, task: Task) -> None:
    files = {"A.py": "</pre><script>alert(1)</script>", "x'y&z.py": '"<img src=x onerror=alert(2)>'}
    answer = ada.send("POST", SHARES, {"files": files, "public": True, "graph": "<b>"})
    page = nobody.get(answer.json()["path"] + "?graph=%3Cscript%3E").content.decode()
    assert "<script" not in page and "<img" not in page and "&lt;/pre&gt;&lt;script&gt;" in page
    assert "x&#x27;y&amp;z.py" in page


def test_rows_are_those_of_the_result(ada: Person, nobody: Client, run: Run) -> None:
    row = {"matches": 1, "status": "correct", "first_t": -99, "launches": {"eager": 4, "candidate": 1}, "message": None}
    graphs = {"f32": {**row, "speedup": {"e2e": 1.5}}, "f16": {"status": "no_match", "message": "nothing <matched>"}}
    Run.objects.update(
        result={"graphs": graphs, "findings": []}, verdict="clean", correct=1, total=2, message="at /srv"
    )
    page = nobody.get(share(ada, run, public=True)).content.decode()
    for text in ("correct on 1 of 2 graphs", "exact", "1.50×", "4 → 1", "no match", "nothing &lt;matched&gt;"):
        assert text in page
    assert "/srv" not in page


def test_a_fork_asks_before_it_replaces_and_keeps_what_was_there(ada: Person, eve: Person, run: Run) -> None:
    path = share(ada, run)
    assert eve.browser.post(f"{path}fork/").status_code == 403  # forged: without the token
    assert eve.post_form(f"{path}fork/").headers["Location"] == "/tasks/doubled-relu/"
    assert eve.browser.get(DRAFT).json()["files"] == FILES
    own = {"B.py": "y = 2\n"}
    assert eve.send("PUT", DRAFT, {"files": own, "version": 1}).status_code == 200
    asked = eve.post_form(f"{path}fork/")
    assert asked.status_code == 409 and b"B.py" in asked.content
    assert eve.browser.get(DRAFT).json()["files"] == own
    done = eve.post_form(f"{path}fork/", keep="revision")
    assert done.status_code == 200 and b"your revision 1" in done.content
    assert eve.browser.get(DRAFT).json()["files"] == FILES
    assert Revision.objects.get(author=eve.author).files == own
    kept = "/api/tasks/doubled-relu/revisions/1/pass_dir"
    assert b"y = 2" in eve.browser.get(kept).content
    assert SECRET in ada.browser.get(kept).content, "each author's own revision 1"
    assert Run.objects.get().revision.files == FILES


def test_what_is_gone_or_different_is_said(ada: Person, eve: Person, run: Run, task: Task) -> None:
    Run.objects.update(result={**run.result, "versions": {"torch": "1.0", "harness": "0.0"}})
    path = share(ada, run)
    page = eve.browser.get(path).content.decode()
    assert "No device CPU · Triton interpreter has answered here" in page
    task.entries.filter(name="f16").delete()
    assert "The task has other graphs now" in eve.browser.get(path).content.decode()
    Share.objects.update(run=None)
    assert "The run that was shared is gone" in eve.browser.get(path).content.decode()
    Share.objects.update(task=None)
    page = eve.browser.get(path).content.decode()
    assert "The task is gone" in page and "Fork" not in page and "of ada" in page
    assert eve.post_form(f"{path}fork/").status_code == 410
    Share.objects.update(revision=None)
    gone = eve.browser.get(path)
    assert gone.status_code == 410 and b"have been deleted" in gone.content
