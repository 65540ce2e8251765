"""Submissions beside each other: differences worked out by hand, what is never compared, who may look."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from submissions.actions.run_folders import Described, do_get_author
from submissions.comparing.differences import read_speed
from submissions.events import append_events
from submissions.models import Author, Run, RunEvent, Submission
from tests.accounts import account
from tests.submissions.test_boards import graph, run, store_task

pytestmark = pytest.mark.django_db


def timed(name: str, eager: list[float], own: list[float], method: str = "e2e", **ratio: float) -> tuple[str, dict]:
    ends = {"value": 2.0, "low": 1.9, "high": 2.1} | ratio
    said = {"graph": name, "entry": "direct", "method": method, "ratios": {"candidate": ends}}
    return ("timed", said | {"samples": {"eager": eager, "candidate": own} if eager else {}})


def log(one: Run, *events: tuple[str, dict]) -> Run:
    append_events(one.pk, events)
    return one


@pytest.fixture
def reader(client: Client) -> Author:
    person = account("reader")
    client.force_login(person.user)
    return person


def ask(client: Client, *runs: object, path: str = "", **more: str) -> dict | list:
    answer = client.get(f"/api/compare{path}", {"of": [str(one) for one in runs], **more})
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


def test_runs_differ_by_their_rounds_each_against_eager(client: Client, reader: Author):
    """The first is 2 times as fast as eager, the second 4 times, on a device that was slower that day: 2 times as
    fast. The third has no rounds, and half the speed by its interval; the fourth is of another device."""
    task = store_task("one", 2)
    first = log(
        run(reader, task, graph(speed=2.0)), timed("g0", [4.0, 8.0], [2.0, 4.0]), timed("g0", [1.0], [1.0], "gpu")
    )
    second = log(run(reader, task, graph(speed=4.0)), timed("g0", [8.0, 16.0], [2.0, 4.0]))
    bare = log(run(reader, task, graph(speed=1.0)), timed("g0", [], [], value=1.0, low=0.9, high=1.1))
    other = log(run(reader, task, graph(speed=9.0), device="cuda:A100"), timed("g0", [9.0, 9.0], [1.0, 1.0]))
    wrong = run(reader, task, graph("accuracy", speed=9.0))
    everybody = [one.pk for one in (first, second, bare, other, wrong)]
    found = ask(client, *everybody, path="/differences")
    by_key = {one["key"]: one for one in found}
    assert by_key[str(second.pk)]["ratio"] == {"value": 2.0, "low": 2.0, "high": 2.0}
    assert (by_key[str(second.pk)]["word"], by_key[str(second.pk)]["basis"]) == ("faster", "rounds")
    assert by_key[str(second.pk)]["rounds"] == [2, 2]
    assert by_key[str(bare.pk)]["ratio"]["value"] == 0.5 and by_key[str(bare.pk)]["basis"] == "intervals"
    assert by_key[str(bare.pk)]["word"] == "slower"
    assert by_key[str(other.pk)]["ratio"] is None and by_key[str(other.pk)]["why"] == "measured elsewhere: other device"
    assert "not correct" in by_key[str(wrong.pk)]["why"]
    page = ask(client, *everybody)
    assert [one["why_not"] for one in page["entries"]] == ["", "", "", "measured elsewhere: other device", ""]
    assert page["entries"][0]["context"].startswith("H200") and page["entries"][0]["files"]
    unpaired = ask(client, first.pk, second.pk, path="/differences", method="kernel")
    assert [one["why"] for one in unpaired] == ["not timed by this method"]


def test_the_comparison_is_a_file_too(client: Client, reader: Author):
    task = store_task("one", 2)
    first = log(run(reader, task, graph(speed=2.0)), timed("g0", [4.0, 8.0], [2.0, 4.0]))
    second = log(run(reader, task, graph("no_match", reason="=1+1")), timed("g0", [8.0, 16.0], [2.0, 4.0]))
    answer = client.get("/api/compare/figures", {"of": [str(first.pk), str(second.pk)]})
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [line["status"] for line in lines] == ["correct", "no_match"]
    assert (lines[0]["eager_by_own"], lines[0]["rounds"]) == ("2.0", "2")
    assert lines[1]["reason"] == "'=1+1" and "not correct" in lines[1]["why"]


def test_imported_submissions_stand_beside_runs_with_their_own_word(client: Client, reader: Author):
    model = do_get_author("a model", Described(), None)
    files = {"A.py": "def pattern(a):\n    return a\n"}
    two = [
        Submission.objects.create(author=model, task_name="t" * 64, hash=str(at), files=files, path="p", reported=at)
        for at in (1, 2)
    ]
    page = ask(client, *(f"s{one.pk}" for one in two))
    assert page["task"] is None and page["name"] == "t" * 64
    assert [(one["author"], one["reported"], one["why_not"]) for one in page["entries"]] == [
        ("a model", 1.0, "not evaluated"),
        ("a model", 2.0, "not evaluated"),
    ]
    assert ask(client, *(f"s{one.pk}" for one in two), path="/differences") == []


def test_what_can_not_be_compared_is_refused(client: Client, reader: Author):
    task, other = store_task("one", 2), store_task("two", 3)
    mine, elsewhere = run(reader, task, graph(speed=1.0)), run(reader, other, graph(speed=1.0))
    foreign = run(account("somebody"), task, graph(speed=1.0))

    def code(*keys: object) -> tuple[int, str]:
        answer = client.get("/api/compare", {"of": [str(key) for key in keys]})
        return answer.status_code, answer.json().get("code", "")

    assert code(mine.pk) == (400, "wrong_number")
    assert code(mine.pk, elsewhere.pk) == (400, "different_tasks")
    assert code(mine.pk, foreign.pk) == (404, "unknown_run")  # as if it were not there
    assert code(mine.pk, "s9999")[0] == 404 and code(mine.pk, "sx")[0] == 404
    assert code(*(run(reader, task, graph(speed=1.0)).pk for _ in range(7))) == (400, "wrong_number")
    client.logout()
    assert client.get("/api/compare", {"of": [str(mine.pk)]}).status_code == 401


def test_a_comparison_costs_few_queries_however_long_the_logs(client: Client, reader: Author):
    task = store_task("one", 2)
    runs = [log(run(reader, task, graph(speed=2.0)), timed("g0", [4.0], [2.0])) for _ in range(6)]
    RunEvent.objects.bulk_create(
        RunEvent(run=one, seq=seq, kind="log", payload={"text": "x"}, at=one.created_at)
        for one in runs
        for seq in range(2, 300)
    )
    with CaptureQueriesContext(connection) as asked:
        ask(client, *(one.pk for one in runs), path="/differences")
    assert len(asked) <= 14, [one["sql"][:90] for one in asked]


def test_what_a_file_says_of_times_is_looked_at_first():
    _, said = timed("g0", [4.0, 8.0], [2.0, 4.0])
    speed = read_speed(said)
    assert speed is not None and speed.rounds is not None
    said["samples"]["eager"] = [4.0, "8"]
    assert read_speed(said).rounds is None
    assert read_speed({"ratios": {"candidate": {"value": 1, "low": "x", "high": 2}}}) is None
    assert read_speed({"ratios": None}) is None


def test_a_task_leads_to_the_best_runs_of_its_authors(client: Client, reader: Author):
    task = store_task("one", 2)
    assert client.get("/compare/task/one/").status_code == 404
    mine = run(reader, task, graph(speed=1.0), correct=0)
    run(account("somebody"), task, graph(speed=1.0), correct=1)  # whose runs are their own
    model, other = (do_get_author(name, Described(), None) for name in ("model", "other"))
    run(model, task, graph(speed=1.0), correct=0)
    better = run(model, task, graph(speed=1.0), correct=1)
    last = run(other, task, graph(speed=1.0), correct=0)
    answer = client.get("/compare/task/one/")
    assert answer["Location"] == f"/compare/?of={mine.pk}&of={better.pk}&of={last.pk}"
    assert client.get("/compare/task/none/").status_code == 404
