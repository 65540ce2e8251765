"""Pages that the server renders: batches, an attempt step by step, curves; and what an export leaves out."""

import json
from decimal import Decimal

import pytest
from django.test import Client
from task_of_two import SOURCE, store_task

from assistant import attempt_api, batch_api, pages
from assistant.actions.attempts import do_begin_attempts
from assistant.chat.log import append
from assistant.models import Attempt, Batch, Provider, TaskMark
from assistant.player import difference, steps_of
from assistant.trajectories import Filters, licences_of, trajectories
from graphs.models import Task
from submissions.actions.claims import do_claim_run, do_finish_run, do_start_run
from submissions.actions.run_folders import Described, do_get_author
from submissions.actions.runs import do_request_run
from tests.accounts import account

pytestmark = pytest.mark.django_db
BAD = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


def judged(author, task, right, files=None):
    """A run that has ended with so many graphs right."""
    run = do_request_run(author, task, files or {"P.py": f"right = {right}\n"}, "cpu")
    claim = do_claim_run(str(run.pk), "w")
    do_start_run(claim)
    words = ["correct" if at < right else "accuracy" for at in range(2)]
    graphs = {f"g{at}": {"status": word, "first_t": -6 if word == "correct" else None} for at, word in enumerate(words)}
    done = {"verdict": "clean", "graphs": graphs, "findings": [], "aggregate_score": None, "es_t": None, "versions": {}}
    do_finish_run(claim, done)
    run.refresh_from_db()
    return run


def ended_attempt(author, task, right=2):
    values = {"kind": "openai", "base_url": "http://h/v1", "model": "small"}
    provider, _ = Provider.objects.get_or_create(owner=author, name="Small", defaults=values)
    budget = {"max_steps": 4, "max_seconds": 60, "max_tokens": 0, "max_cost": None}
    (attempt,) = do_begin_attempts(author, task, provider, {"P.py": "right = 0\n"}, f"go {BAD}", "cpu", 1, budget)
    run = judged(author, task, right)

    def call(name, arguments):
        return {"id": name, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}

    new = f"right = {right}\n"
    usage = {"input": 11, "output": 7, "estimated": False, "cost": None, "currency": "", "model": "small", "cached": 0}
    said = {"role": "assistant", "content": "I write it.", "model": "small", "stop": "tools", "problem": ""}
    calls = [call("write_file", {"name": "P.py", "text": new}), call("evaluate", {})]
    append(
        attempt.conversation_id,
        [
            ("usage", usage),
            ("message", {**said, "tool_calls": calls, "prompts": [{"name": "autopilot", "version": 1, "hash": "h"}]}),
            ("message", {"role": "tool", "tool_call_id": "write_file", "content": "P.py is replaced.", "ok": True}),
            ("message", {"role": "tool", "tool_call_id": "evaluate", "content": "correct on all", "ok": True}),
        ],
    )
    evaluation = {
        "step": 1, "run": str(run.pk), "state": "done", "verdict": "clean", "correct": right, "total": 2,
        "first_t": None, "score": None,
    }  # fmt: skip
    Attempt.objects.filter(pk=attempt.pk).update(
        state="ended", exit_reason="done", message="The model says that it is done.", steps=1, cost=Decimal(0),
        evaluations=[evaluation], best=evaluation, best_files={"P.py": new},
    )  # fmt: skip
    return Attempt.objects.select_related("conversation__task").get(pk=attempt.pk)


def test_an_attempt_step_by_step(client, author, task):
    attempt = ended_attempt(author, task)
    first, second = steps_of(attempt)
    assert (first.role, second.role) == ("user", "assistant")
    assert (second.tokens_in, second.tokens_out, second.prompts) == (11, 7, "autopilot 1")
    assert second.tools[0].diff == [("place", "@@ -1 +1 @@"), ("gone", "-right = 0"), ("come", "+right = 2")]
    assert second.evaluations[0]["correct"] == 2
    page = client.get(f"/attempts/{attempt.pk}/").content.decode()
    assert "2 messages" in page and "+right = 2" in page and "judged: 2 / 2 correct" in page
    assert BAD not in page and "&lt;script&gt;" in page
    found = client.get(f"/attempts/{attempt.pk}/", {"q": "IS REPLACED"}).content.decode()
    assert "1 of 2 messages hold" in found and "I write it." in found and "&lt;script&gt;" not in found
    assert "No message holds these words" in client.get(f"/attempts/{attempt.pk}/", {"q": "<b>"}).content.decode()
    assert "doubled-relu" in client.get("/attempts/").content.decode()
    assert "No attempt of yours" in client.get("/attempts/", {"q": "zzz"}).content.decode()
    assert [client.get(f"{at}?q=%00").status_code for at in ("/attempts/", f"/attempts/{attempt.pk}/")] == [400, 400]
    client.force_login(account("bob").user)
    assert client.get(f"/attempts/{attempt.pk}/").status_code == 404


def test_a_difference_of_a_new_file_and_of_none():
    assert difference("", "a\n") == [("place", "@@ -0,0 +1 @@"), ("come", "+a")]
    assert difference("a\n", "a\n") == []


def test_curves_of_an_author(client, author, task):
    assert "Nothing was judged yet" in client.get("/authors/").content.decode()
    for right in (2, 1, 2):
        judged(author, task, right)
    page = client.get("/authors/").content.decode()
    assert "reaches <strong>100 %</strong> of the best one, on average over the 1 row with more" in page
    assert "Of the 1 row that passed at some time, <strong>100 %</strong> went pass" in page
    assert 'points="0.0,2.0 80.0,16.0 160.0,2.0"' in page
    bob = account("bob")
    client.force_login(bob.user)
    assert client.get("/authors/ada/").status_code == 404  # people's curves are their own
    assert client.get("/authors/bob/").status_code == 200


def test_the_pages_of_batches(client, author, task):
    page = client.get("/batches/").content.decode()
    assert "None yet" in page
    refused = client.post("/batches/begin/", {"which": "named", "tasks": "none", "device": "cpu"})
    assert refused.status_code == 404 and "There is no task" in refused.content.decode()
    assert client.post("/batches/begin/", {"which": "named", "device": "cpu"}).status_code == 400
    odd = client.post("/batches/begin/", {"which": "named", "tasks": "doubled-relu", "cost": "0"})
    assert odd.status_code == 400 and "Look at “money”: input should be greater than 0." in odd.content.decode()
    assert client.get("/batches/begin/").headers["Location"] == "/batches/"
    begun = client.post("/batches/begin/", {"which": "named", "tasks": "doubled-relu", "device": "cpu", "most": "3"})
    batch = Batch.objects.get()
    assert begun.url == f"/batches/{batch.pk}/" and batch.budget == {"most": 3}
    assert "0 of 1 tasks done" in client.get(begun.url).content.decode()
    client.post(f"{begun.url}change/", {"wish": "pause"})
    assert "Resume" in client.get(begun.url).content.decode()
    assert client.post(f"{begun.url}change/", {"wish": "fly"}).status_code == 400
    client.post(f"{begun.url}change/", {"wish": "stop"})
    assert "1 left out" in client.get(begun.url).content.decode()
    assert "No task of this batch" in client.get(begun.url, {"state": "done"}).content.decode()


def test_many_rows_have_pages(client, author, task, monkeypatch):
    monkeypatch.setattr(pages, "_LISTED", 1)
    monkeypatch.setattr(pages, "_STEPS", 1)
    monkeypatch.setattr(attempt_api, "_LISTED", 1)
    monkeypatch.setattr(batch_api, "_ITEMS", 1)
    for _ in range(2):
        newest = ended_attempt(author, task)
    first = client.get("/attempts/?q=doubled").content.decode()
    assert "1 to 1 of 2" in first and 'href="?page=2&amp;q=doubled"' in first and "Previous" not in first
    assert "2 to 2 of 2" in client.get("/attempts/?page=99").content.decode()
    steps = client.get(f"/attempts/{newest.pk}/?page=2").content.decode()
    assert "I write it." in steps and "go &lt;script&gt;" not in steps
    listed = client.get("/api/assistant/tasks/doubled-relu/attempts?page=1").json()
    assert [one["id"] for one in listed["attempts"]] == [str(newest.pk)] and listed["pages"] == 2
    assert client.get("/api/assistant/tasks/doubled-relu/attempts?page=3").json()["attempts"] == []
    twin = store_task("twin", SOURCE)
    begun = client.post("/batches/begin/", {"which": "named", "tasks": "doubled-relu twin", "device": "cpu"})
    page = client.get(f"{begun.url}?state=waiting&page=2").content.decode()
    assert twin.title in page and 'href="?page=1&amp;state=waiting"' in page
    found = client.get(f"/api/assistant/batches/{Batch.objects.get().pk}?page=2").json()
    assert [one["task"] for one in found["items"]] == ["twin"] and found["pages"] == 2


def test_a_models_runs_are_ended_by_who_brought_it_in(client, author, task):
    model = do_get_author("small", Described(), author)
    run = do_request_run(model, task, {"P.py": "x = 1\n"}, "cpu")
    other = Client()
    other.force_login(account("bob").user)
    cancel = f"/api/runs/{run.pk}/cancel"
    assert other.post(cancel, {}, "application/json").status_code == 404
    said = client.get(f"/api/runs/{run.pk}").json()
    assert (said["author"], said["own"]) == ("small", False)
    assert client.post(cancel, {}, "application/json").json()["state"] == "cancelled"


def slugs(author, **filters):
    return [one["task_id"] for one in trajectories(author, Filters(**filters))]


def test_what_an_export_leaves_out(client, author, task):
    renamed = SOURCE.replace("tmp_", "t_")  # the same code under other names
    twin, other = store_task("twin", renamed), store_task("other", SOURCE.replace("* 2", "* 3"))
    for one, right in ((task, 2), (twin, 2), (other, 1)):
        ended_attempt(author, one, right)
    assert slugs(author) == ["doubled-relu", "twin", "other"]
    assert slugs(author, correct=True) == ["doubled-relu", "twin"]
    assert slugs(author, held_out=["doubled-relu"]) == ["other"]
    assert licences_of(task) == ["Apache-2.0"] and slugs(author, licences=["MIT"]) == []
    Task.objects.filter(slug="other").update(origin="imported")
    assert slugs(author, licences=["Apache-2.0"]) == ["doubled-relu", "twin"]
    assert slugs(author, licences=["unknown"]) == ["other"]
    TaskMark.objects.create(author=author, task=other, never_send=True)
    assert slugs(author) == ["doubled-relu", "twin"]
    TaskMark.objects.create(author=None, task=twin, held_out=True)
    assert slugs(author) == []
    assert client.get("/api/assistant/trajectories?least_score=").status_code == 200
    assert client.get("/api/assistant/trajectories?least_score=x").status_code == 422


def kinds(value, path=""):
    """Every place of a JSON value with the kind of what is there, as a table's column has one."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from kinds(item, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from kinds(item, f"{path}[]")
    elif value is not None:
        yield path, "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def test_every_column_of_an_export_has_one_kind(author, task):
    """What loads JSON Lines as a table refuses a column that is a text in one line and an object in another."""
    for right in (0, 2):
        ended_attempt(author, task, right)
    lines = [json.loads(json.dumps(one)) for one in trajectories(author, Filters())]
    assert len(lines) == 2
    found = {}
    for line in lines:
        for path, kind in kinds(line):
            assert found.setdefault(path, kind) == kind, path
    assert found[".messages[].tool_calls[].function.arguments"] == "str" and found[".steps"] == "number"
