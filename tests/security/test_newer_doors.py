"""Sockets that match and explain, saved searches, what programs have judged: as an attacker would try them."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Task
from passnet_web.asgi import application
from submissions import limits
from submissions.actions.accounts import Role, do_add_user
from submissions.actions.searches import do_save_search
from submissions.models import Run, SavedSearch
from submissions.tokens import Scope
from tests.security.people import DRAFT, FILES, Person, bearer, call

SOCKETS = ("/ws/tasks/doubled-relu/match", "/ws/language")
MATCH = {"type": "match", "version": 1, "files": {"A.py": ""}, "graph": "f32"}
START = {"type": "start", "files": {"A.py": ""}}


def socket_of(browser: Client | None, path: str, **more: bytes) -> WebsocketCommunicator:
    headers = [(b"host", b"localhost"), *((name.encode(), value) for name, value in more.items())]
    if browser is not None:
        headers.append((b"cookie", b"sessionid=" + browser.cookies["sessionid"].value.encode()))
    return WebsocketCommunicator(application, path, headers=headers)


async def closed_with(watched: WebsocketCommunicator) -> int:
    said: dict[str, Any] = await watched.receive_output(20)
    while said["type"] != "websocket.close":
        said = await watched.receive_output(20)
    code: int = said["code"]
    return code


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", SOCKETS)
async def test_only_our_own_pages_open_them(ada: Person, task: Task, path: str) -> None:
    foreign = (b"http://evil.example", b"http://localhost:81", b"null", b"http://localhost.evil.example", b"file://")
    for origin in foreign:
        assert not (await socket_of(ada.browser, path, origin=origin).connect(20))[0], origin
    assert not (await socket_of(ada.browser, path).connect(20))[0], "no origin at all"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", SOCKETS)
async def test_a_one_time_password_opens_none(task: Task, path: str) -> None:
    def enter() -> Client:
        browser = Client()
        author = do_add_user("new", Role.AUTHOR).author
        browser.force_login(User.objects.get(author=author))
        return browser

    opened = socket_of(await sync_to_async(enter)(), path, origin=b"http://localhost")
    await opened.connect(20)
    assert await closed_with(opened) == 4403


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("path", "message"), list(zip(SOCKETS, (MATCH, START), strict=True)))
async def test_an_account_that_is_closed_is_out_with_its_next_message(
    ada: Person, task: Task, path: str, message: dict[str, Any], settings, tmp_path
) -> None:
    settings.MATCH_SOCKET, settings.LANGUAGE_SOCKET = tmp_path / "m.sock", str(tmp_path / "l.sock")  # nobody is there
    opened = socket_of(ada.browser, path, origin=b"http://localhost")
    assert (await opened.connect(20))[0]
    await sync_to_async(User.objects.filter(author=ada.author).update)(is_active=False)
    await opened.send_json_to(message)
    assert await closed_with(opened) == 4401


@pytest.mark.django_db
def test_searches_of_others_are_neither_seen_nor_touched(ada: Person, eve: Person) -> None:
    kept = do_save_search(ada.author, "mine", "?q=secret")
    assert eve.send("GET", "/api/searches").json() == {"searches": []}
    assert eve.send("DELETE", f"/api/searches/{kept.pk}").status_code == 200  # as for one that was never there
    assert (
        eve.send("PUT", "/api/searches", {"name": "mine", "address": "?q=x", "author": ada.author.pk}).status_code
        == 200
    )
    assert SavedSearch.objects.get(pk=kept.pk).address == "?q=secret"
    assert SavedSearch.objects.get(author=eve.author).address == "?q=x"


@pytest.mark.django_db
def test_searches_are_not_written_by_other_sites_or_tokens_to_read(ada: Person, nobody: Client, token) -> None:
    kept, body = do_save_search(ada.author, "mine", "?q=a"), {"name": "mine", "address": "?q=b"}
    read = bearer(token(ada, Scope.READ))
    for method, path in (("PUT", "/api/searches"), ("DELETE", f"/api/searches/{kept.pk}")):
        sent = body if method == "PUT" else None
        assert call(ada.browser, method, path, sent).status_code == 403, "no token against forgery"
        assert ada.send(method, path, sent, Origin="http://evil.example").status_code == 403
        assert call(Client(), method, path, sent, **read).status_code == 403
        assert call(nobody, method, path, sent).status_code == 401
    assert SavedSearch.objects.get().address == "?q=a"


@pytest.mark.django_db
def test_searches_have_a_rate(ada: Person) -> None:
    sent = [ada.send("DELETE", "/api/searches/1") for _ in range(limits.SEARCHES.burst + 1)]
    assert {answer.status_code for answer in sent[:-1]} == {200}
    assert sent[-1].status_code == 429 and sent[-1].headers["Retry-After"] == "1"


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example/", "/admin/", "?q=\u202eabc", "?q=\0"])
def test_a_search_leads_nowhere_else(ada: Person, address: str) -> None:
    assert ada.send("PUT", "/api/searches", {"name": "a", "address": address}).status_code == 400


def test_what_a_program_had_judged_is_its_author_s_alone(ada: Person, eve: Person, adm: Person, task: Task) -> None:
    asked = ada.send("POST", "/api/evaluate", {"task": task.slug, "files": FILES, "key": "step 1"}).json()
    for stranger in (eve, adm):
        for answer in (
            call(stranger.browser, "GET", f"/api/evaluate/{asked['id']}"),
            call(stranger.browser, "GET", f"/api/evaluate?ids={asked['id']}"),
            stranger.send("POST", f"/api/evaluate/{asked['id']}/cancel"),
        ):
            assert answer.status_code == 404 and b"secret" not in answer.content
    assert (
        eve.send("POST", "/api/evaluate", {"task": task.slug, "files": FILES, "key": "step 1"}).json()["id"]
        != (asked["id"])
    )


def test_a_token_to_evaluate_does_nothing_else(ada: Person, nobody: Client, task: Task, run: Run, token) -> None:
    shown = bearer(token(ada, Scope.EVALUATE))
    assert call(nobody, "POST", "/api/evaluate", {"task": task.slug, "files": FILES}, **shown).status_code == 202
    for method, path, body in (
        ("PUT", DRAFT, {"files": FILES, "version": 0}),
        ("POST", f"/api/runs/{run.pk}/cancel", None),
        ("POST", "/api/uploads/module", {"text": "x = 1"}),
        ("PUT", "/api/assistant/consent", {"host": "a.example", "agrees": True}),
        ("POST", "/api/assistant/batches", {"provider": 1, "tasks": [task.slug]}),
        ("POST", f"/api/tasks/{task.slug}/shares", {"run": str(run.pk), "files": FILES, "public": True}),
    ):
        answer = call(nobody, method, path, body, **shown)
        assert (answer.status_code, answer.json()["code"]) == (403, "scope"), path
