"""Writes that another site's page, or nobody at all, tries to make."""

import json

import pytest

from assistant.models import AgentCopy, Batch, Consent, Evaluation, Provider, TaskMark
from submissions.models import (
    Draft,
    RegressionCase,
    ReviewComment,
    ReviewDraft,
    ReviewLabel,
    ReviewStep,
    Run,
    RunReview,
    SavedSearch,
    Share,
    Upload,
)
from tests.security.people import DRAFT, FILES, RUNS, call


def writes(run: Run) -> list[tuple[str, str, object]]:
    return [
        ("PUT", DRAFT, {"files": FILES, "version": 0}),
        ("POST", RUNS, {"files": FILES, "device": "cpu"}),
        ("POST", f"/api/runs/{run.pk}/cancel", None),
        ("POST", f"/api/runs/{run.pk}/review", {"verdict": "clean", "reason": "because I say so"}),
        ("POST", "/api/tasks/doubled-relu/check", {"files": FILES}),
        ("POST", "/api/tasks/doubled-relu/baselines", {"device": "cpu"}),
        ("POST", "/api/tasks/doubled-relu/bundle", {"files": FILES}),
        ("POST", "/api/imports", {}),
        ("POST", "/api/tasks/doubled-relu/graphs/f32/draft", {}),
        ("POST", "/api/tasks/doubled-relu/shares", {"files": FILES, "public": True}),
        ("POST", "/api/shares/1/revoke", None),
        ("POST", "/api/tasks/doubled-relu/portability", {"files": FILES}),
        ("POST", "/api/tasks/doubled-relu/pass_dir", {"files": FILES}),
        ("PUT", "/api/searches", {"name": "mine", "address": "?q=relu"}),
        ("DELETE", "/api/searches/1", None),
        ("POST", "/api/uploads/archive", {}),
        ("POST", "/api/uploads/module", {"text": "x = 1"}),
        ("DELETE", "/api/uploads/tasks/doubled-relu", None),
        *WRITES_OF_THE_ASSISTANT,
        *WRITES_OF_THE_REVIEW,
    ]


PROVIDER = {"name": "a", "kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
WRITES_OF_THE_ASSISTANT: list[tuple[str, str, object]] = [
    ("POST", "/api/assistant/providers", PROVIDER),
    ("PATCH", "/api/assistant/providers/1", {"model": "n"}),
    ("DELETE", "/api/assistant/providers/1", None),
    ("POST", "/api/assistant/providers/1/check", None),
    ("PUT", "/api/assistant/consent", {"host": "a.example", "agrees": True}),
    ("PUT", "/api/assistant/tasks/doubled-relu/marks", {"never_send": True}),
    ("POST", "/api/assistant/tasks/doubled-relu/conversations", {"provider": 1}),
    ("DELETE", "/api/assistant/conversations/1", None),
    ("POST", "/api/assistant/conversations/1/messages", {"text": "hello", "files": FILES}),
    ("POST", "/api/assistant/conversations/1/cancel", None),
    ("POST", "/api/assistant/proposals/1/accept", {"hunks": [0]}),
    ("POST", "/api/assistant/proposals/1/reject", {"hunks": [0]}),
    ("POST", "/api/assistant/tasks/doubled-relu/attempts", {"provider": 1, "files": FILES}),
    ("POST", "/api/assistant/attempts/1/pause", None),
    ("POST", "/api/assistant/attempts/1/resume", None),
    ("POST", "/api/assistant/attempts/1/stop", None),
    ("POST", "/api/assistant/tasks/doubled-relu/tools/f32", {}),
    ("POST", "/api/assistant/batches", {"provider": 1, "tasks": ["doubled-relu"]}),
    ("POST", "/api/assistant/batches/1/pause", None),
    ("POST", "/api/assistant/batches/1/resume", None),
    ("POST", "/api/assistant/batches/1/stop", None),
    ("POST", "/api/evaluate", {"task": "doubled-relu", "files": FILES}),
    ("POST", "/api/evaluate/batch", {"items": [{"task": "doubled-relu", "files": FILES}]}),
    ("POST", "/api/evaluate/1/cancel", None),
    ("POST", "/api/assistant/tasks/doubled-relu/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
]
WRITES_OF_THE_REVIEW: list[tuple[str, str, object]] = [
    ("POST", "/api/review/steps", {"what": "label", "all": {"state": "any"}, "value": "mine"}),
    ("POST", "/api/review/undo", None),
    ("POST", "/api/review/items/1/comments", {"text": "hello"}),
    ("DELETE", "/api/review/items/1/comments/1", None),
    ("PUT", "/api/review/items/1/draft", {"fields": {"note": "half a"}}),
    ("POST", "/api/review/items/1/rerun", {"device": "cpu"}),
    ("POST", "/api/review/items/1/case", {"why": "because"}),
]


def unchanged() -> bool:
    kinds = [Draft, RunReview, SavedSearch, Share, Upload, Provider, Consent, TaskMark, Batch, Evaluation, AgentCopy]
    kinds += [ReviewStep, ReviewComment, ReviewDraft, ReviewLabel, RegressionCase]
    return Run.objects.count() == 1 and not any(kind.objects.exists() for kind in kinds)


def test_every_write_of_the_api_is_tried_here(ada, run):
    schema = ada.browser.get("/api/openapi.json").json()
    known = {
        (method.upper(), path)
        for path, methods in schema["paths"].items()
        for method in methods
        if method.upper() not in ("GET", "HEAD")
    }
    plain = {"{slug}": "doubled-relu", "{run_id}": str(run.pk), "{name}": "f32", "{share_id}": "1", "{search_id}": "1"}
    numbered = ("provider", "conversation", "proposal", "attempt", "batch", "evaluation", "item", "comment")
    plain |= {f"{{{what}_id}}": "1" for what in numbered}
    filled = set()
    for method, path in known:
        for part, value in plain.items():
            path = path.replace(part, value)
        filled.add((method, path))
    assert filled == {(method, path) for method, path, _ in writes(run)}


def test_without_the_token_against_forgery_nothing_is_written(adm, run):
    for method, path, body in writes(run):
        for headers in ({}, {"X-CSRFToken": "x" * 32}, {"X-CSRFToken": ""}):
            answer = call(adm.browser, method, path, body, **headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "csrf"), (method, path)
        assert unchanged(), (method, path)


def test_with_the_token_but_from_another_site_nothing_is_written(adm, run):
    for method, path, body in writes(run):
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "http://testserver:8001"},  # another program on this machine
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            answer = adm.send(method, path, body, **headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "cross_site"), (method, path)
        assert unchanged(), (method, path)


@pytest.mark.parametrize("public", [False, True])
def test_a_visitor_writes_nothing(nobody, run, public, settings):
    settings.PUBLIC_READ = public
    for method, path, body in writes(run):
        answer = call(nobody, method, path, body)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_logged_in"), (method, path)
        assert unchanged(), (method, path)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_what_a_form_of_another_site_can_send_is_no_write(ada, run, kind):
    body = json.dumps({"files": FILES, "device": "cpu"})
    token = ada.browser.cookies["csrftoken"].value
    answer = ada.browser.post(RUNS, body, content_type=kind, headers={"X-CSRFToken": token})
    assert answer.status_code == 403
    assert unchanged()


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/logout/", {}),
        ("/account/password/", {"current": "a", "new": "b", "again": "b"}),
        ("/account/tokens/", {"name": "evil", "scope": "run", "days": "300"}),
        ("/account/tokens/1/revoke/", {}),
        ("/login/", {"username": "eve", "password": "x"}),
        ("/boards/import/archive/", {"author": "evil", "version": ""}),
        ("/boards/authors/1/evaluate/", {"device": "cpu"}),
    ],
)
def test_forms_need_the_token_too(ada, path, fields):
    answer = ada.browser.post(path, fields)
    assert answer.status_code == 403
    assert ada.browser.get("/account/").status_code == 200  # still logged in
    assert ada.author.tokens.count() == 0


@pytest.mark.parametrize(
    "path",
    [
        "/logout/",
        "/account/tokens/",
        "/account/tokens/1/revoke/",
        "/boards/import/archive/",
        "/boards/authors/1/evaluate/",
    ],
)
def test_a_link_or_an_image_changes_nothing(ada, path):
    assert ada.browser.get(path).status_code == 405
    assert ada.browser.get("/account/").status_code == 200


@pytest.mark.parametrize("override", ["DELETE", "PUT", "PATCH"])
def test_a_header_does_not_turn_a_read_into_a_write(ada, run, override):
    answer = ada.browser.get(DRAFT, headers={"X-HTTP-Method-Override": override})
    assert answer.status_code == 200
    assert unchanged()
