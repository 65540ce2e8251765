import re

import pytest

from graphs.models import Task
from passnet_web.headers import DATA_POLICY, page_policy

pytestmark = pytest.mark.usefixtures("built_front_end")


@pytest.fixture
def task(db) -> Task:
    title = "Mean <script>alert(1)</script>"
    return Task.objects.create(slug="mean", title=title, origin="imported", content_hash="x")


def test_the_catalogue_page(client):
    page = client.get("/")
    html = page.content.decode()
    assert page.status_code == 200
    assert '<div id="catalogue"' in html
    assert '<header class="topbar">' in html and 'id="theme-toggle"' in html
    assert 'src="/static/dist/assets/catalogue-1a2b3c4d.js"' in html
    assert 'href="/static/dist/assets/catalogue-5e6f7a8b.css"' in html
    assert "<noscript>" in html


def test_the_workbench_page_escapes_what_comes_from_datasets(client, task):
    html = client.get("/tasks/mean/").content.decode()
    assert 'data-slug="mean"' in html
    assert "workbench-1a2b3c4d.js" in html
    assert "<script>alert" not in html and "&lt;script&gt;alert" in html


@pytest.mark.parametrize("path", ["/", "/tasks/mean/", "/nowhere/", "/account/", "/account/password/", "/login/"])
def test_no_page_has_inline_script_or_style(client, task, path):
    html = client.get(path).content.decode()
    assert re.findall(r"<script(?![^>]*\bsrc=)", html) == []
    assert re.findall(r"\son[a-z]+=|<style|\sstyle=", html) == []


POLICIES = {
    "/": page_policy("localhost:8000"),
    "/login/": page_policy("localhost:8000"),
    "/nowhere/": page_policy("localhost:8000"),
    "/tasks/mean/": page_policy("localhost:8000", styled=True),
    "/api/docs": page_policy("localhost:8000", styled=True),
    "/api/tasks": DATA_POLICY,
    "/api/nowhere": DATA_POLICY,
}


@pytest.mark.parametrize("path", [*POLICIES, "/healthz"])
@pytest.mark.parametrize("logged_in", [True, False])
def test_every_answer_tells_the_browser_what_not_to_do(client, task, path, logged_in):
    if not logged_in:
        client.logout()
    headers = client.get(path, headers={"Host": "localhost:8000"}).headers
    assert headers["Content-Security-Policy"] == POLICIES.get(path, page_policy("localhost:8000"))
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "private" in headers["Cache-Control"]
    assert "Cookie" in headers["Vary"]


def test_the_policy():
    rules = dict(rule.split(" ", 1) for rule in page_policy("localhost:8000").split("; "))
    assert rules == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "worker-src": "'self'",
        "connect-src": "'self' ws://localhost:8000 wss://localhost:8000",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize("host", ["evil; script-src *", "evil\r\nX: y", "e v", "\u0435vil", "'unsafe-inline'"])
def test_a_host_can_not_add_to_the_policy(host):
    assert page_policy(host) == page_policy("")


def test_an_unknown_task_teaches(client, task):
    page = client.get("/tasks/meen/")
    assert page.status_code == 404
    assert 'Did you mean <a href="/tasks/mean/">mean</a>?' in page.content.decode()


def test_an_unknown_page_teaches(client):
    page = client.get("/nowhere/%3Cb%3E/")
    assert page.status_code == 404
    assert "There is no page at /nowhere/&lt;b&gt;/" in page.content.decode()


def test_a_failure_says_that_it_is_ours(client, task, monkeypatch):
    def fail(slug):
        raise RuntimeError("secret detail")

    client.raise_request_exception = False
    monkeypatch.setattr("submissions.views.access_task", fail)
    page = client.get("/tasks/mean/")
    assert page.status_code == 500
    assert "not of your pass" in page.content.decode()
    assert "secret detail" not in page.content.decode()


@pytest.mark.parametrize(("cookie", "shown"), [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"')])
def test_the_theme_is_right_from_the_first_paint(client, cookie, shown):
    client.cookies["theme"] = cookie
    assert f'<html lang="en"{shown}>' in client.get("/").content.decode()


def test_an_odd_theme_is_ignored(client):
    client.cookies["theme"] = '"><script>'
    assert '<html lang="en">' in client.get("/").content.decode()


def test_a_foreign_host_is_refused(client):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
