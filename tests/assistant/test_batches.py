"""The drafter and models over many tasks: judged by a daemon on a socket, stopped in the middle, taken up again."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from judging_thread import judging
from model_server import ModelServer, OpenAi, streamed
from small_daemon import graph_result, run_done, start, wait_until
from task_of_two import store_task

from assistant.actions.batches import (
    do_begin_batch,
    do_begin_item,
    do_claim_item,
    do_pause_batch,
    do_resume_batch,
    do_take_back_items,
)
from assistant.autopilot.keeper import Keeper
from assistant.batches.choosing import tasks_of_manifest
from assistant.batches.drafting import draft_item, drafter_author, drafter_version
from assistant.batches.modelling import go_on
from assistant.batches.progress import progress_of
from assistant.models import Attempt, Batch, BatchItem
from graphs.models import Task
from graphs.refused import Refused
from submissions.models import Lane, Run
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)
MATMUL = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = torch.matmul(in_0, in_1)
        return (tmp_0,)
"""


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


@pytest.fixture
def tasks(db):
    return [store_task(), store_task("matmul", MATMUL)]


def judge(connection, job):
    """Every graph is right."""
    names = start(connection, job)
    connection.say("run_done", **run_done({name: graph_result("correct", -6) for name in names}))


@pytest.fixture
def worker(tmp_path):
    with judging(tmp_path / "cpu.sock", judge) as daemon:
        yield daemon


@pytest.fixture
def keeper():
    made = Keeper()
    yield made
    made.stop()


def rounds_until(keeper, holds):
    def look():
        keeper.round()
        return holds()

    wait_until(look)


def send(browser, path, body=None):
    return browser.generic("POST", f"/api/assistant{path}", json.dumps(body or {}), content_type="application/json")


def test_the_drafter_goes_through_a_batch_under_its_own_name(client, tasks, worker, keeper):
    made = send(client, "/batches", {"tasks": ["doubled-relu", "matmul"], "most": 3})
    assert made.status_code == 201, made.content
    path = f"/api/assistant/batches/{made.json()['id']}"
    rounds_until(keeper, lambda: client.get(path).json()["state"] == "ended")
    found = client.get(path).json()
    assert (found["kind"], found["version"], found["done"], found["solved"]) == ("drafter", drafter_version(), 2, 1)
    first, second = found["items"]
    assert first["state"] == second["state"] == "done"
    assert first["best"]["correct"] == 2 and 1 <= len(first["evaluations"]) <= 3
    assert second["evaluations"] == [] and "nothing for this task" in second["message"]
    run = Run.objects.get(pk=first["best"]["run"])
    assert (run.author.name, run.author.kind, run.lane) == ("drafter", "built_in", Lane.BACKGROUND)
    assert any("triton" in text for text in run.revision.files.values())
    assert client.get(f"/api/runs/{run.pk}").status_code == 200  # everybody may look at what it made
    assert client.get("/api/assistant/batches").json()["batches"][0]["id"] == found["id"]


def test_what_was_judged_is_not_judged_again_when_it_goes_on(author, tasks, worker):
    batch = do_begin_batch(author, Batch.Kind.DRAFTER, tasks[:1], "cpu", {"most": 3}, "v")
    item = do_claim_item("one")
    asked = []
    draft_item(item, lambda: len(asked) > 0 or asked.append(1))  # the worker ends after its first look
    item.refresh_from_db()
    assert (item.state, item.holder) == ("waiting", "")
    (asked_for,) = [one["run"] for one in item.evaluations]  # noted before it was waited for
    draft_item(do_claim_item("two"))
    item.refresh_from_db()
    judged = len(item.evaluations)
    assert Run.objects.count() == judged and item.evaluations[0]["run"] == asked_for
    assert item.state == "done" and judged == len({one["files"] for one in item.evaluations})
    BatchItem.objects.filter(pk=item.pk).update(state="waiting")
    before = Run.objects.count()
    draft_item(do_claim_item("three"))
    assert Run.objects.count() == before
    assert progress_of(batch).solved == 1


def test_an_item_whose_worker_is_gone_waits_again(author, tasks):
    do_begin_batch(author, Batch.Kind.DRAFTER, tasks[:1], "cpu", {"most": 1}, "v")
    item = do_claim_item("one")
    assert do_claim_item("two") is None and do_take_back_items(timedelta(seconds=60)) == 0
    BatchItem.objects.filter(pk=item.pk).update(beat_at=timezone.now() - timedelta(seconds=61))
    assert do_take_back_items(timedelta(seconds=60)) == 1
    assert do_claim_item("two").pk == item.pk


def test_pause_resume_and_stop(client, author, tasks):
    batch = send(client, "/batches", {"tasks": ["doubled-relu"]}).json()["id"]
    assert send(client, f"/batches/{batch}/pause").json()["state"] == "paused"
    assert do_claim_item("one") is None
    assert send(client, f"/batches/{batch}/resume").json()["state"] == "running"
    assert send(client, f"/batches/{batch}/resume").json()["code"] == "not_paused"
    found = send(client, f"/batches/{batch}/stop").json()
    assert (found["state"], found["left_out"]) == ("ended", 1)
    other = client.__class__()
    other.force_login(account("bob").user)
    assert other.get(f"/api/assistant/batches/{batch}").json()["code"] == "unknown_batch"
    assert send(client, "/batches", {"tasks": ["none"]}).json()["code"] == "unknown_task"
    assert send(client, "/batches", {"tasks": ["matmul"], "device": "cuda:x"}).json()["code"] == "unknown_device"
    assert send(client, "/batches", {}).json()["code"] == "tasks_missing"  # the captured catalogue is not loaded


def test_a_model_has_an_attempt_for_each_task(client, author, tasks, keeper):
    server = ModelServer()
    server.replies = [streamed([*OpenAi.texts("I am done."), *OpenAi.end()])]
    values = {"name": "Small", "kind": "openai", "base_url": f"{server.address}/v1", "model": "small-model"}
    provider = send(client, "/providers", values).json()["id"]
    body = {"tasks": ["doubled-relu", "matmul"], "provider": provider, "steps": 2}
    assert send(client, "/batches", body).json()["code"] == "consent_needed"
    client.put("/api/assistant/consent", {"host": "127.0.0.1", "agrees": True}, content_type="application/json")
    client.put("/api/assistant/tasks/matmul/marks", {"never_send": True}, content_type="application/json")
    batch = Batch.objects.get(pk=send(client, "/batches", body).json()["id"])
    try:
        rounds_until(keeper, lambda: Batch.objects.get(pk=batch.pk).state == "ended")
    finally:
        server.close()
    first, second = batch.items.all()
    assert (first.state, first.attempt.exit_reason, second.state) == ("done", "done", "left_out")
    assert "never send" in second.message and Attempt.objects.count() == 1


def test_two_workers_begin_a_task_once_and_stopping_stops_the_model(client, author, tasks, keeper):
    values = {"name": "Small", "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "small-model"}
    provider = send(client, "/providers", values).json()["id"]
    client.put("/api/assistant/consent", {"host": "127.0.0.1", "agrees": True}, content_type="application/json")
    batch = Batch.objects.get(
        pk=send(client, "/batches", {"tasks": ["doubled-relu", "matmul"], "provider": provider}).json()["id"]
    )
    first, second = batch.items.select_related("task")  # both workers have read these rows
    assert do_begin_item(first) and not do_begin_item(first)
    assert Attempt.objects.count() == 1
    found = send(client, f"/batches/{batch.pk}/stop").json()
    assert (found["state"], found["left_out"]) == ("ended", 1) and not do_begin_item(second)
    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.exit_reason) == ("ended", "stopped")
    go_on()
    first.refresh_from_db()
    assert (first.state, first.message) == ("done", "A person has stopped it.")


def test_batches_take_turns(author, tasks):
    long = do_begin_batch(author, Batch.Kind.DRAFTER, tasks, "cpu", {"most": 1}, "v")
    short = do_begin_batch(account("bob"), Batch.Kind.DRAFTER, tasks[:1], "cpu", {"most": 1}, "v")
    assert [do_claim_item(str(turn)).batch_id for turn in range(3)] == [long.pk, short.pk, long.pk]
    assert do_claim_item("4") is None


def test_consent_that_was_taken_back_pauses_a_batch(client, author, tasks, keeper):
    values = {"name": "Small", "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "small-model"}
    provider = send(client, "/providers", values).json()["id"]
    for agrees in (True, False):
        client.put("/api/assistant/consent", {"host": "127.0.0.1", "agrees": agrees}, content_type="application/json")
        if agrees:
            batch = send(client, "/batches", {"tasks": ["matmul"], "provider": provider}).json()["id"]
    keeper.round()
    found = client.get(f"/api/assistant/batches/{batch}").json()
    assert found["state"] == "paused" and "127.0.0.1" in found["message"]


def test_a_batch_without_room_says_why_and_waits(client, author, tasks, keeper, monkeypatch):
    values = {"name": "Small", "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "small-model"}
    provider = send(client, "/providers", values).json()["id"]
    client.put("/api/assistant/consent", {"host": "127.0.0.1", "agrees": True}, content_type="application/json")
    batch = send(client, "/batches", {"tasks": ["matmul"], "provider": provider}).json()["id"]
    monkeypatch.setattr("assistant.actions.attempts.MOST_OPEN", 0)
    keeper.round()
    found = client.get(f"/api/assistant/batches/{batch}").json()
    assert (found["state"], found["waiting"]) == ("running", 1) and "0 is the limit" in found["message"]


def test_a_manifest_finds_its_tasks(tmp_path, tasks):
    path = tmp_path / "benchmark.json"
    content = Task.objects.get(slug="matmul").content_hash
    path.write_text(json.dumps({"benchmark": [{"id": content}, {"id": "relu" + "0" * 60}]}))
    with pytest.raises(Refused, match="1 of the benchmark's 2 tasks"):
        tasks_of_manifest(path)
    Task.objects.filter(slug="doubled-relu").update(slug="fusible-relu-1234abcd")
    path.write_text(json.dumps({"benchmark": [{"id": "1234abcd" + "0" * 56}, {"id": content}]}))
    assert [task.slug for task in tasks_of_manifest(path)] == ["fusible-relu-1234abcd", "matmul"]
    path.write_text("[]")
    with pytest.raises(Refused, match=r"benchmark\.json can not be read"):
        tasks_of_manifest(path)


def test_the_drafter_keeps_its_name_apart_from_people(db, quick_passwords):
    account("drafter")
    assert drafter_author().name == "drafter (built in)" == drafter_author().name


def test_from_a_shell(author, tasks, capsys):
    call_command("author_benchmark", "ada", tasks="doubled-relu,matmul", most=2)
    said = capsys.readouterr().out
    assert "running, 0 of 2 tasks done" in said
    batch = said.split()[1].rstrip(":")
    call_command("author_benchmark", "ada", pause=batch)
    assert capsys.readouterr().out.startswith("paused")
    do_resume_batch(Batch.objects.get())
    do_pause_batch(Batch.objects.get(), "why")
    call_command("author_benchmark", "ada", stop=batch)
    call_command("author_benchmark", "ada", watch=batch)
    assert "2 left out: A person has stopped it." in capsys.readouterr().out
    with pytest.raises(CommandError, match="no account nobody"):
        call_command("author_benchmark", "nobody")
