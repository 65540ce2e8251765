"""Requests that are malformed, oversized or meant to be misread."""

import json
import re

import pytest

from graphs.models import Task
from submissions.files import name_problem
from submissions.models import Draft, Run
from tests.security.people import DRAFT, FILES, RUNS, Person, bearer

TRAVERSALS = [
    "../A.py",
    "a/../../A.py",
    "/etc/passwd",
    "..",
    ".",
    "./A.py",
    "a/./b.py",
    "a//b.py",
    "a\\..\\b.py",
    "C:\\A.py",
    "C:A.py",
    "A.py\0.txt",
    "A\n.py",
    "A\r\nX: y.py",
    ".hidden",
    "a/.git/config",
    "a /b.py",
    "a./b.py",
    "\u202eyp.A",
    "\ud800.py",
    "<img src=x>.py",
    '".py',
    "a" * 201,
    "",
    "/",
    "a/",
]


@pytest.mark.parametrize("name", TRAVERSALS, ids=lambda name: ascii(name)[:24])
def test_file_names_that_lead_elsewhere(ada: Person, task: Task, name: str) -> None:
    assert name_problem(name)
    for method, path, body in (
        ("PUT", DRAFT, {"files": {name: "x"}, "version": 0}),
        ("POST", RUNS, {"files": {name: "x"}, "device": "cpu"}),
        ("POST", "/api/tasks/doubled-relu/check", {"files": {name: "x"}}),
    ):
        answer = ada.send(method, path, body)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_files")
    assert (Draft.objects.count(), Run.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    "slug",
    [
        "..",
        "%2e%2e",
        "..%2f..%2fetc%2fpasswd",
        "%2Fetc",
        "doubled-relu%00",
        "a%0d%0ab",
        "%ff%fe",
        "'%20OR%201=1--",
        "{{7*7}}",
    ],
)
def test_slugs_that_lead_elsewhere(ada: Person, task: Task, slug: str) -> None:
    for path in (f"/api/tasks/{slug}", f"/api/tasks/{slug}/draft", f"/tasks/{slug}/", f"/api/runs/{slug}/files"):
        answer = ada.browser.get(path)
        assert answer.status_code in (400, 404), path
        assert b"root:" not in answer.content and b"49" not in answer.content.replace(b"Content", b"")[:200]


@pytest.mark.parametrize(
    "path", ["/static/../manage.py", "/static/%2e%2e/manage.py", "/static/..%2f..%2fmanage.py", "/static//etc/passwd"]
)
def test_static_files_are_those_of_the_front_end(ada: Person, path: str) -> None:
    answer = ada.browser.get(path)
    assert answer.status_code == 404
    assert b"django" not in b"".join(answer.streaming_content if answer.streaming else [answer.content])[:5000].lower()


@pytest.mark.parametrize("query", ["q=%00", "q=a%00b", "%00=1"])
def test_nul_in_a_query(ada: Person, task: Task, query: str) -> None:
    answer = ada.browser.get(f"/api/tasks?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_address")


def test_an_address_without_end(ada: Person) -> None:
    assert ada.browser.get("/api/tasks?q=" + "a" * 9000).status_code == 414
    assert ada.browser.get("/tasks/" + "a" * 9000 + "/").status_code == 414


BODIES = {
    "cut": b'{"files": {"A.py": "x"',
    "array": b"[]",
    "text": b'"files"',
    "null": b"null",
    "number": b"1e999",
    "nan": b'{"files": {}, "version": NaN}',
    "not utf-8": b'{"files": {"\xff": "x"}}',
    "utf-16": '{"files": {}}'.encode("utf-16"),
    "deep": b"[" * 200_000,
    "deep object": b'{"files":' * 100_000,
    "long number": b'{"files": {}, "version": ' + b"9" * 100_000 + b"}",
    "wrong types": b'{"files": [["A.py", "x"]], "version": "one"}',
    "nested": b'{"files": {"A.py": {"$ne": null}}, "version": 0}',
    "prototype": b'{"files": {"__proto__": {"a": 1}}, "version": 0}',
    "empty": b"",
}


@pytest.mark.parametrize("kind", BODIES)
def test_bodies_that_are_no_request(ada: Person, task: Task, kind: str) -> None:
    token = ada.browser.cookies["csrftoken"].value
    for method, path in (("PUT", DRAFT), ("POST", RUNS), ("POST", "/api/tasks/doubled-relu/check")):
        answer = ada.browser.generic(
            method, path, BODIES[kind], content_type="application/json", headers={"X-CSRFToken": token}
        )
        assert answer.status_code in (200, 400, 409, 422), (path, answer.content)
        if answer.status_code != 200:
            assert re.fullmatch(r"[a-z_]+", answer.json()["code"])
            assert "Traceback" not in answer.content.decode()
    assert Run.objects.count() == 0


@pytest.mark.parametrize("version", [-1, 2**31, 2**63, 10**30, 1.5, "1 OR 1=1", None])
def test_versions_that_no_draft_can_have(ada: Person, task: Task, version: object) -> None:
    answer = ada.send("PUT", DRAFT, {"files": FILES, "version": version})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_a_body_beyond_the_limit(ada: Person, task: Task) -> None:
    for method, path in (("PUT", DRAFT), ("POST", RUNS), ("POST", "/api/tasks/doubled-relu/check")):
        answer = ada.send(method, path, {"files": {"A.py": "x" * (5 << 20)}, "version": 0})
        assert (answer.status_code, answer.json()["code"]) == (413, "too_big")


def test_a_form_beyond_the_limit(ada: Person) -> None:
    assert ada.post_form("/account/tokens/", name="x" * (5 << 20), scope="run", days="1").status_code == 400
    many = {f"field{number}": "x" for number in range(200)}
    assert ada.post_form("/account/tokens/", **many).status_code == 400


def test_files_beyond_the_limits(ada: Person, task: Task) -> None:
    for files in ({"A.py": "x" * 1_000_001}, {f"{number}.py": "" for number in range(65)}):
        answer = ada.send("PUT", DRAFT, {"files": files, "version": 0})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_files")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "testserver@evil.example", "evil.example:80", "a\r\nX: y", "", "a b"],
)
@pytest.mark.parametrize("path", ["/", "/login/", "/api/tasks", "/account/"])
def test_a_host_that_is_not_ours(ada: Person, path: str, host: str) -> None:
    answer = ada.browser.get(path, headers={"Host": host})
    assert answer.status_code == 400
    assert b"evil" not in answer.content and "evil" not in str(answer.headers)


@pytest.mark.parametrize("header", ["X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL", "Forwarded", "X-Host"])
def test_headers_that_would_name_another_host_or_page(nobody, db, header: str) -> None:
    answer = nobody.get("/tasks/x/", headers={header: "evil.example/api/tasks"})
    assert answer.status_code == 302 and answer.headers["Location"] == "/login/?next=%2Ftasks%2Fx%2F"
    assert "evil" not in str(answer.headers)


INJECTED = "x\r\nSet-Cookie: evil=1\r\n\r\n<script>alert(1)</script>"


def test_nothing_that_is_sent_becomes_a_header(ada: Person, task: Task, token) -> None:
    from submissions.tokens import Scope

    answers = [
        ada.browser.get("/tasks/" + INJECTED.replace("\r", "%0d").replace("\n", "%0a") + "/"),
        ada.browser.get("/api/tasks", {"q": INJECTED}),
        ada.browser.get("/login/", {"next": INJECTED}),
        ada.browser.get("/", headers={"Cookie": f"theme={INJECTED}"}),
        ada.browser.get("/api/tasks/doubled-relu/graphs/f32", headers={"If-None-Match": INJECTED}),
        ada.browser.get(DRAFT, headers=bearer(token(ada, Scope.READ) + INJECTED)),
        ada.send("POST", RUNS, {"files": FILES, "device": INJECTED}),
        ada.post_form("/account/tokens/", name=INJECTED, scope="run", days="1"),
    ]
    for answer in answers:
        assert answer.status_code < 500
        assert "evil" not in answer.cookies
        for name, value in answer.headers.items():
            assert "\n" not in name + value and "\r" not in name + value
            assert "evil" not in name.lower()


@pytest.mark.parametrize(
    "path", ["/", "/login/", "/account/", "/tasks/doubled-relu/", "/api/docs", "/nowhere", "/api/tasks"]
)
def test_no_page_can_be_framed(ada: Person, task: Task, path: str) -> None:
    headers = ada.browser.get(path).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\u202egnp.exe",
    "a" * 180,
    "{{ settings.SECRET_KEY }}",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_names_are_text_on_the_server_s_pages(ada: Person, adm: Person, task: Task, name: str, settings) -> None:
    Task.objects.update(title=name)
    ada.post_form("/account/tokens/", name=name[:80], scope="run", days="1")
    pages = [
        ada.browser.get("/tasks/doubled-relu/"),
        ada.browser.get("/account/"),
        adm.browser.get("/admin/graphs/task/"),
    ]
    for page in pages:
        text = page.content.decode()
        assert page.status_code == 200
        assert "<script>alert" not in text and "<img src=x" not in text
        assert settings.SECRET_KEY not in text


@pytest.mark.parametrize("path", ["/<script>alert(1)</script>", "/tasks/<img src=x onerror=alert(1)>/", "/api/<b>"])
def test_an_address_is_text_on_the_page_that_says_that_there_is_nothing(ada: Person, path: str) -> None:
    answer = ada.browser.get(path)
    assert answer.status_code == 404
    if answer.headers["Content-Type"].startswith("text/html"):
        assert b"<script>alert" not in answer.content and b"<img src=x" not in answer.content
    else:
        assert answer.headers["Content-Type"].startswith("application/json")
        json.loads(answer.content)


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "DEBUG", "PROPFIND"])
def test_methods_that_nobody_needs(ada: Person, method: str) -> None:
    for path in ("/", "/api/tasks", "/account/"):
        answer = ada.browser.generic(method, path, headers={"X-CSRFToken": ada.browser.cookies["csrftoken"].value})
        assert answer.status_code in (403, 405)
