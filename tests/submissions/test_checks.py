"""Findings while typing, and what the catalogue says about worked examples."""

import json
import subprocess
import threading

import pytest

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.models import Task
from submissions import checking
from submissions.files import ORDER_FILE
from tests.submissions.conftest import sample

DELEGATES = """\
import torch


def pattern(x):
    return torch.nn.functional.relu(x) * 2


def replacement_args(x):
    return (x,)


@torch.fx.wrap
def launch(x):
    return torch.relu(x)


def replacement_func():
    return launch
"""


@pytest.fixture
def post(client):
    def send(slug: str, files: object):
        return client.post(f"/api/tasks/{slug}/check", json.dumps({"files": files}), content_type="application/json")

    return send


def test_what_a_run_would_find_is_found_while_typing(post, task: Task) -> None:
    answer = post(task.slug, {"A.py": DELEGATES, ORDER_FILE: '["A"]'})
    assert answer.status_code == 200
    (finding,) = answer.json()["findings"]
    assert (finding["class"], finding["severity"]) == ("torch_compute", "violation")
    assert (finding["file"], finding["line"]) == ("A.py", 14)


def test_text_that_is_no_python_yet_is_no_finding(post, task: Task) -> None:
    assert post(task.slug, {"A.py": "def pattern(", ORDER_FILE: '["A"]'}).json() == {"findings": [], "problem": ""}
    assert post(task.slug, {}).json() == {"findings": [], "problem": ""}


def test_bad_names_unknown_tasks_and_visitors_are_refused(post, client, task: Task) -> None:
    assert post(task.slug, {"../A.py": ""}).json()["code"] == "bad_files"
    assert post("nothing", {"A.py": ""}).status_code == 404
    client.logout()
    assert post(task.slug, {"A.py": ""}).status_code in (401, 403)


def test_tasks_with_a_worked_example_come_first_then_all_by_title(client, task: Task) -> None:
    for title in ("Beta", "Alpha"):
        do_store_task(title.lower(), TaskText(title), [("f32", do_store_graph(sample(), "model.py"))], None, "shipped")
    tasks = client.get("/api/tasks").json()["tasks"]
    assert [(found["title"], found["has_example"]) for found in tasks] == [
        ("Doubled ReLU", True),
        ("Alpha", False),
        ("Beta", False),
    ]


DEEP = {
    "nested": "x = " + "(" * 100_000,
    "chained": "x = a" + ".b" * 200_000,
    "negated": "x = " + "-" * 200_000 + "1",
    "surrogates": "x = '\ud800'\n",
    "nul": "x = 1\0\n",
}


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_made_to_break_a_reader_breaks_nothing_of_ours(post, task, kind):
    answer = post(task.slug, {"A.py": DEEP[kind]})
    assert answer.status_code == 200
    assert isinstance(answer.json()["findings"], list)


def test_a_check_that_takes_too_long_is_stopped_and_said_so():
    checked = checking.check_apart({"A.py": "x = 1\n"}, seconds=0.0)
    assert checked.findings == [] and "took too long" in checked.problem


def test_only_so_many_at_once(post, task, monkeypatch):
    monkeypatch.setattr(checking, "_places", threading.BoundedSemaphore(1))
    monkeypatch.setattr(checking, "PATIENCE", 0.01)
    with checking._places:
        answer = post(task.slug, {"A.py": "x = 1\n"})
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (429, "busy", "1")


def test_the_child_gets_no_secret(monkeypatch):
    seen = {}

    def run(command, **options):
        seen.update(options["env"])
        raise OSError

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("SECRET_KEY", "sentinel")
    checking.check_apart({})
    assert set(seen) == {"PYTHONPATH", "LC_ALL"}
