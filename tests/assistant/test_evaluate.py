"""The reward service over HTTP, and its client: once for each key, behind people, bounded, nothing lost."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from judging_thread import judging
from small_daemon import graph_result, run_done, start

from assistant.__main__ import main
from assistant.client import Job, Workbench, WorkbenchError, _parts
from assistant.models import Evaluation
from submissions import tasks
from submissions.actions.claims import do_claim_run, do_lose_attempt
from submissions.actions.runs import do_request_run
from submissions.actions.tokens import do_make_token
from submissions.models import Lane, Run
from submissions.queue import next_run, place_in_queue
from submissions.tokens import Scope
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_redis(private_redis):
    """No test here may reach a Redis that is not its own."""


def files(right):
    return {"P.py": f"right = {right}\n"}


def judge(connection, job):
    """As many graphs are correct as the file says; a file that cheats is a violation."""
    names = start(connection, job)
    text = job["files"]["P.py"].strip()
    right = int(text.rpartition(" ")[2])
    words = ["correct" if at < right else "accuracy" for at in range(len(names))]
    graphs = {
        name: graph_result(word, -6 if word == "correct" else None) for name, word in zip(names, words, strict=True)
    }
    verdict = "violation" if text.startswith("cheat") else "clean"
    connection.say("run_done", **{**run_done(graphs), "verdict": verdict})


@pytest.fixture
def worker(tmp_path):
    with judging(tmp_path / "cpu.sock", judge) as daemon:
        yield daemon


def post(browser, path, body, **more):
    return browser.generic("POST", f"/api/evaluate{path}", json.dumps(body), content_type="application/json", **more)


def asked(right=1, **more):
    return {"task": "doubled-relu", "files": files(right), "reward": "correctness", **more}


def bearer(author, scope):
    return {"HTTP_AUTHORIZATION": f"Bearer {do_make_token(author, 'rl', scope, 1)[1]}"}


def test_files_go_in_and_a_reward_comes_out(client, task, worker):
    reply = post(client, "", asked(wait=30))
    body = reply.json()
    assert reply.status_code == 200 and body["state"] == "done", body
    assert body["reward"] == {"kind": "correctness", "value": 0.5, "floor": False, "graphs": None, "version": 1}
    assert (body["verdict"], body["correct"], body["total"]) == ("clean", 1, 2)
    cheats = post(client, "", asked(wait=30, files={"P.py": "cheat = 2\n"}))
    assert cheats.json()["reward"]["value"] == -2.0 and cheats.json()["reward"]["floor"]


def test_without_a_worker_it_is_answered_by_id_and_is_the_same_when_asked_again(client, task):
    first = post(client, "", asked(key="k1"))
    assert first.status_code == 202 and first["Location"] == f"/api/evaluate/{first.json()['id']}"
    assert first["Retry-After"] == "10" and first.json()["reward"] is None
    again = post(client, "", asked(key="k1", wait=0.2))
    assert again.status_code == 202 and again.json()["id"] == first.json()["id"]
    other = post(client, "", asked(2, key="k1"))
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")
    assert Run.objects.count() == Evaluation.objects.count() == 1
    behind = post(client, "", asked())
    assert behind.json()["id"] != first.json()["id"]  # no key: a new one each time
    assert behind["Retry-After"] == "20"  # one before it, ten seconds each where nobody knows what a run takes
    ended = post(client, f"/{first.json()['id']}/cancel", {}).json()
    assert (ended["state"], ended["reward"]) == ("cancelled", None)


def test_a_batch_is_queued_as_a_whole_or_not_at_all(client, task, settings):
    settings.MAX_EVALUATIONS = 3
    items = [asked(1, key="a"), asked(2, key="b"), asked(1, key="a")]
    made = post(client, "/batch", {"items": items}).json()["evaluations"]
    assert [one["key"] for one in made] == ["a", "b", "a"] and made[0]["id"] == made[2]["id"]
    full = post(client, "/batch", {"items": [asked(1, key="a"), asked(1, key="c"), asked(1, key="d")]})
    assert (full.status_code, full.json()["code"]) == (429, "queue_full")
    assert full["Retry-After"] == "10"  # one too many, and ten seconds where nobody knows what a run takes
    assert Evaluation.objects.count() == 2
    assert post(client, "/batch", {"items": [asked(1, key="a"), asked(1, key="c")]}).status_code == 202
    seen = client.get("/api/evaluate", {"ids": ",".join(one["id"] for one in made[:2])}).json()["evaluations"]
    assert [one["key"] for one in seen] == ["a", "b"] and [one["jobs_ahead"] for one in seen] == [0, 1]
    # The room for what people wait for is another one.
    assert do_request_run(Evaluation.objects.first().author, task, files(1), "cpu").lane == Lane.INTERACTIVE


def test_what_is_not_there_and_what_is_somebody_elses(client, task):
    mine = post(client, "", asked()).json()["id"]
    other = bearer(account("bob"), Scope.EVALUATE)
    for path in (f"/{mine}", "/nonsense", "?ids=" + mine):
        assert client.get(f"/api/evaluate{path}", **other).json()["code"] == "unknown_evaluation"
    assert post(client, "", asked(reward="score")).json()["code"] == "no_speed_there"
    assert post(client, "", asked(device="cuda:none")).json()["code"] == "unknown_device"
    assert post(client, "", asked(task="none")).status_code == 404
    assert post(client, "", asked(reward="most")).status_code == 422
    assert Run.objects.count() == 1


def test_a_token_for_rewards_can_do_nothing_else(client, author, task):
    token = bearer(author, Scope.EVALUATE)
    client.logout()
    assert post(client, "", asked(), **token).status_code == 202
    run = {"files": files(1), "device": "cpu"}
    reply = client.generic("POST", "/api/tasks/doubled-relu/runs", json.dumps(run), "application/json", **token)
    assert (reply.status_code, reply.json()["code"]) == (403, "scope")
    assert post(client, "", asked(), **bearer(author, Scope.READ)).json()["code"] == "scope"


def test_people_go_first(client, author, task, monkeypatch):
    post(client, "/batch", {"items": [asked(1), asked(2)]})
    first, second = Run.objects.order_by("created_at")
    person = do_request_run(author, task, files(1), "cpu")
    assert place_in_queue(person).position == 1 and place_in_queue(first).ahead == 1
    assert place_in_queue(second).ahead == 2
    assert next_run("cpu") == str(person.pk)
    taken = []

    def claimed(run_id, *rest):
        taken.append(run_id)
        return do_claim_run(run_id, "w") is not None

    monkeypatch.setattr(tasks, "judge_run", claimed)
    for message in (first, second, person):  # one run for each message, in the order of the queue
        tasks.run_submission.run(str(message.pk))
    assert taken == [str(person.pk), str(first.pk), str(second.pk)]
    assert client.get("/api/tasks/doubled-relu/runs").json()["runs"][0]["run"] == str(person.pk)
    assert len(client.get("/api/tasks/doubled-relu/runs").json()["runs"]) == 1


def test_what_we_lost_is_judged_anew_when_it_is_asked_for_again(client, task):
    made = post(client, "", asked(key="k")).json()
    for _ in range(2):
        do_lose_attempt(do_claim_run(made["run"], "w"), "The worker went.")
    lost = client.get(f"/api/evaluate/{made['id']}").json()
    assert (lost["state"], lost["reward"]) == ("infrastructure_error", None)
    again = post(client, "", asked(key="k")).json()
    assert again["id"] == made["id"] and again["run"] != made["run"] and again["state"] == "queued"


def test_the_client_gets_its_rewards(live_server, author, task, worker):
    workbench = Workbench(live_server.url, do_make_token(author, "rl", Scope.EVALUATE, 1)[1])
    assert workbench.evaluate("doubled-relu", files(2), reward="correctness").reward == 1.0
    asked = workbench.submit([Job("doubled-relu", files(n % 3)) for n in range(7)], reward="correctness")
    found = {one.id: one.reward for one in workbench.results(asked, every=0.05)}
    assert [found[one.id] for one in asked] == [0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.0]
    with pytest.raises(WorkbenchError, match="no task") as refused:
        workbench.evaluate("nothing", files(1))
    assert refused.value.status == 404


def test_the_client_waits_where_there_is_no_room(live_server, author, task, settings):
    settings.MAX_EVALUATIONS = 1
    token = do_make_token(author, "rl", Scope.EVALUATE, 1)[1]
    now = timezone.now()
    short = do_request_run(author, task, files(1), "cpu")
    Run.objects.filter(pk=short.pk).update(
        state="done", started_at=now - timedelta(seconds=0.2), finished_at=now - timedelta(seconds=0.1)
    )  # so that a second is what it is asked to wait
    Workbench(live_server.url, token).submit([Job("doubled-relu", files(1))])
    with pytest.raises(WorkbenchError) as refused:
        Workbench(live_server.url, token, patience=0).submit([Job("doubled-relu", files(2))])
    assert (refused.value.status, refused.value.code, refused.value.retry_after) == (429, "queue_full", 1.0)


def test_a_batch_is_cut_into_parts_that_the_server_takes():
    parts = list(_parts([{"files": "x" * (1 << 20)} for _ in range(5)]))
    assert [len(part) for part in parts] == [2, 2, 1]
    assert [len(part) for part in _parts([{}] * 401)] == [200, 200, 1]


def test_from_a_shell(live_server, author, task, worker, tmp_path, capsys):
    (tmp_path / "P.py").write_text("right = 2\n")
    token = do_make_token(author, "rl", Scope.EVALUATE, 1)[1]
    common = ["--url", live_server.url, "--token", token]
    assert main([*common, "evaluate", "doubled-relu", str(tmp_path), "--reward", "correctness"]) == 0
    assert json.loads(capsys.readouterr().out)["reward"]["value"] == 1.0
    assert main([*common, "evaluate", "none", str(tmp_path)]) == 1
    assert "unknown_task" in capsys.readouterr().err
    assert main(["--token", "", "watch", "x"]) == 1
