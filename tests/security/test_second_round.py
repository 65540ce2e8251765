"""A second round of attacks on the web side: odd JSON, other people's exports, planted cookies, confused addresses."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from channels.testing import WebsocketCommunicator
from django.db import connection
from django.test import Client

from graphs.models import Task
from passnet_web.asgi import application
from passnet_web.websockets import is_same_origin
from submissions import floods
from submissions.models import Draft, Run, RunReview
from submissions.tokens import Scope
from tests.security.people import DRAFT, FILES, RUNS, Person, bearer, call

SCRIPT = "\"'><script>alert(1)</script>{{7*7}}\u202e"
FOREIGN = {"Origin": "https://evil.example"}


def send_text(person: Person, method: str, path: str, text: bytes):
    shown = {"X-CSRFToken": person.browser.cookies["csrftoken"].value}
    return person.browser.generic(method, path, text, content_type="application/json", headers=shown)


@pytest.mark.parametrize(
    "text",
    [
        b'{"files": {"A.py": "x"}, "version": ' + b"9" * 5000 + b"}",
        b'{"files": {"A.py": "x"}, "version": 1e400}',
        b'{"files": {"A.py": "x"}, "version": NaN}',
        b'{"files": {"A.py": "x"}, "version": -Infinity}',
        b'{"files": {"A.py": ' + b"[" * 100_000 + b"]" * 100_000 + b'}, "version": 0}',
        b'{"files": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b', "version": 0}',
        b'{"files": {"A.py": "\\ud800"}, "version": "0; DROP TABLE"}',
        b'{"files": {"A.py": "x"}, "version": 0} {"again": 1}',
        b'{"files": {"__proto__": {"x": 1}}, "version": 0}',
    ],
    ids=lambda text: ascii(text[:40]),
)
def test_json_that_parsers_disagree_about(ada: Person, task: Task, text: bytes) -> None:
    answer = send_text(ada, "PUT", DRAFT, text)
    assert 400 <= answer.status_code < 500 and answer.json()["code"], answer.content[:200]
    assert Draft.objects.count() == 0


def test_a_name_that_comes_twice_means_one_thing(ada: Person, task: Task) -> None:
    """What is checked is what is kept: the last of both, and no trace of the first."""
    first, last = '{"files": {"A.py": "first"}', '"files": {"B.py": "last"}, "version": 0}'
    assert send_text(ada, "PUT", DRAFT, f"{first}, {last}".encode()).status_code == 200
    assert Draft.objects.get().files == {"B.py": "last"}


@pytest.mark.parametrize("query", ["after=" + "9" * 400, "after=-1", "after=NaN", "limit=1e9", "limit=0", "after[]=1"])
def test_numbers_in_a_query_that_are_none(ada: Person, run: Run, query: str) -> None:
    answer = ada.browser.get(f"/api/runs/{run.pk}/events?{query}")
    assert answer.status_code == (200 if query.startswith(("after[]", "after=999")) else 422)


def test_fields_that_nobody_offered_change_nothing(ada: Person, eve: Person, task: Task) -> None:
    wanted = {
        "files": FILES, "device": "cpu", "author": ada.author.pk, "state": "done", "verdict": "clean", "token": 99,
        "overturned": True, "overturns": None, "reviewed_verdict": "clean", "result": {"verdict": "clean"},
    }  # fmt: skip
    asked = eve.send("POST", RUNS, wanted)
    assert asked.status_code in (201, 422)
    for made in Run.objects.all():
        assert (made.author, made.state, made.verdict, made.reviewed_verdict) == (eve.author, "queued", "", "")
        assert made.overturns is None and made.result is None and made.token == 0
    eve.send("PUT", DRAFT, {"files": FILES, "version": 0, "author": ada.author.pk})
    assert set(Draft.objects.values_list("author__name", flat=True)) <= {"eve"}


def test_parameters_name_nobody_else(ada: Person, eve: Person, run: Run) -> None:
    for name, given in (("author", ada.author.pk), ("user", "ada"), ("run", str(run.pk))):
        for path in (RUNS, "/api/tasks/doubled-relu/history", DRAFT):
            said = eve.browser.get(f"{path}?{name}={given}").content.decode()
            assert "secret of ada" not in said and str(run.pk) not in said and "of ada" not in said


@pytest.mark.parametrize("part", ["", "/events", "/files", "/log.jsonl", "/graphs/f32", "/graphs/f32/rewritten"])
def test_no_export_of_somebody_else_s_run(eve: Person, ada: Person, nobody: Client, run: Run, token, part: str) -> None:
    path = f"/api/runs/{run.pk}{part}"
    assert eve.browser.get(path).status_code == 404
    assert nobody.get(path).status_code == 401
    assert call(nobody, "GET", path, **bearer(token(eve, Scope.RUN))).status_code == 404
    for method in ("PUT", "PATCH", "DELETE"):
        assert eve.send(method, path, {}).status_code in (404, 405)
    assert Run.objects.filter(pk=run.pk, state="done").exists()


def test_a_token_to_read_makes_nothing_by_the_side_doors(
    ada: Person, nobody: Client, task: Task, run: Run, token
) -> None:
    held = bearer(token(ada, Scope.READ))
    for method, path in (
        ("POST", "/api/tasks/doubled-relu/bundle"),
        ("POST", "/api/imports"),
        ("POST", "/api/tasks/doubled-relu/baselines"),
        ("POST", f"/api/runs/{run.pk}/review"),
        ("PUT", DRAFT),
    ):
        assert call(nobody, method, path, {"files": FILES, "version": 0}, **held).status_code == 403, path
    assert (Run.objects.count(), Draft.objects.count()) == (1, 0)


def test_a_planted_cookie_does_not_replace_the_origin(ada: Person, task: Task) -> None:
    """Another page below our domain may set cookies: that its own token agrees with itself is not enough."""
    planted = "A" * 64
    ada.browser.cookies["csrftoken"] = planted
    answer = call(ada.browser, "PUT", DRAFT, {"files": FILES, "version": 0}, **{"X-CSRFToken": planted, **FOREIGN})
    assert answer.status_code == 403 and Draft.objects.count() == 0


@pytest.mark.parametrize(
    "path",
    [
        "/account;/", "//account/", "/./account/", "/login/../account/", "/%61ccount/", "/account/%20", "/ACCOUNT/",
        "/api/../account/", "/healthz/../api/tasks", "/static/../api/tasks", "/login/;/api/tasks", "/api//tasks",
        "/api/tasks?/login/", "/api/tasks#/healthz", "/login/%2e%2e/api/tasks", "/healthz%2f..%2fapi%2ftasks",
    ],
)  # fmt: skip
def test_no_spelling_of_an_address_gets_past_the_gate(nobody: Client, run: Run, path: str) -> None:
    answer = nobody.get(path)
    assert answer.status_code in (301, 302, 400, 401, 404)
    if answer.status_code in (301, 302):
        assert answer["Location"].startswith(("/login/", "/account/", "/")) and "//" not in answer["Location"][:2]
        assert nobody.get(answer["Location"]).status_code != 200 or answer["Location"].startswith("/login/")


def test_an_account_that_is_closed_is_out_at_once(ada: Person, run: Run) -> None:
    assert ada.browser.get(f"/api/runs/{run.pk}").status_code == 200
    assert ada.author.user is not None
    ada.author.user.is_active = False
    ada.author.user.save()
    assert ada.browser.get(f"/api/runs/{run.pk}").status_code == 401


def test_every_stored_string_comes_back_as_data(ada: Person, rea: Person, run: Run) -> None:
    assert rea.send("POST", f"/api/runs/{run.pk}/review", {"verdict": "clean", "reason": SCRIPT}).status_code == 201
    assert RunReview.objects.get().reason == SCRIPT
    Run.objects.filter(pk=run.pk).update(message=SCRIPT, isolation=SCRIPT[:60])
    for path in (f"/api/runs/{run.pk}", f"/api/runs/{run.pk}/events", RUNS):
        answer = ada.browser.get(path)
        assert answer["Content-Type"].startswith("application/json") and answer["X-Content-Type-Options"] == "nosniff"
    assert ada.browser.get(f"/api/runs/{run.pk}").json()["reviews"][0]["reason"] == SCRIPT
    log = ada.browser.get(f"/api/runs/{run.pk}/log.jsonl")
    assert "html" not in log["Content-Type"] and log["X-Content-Type-Options"] == "nosniff"
    for path in ("/", f"/tasks/doubled-relu/?run={run.pk}", "/account/"):
        assert b"<script>alert" not in ada.browser.get(path).content


def test_names_of_downloads_are_plain_and_never_a_second_header(ada: Person, task: Task, run: Run) -> None:
    answers = [
        ada.browser.get(f"/api/runs/{run.pk}/log.jsonl"),
        ada.send("POST", "/api/tasks/doubled-relu/bundle", {"files": FILES, "device": "cpu"}),
    ]
    for answer in answers:
        assert answer.status_code == 200, answer.content[:300]
        for value in answer.headers.values():
            assert "\n" not in value and "\r" not in value
        named = answer.headers.get("Content-Disposition", "attachment")
        assert named.startswith("attachment") and "/" not in named.replace("''", "") and ".." not in named


def test_a_method_in_the_body_is_only_text(ada: Person, run: Run) -> None:
    for path in (f"/api/runs/{run.pk}?_method=DELETE", f"/api/runs/{run.pk}/cancel?_method=GET"):
        for headers in ({"X-HTTP-Method-Override": "POST"}, {"X-Method-Override": "DELETE"}):
            assert ada.browser.get(path, headers=headers).status_code in (200, 405)
    assert not Run.objects.get(pk=run.pk).cancel_requested


@pytest.mark.parametrize(
    "origin",
    [
        b"http://bench.example@evil.example", b"http://bench.example.evil.example", b"http://evil.example#bench.example",
        b"http://evil.example/bench.example", b"file://bench.example", b"null", b"", b"bench.example",
        b"http://bench.example:81", b"javascript://bench.example", b"http://bench.example%00.evil.example",
        b"http://user:pass@bench.example", "http://b\u0435nch.example".encode(),
    ],
)  # fmt: skip
def test_origins_that_only_look_like_ours(settings, origin: bytes) -> None:
    settings.ALLOWED_HOSTS = ["bench.example"]
    host = (b"host", b"bench.example")
    assert is_same_origin([host, (b"origin", b"http://bench.example")])
    assert not is_same_origin([host, (b"origin", origin)])
    assert not is_same_origin([host, (b"origin", b"http://bench.example"), (b"origin", origin)])
    assert not is_same_origin([host, (b"host", b"evil.example"), (b"origin", b"http://bench.example")])


@pytest.mark.django_db(transaction=True)
def test_of_many_saves_of_one_version_one_is_kept(ada: Person, task: Task) -> None:
    """Two tabs, or a script that races: nobody's text is overwritten unseen."""
    shown = {"X-CSRFToken": ada.browser.cookies["csrftoken"].value}

    def save(number: int) -> tuple[int, int]:
        browser = Client(enforce_csrf_checks=True)
        browser.cookies = ada.browser.cookies
        try:
            body = {"files": {"A.py": f"text {number}"}, "version": 0}
            return number, call(browser, "PUT", DRAFT, body, **shown).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(save, range(8)))
    kept = [number for number, status in answers if status == 200]
    assert {status for _, status in answers} <= {200, 409, 429, 503}
    draft = Draft.objects.get()
    assert len(kept) == 1 and draft.version == 1 and json.dumps(draft.files) == json.dumps({"A.py": f"text {kept[0]}"})


@pytest.mark.django_db(transaction=True)
async def test_a_socket_that_never_stops_talking_is_closed(ada: Person, run: Run) -> None:
    cookie = b"sessionid=" + ada.browser.cookies["sessionid"].value.encode()
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"cookie", cookie)]
    for path in (f"/ws/runs/{run.pk}", "/ws/tasks/doubled-relu/match"):
        talking = WebsocketCommunicator(application, path, headers=headers)
        assert (await talking.connect(20))[0]
        for _ in range(floods.MOST + 1):
            await talking.send_to(text_data="{}")
        said = await talking.receive_output(60)
        while said["type"] != "websocket.close":
            said = await talking.receive_output(60)
        assert said["code"] == floods.TOO_MANY
