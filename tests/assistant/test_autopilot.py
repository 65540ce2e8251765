"""Attempts without a person, against a server that streams and a daemon on a socket: what is kept, how they end."""

import contextlib
import json
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection as database
from django.utils import timezone
from model_server import OpenAi, refused, streamed, then_silent
from small_daemon import SmallDaemon, graph_result, run_done, start

from assistant.actions.attempts import do_claim, do_leave, do_requeue_lost, do_wish
from assistant.actions.model_authors import do_get_model_author
from assistant.autopilot import loop
from assistant.autopilot.best import is_better
from assistant.autopilot.keeper import Keeper, next_ones
from assistant.autopilot.loop import run_attempt
from assistant.chat.log import NotHeld
from assistant.models import Attempt, Conversation, Proposal, Provider
from evaluator.runner.client import DaemonClient
from submissions.actions.runs import do_request_run
from submissions.judging import judge_run
from submissions.models import Run
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/assistant"


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


def judge(connection, job):
    """As many graphs are correct as the file says."""
    right = int(job["files"]["P.py"].strip().rpartition(" ")[2])
    names = start(connection, job)
    words = ["correct" if at < right else "accuracy" for at in range(len(names))]
    graphs = {
        name: graph_result(word, -6 if word == "correct" else None) for name, word in zip(names, words, strict=True)
    }
    connection.say("run_done", **run_done(graphs))


@pytest.fixture
def worker(tmp_path):
    """Judges whatever is queued."""
    daemon = SmallDaemon(tmp_path / "cpu.sock")
    daemon.judge = judge
    over = threading.Event()

    def work():
        try:
            while not over.wait(0.02):
                for run in Run.objects.filter(state="queued"):
                    judge_run(str(run.pk), DaemonClient(daemon.path), "cpu@test", over)
        finally:
            database.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield daemon
    over.set()
    thread.join(20)
    daemon.close()


def send(browser, method, path, body=None):
    return browser.generic(method, API + path, json.dumps(body or {}), content_type="application/json")


def begin(browser, server, **more):
    values = {"name": "Small", "kind": "openai", "base_url": f"{server.address}/v1", "model": "small-model"}
    found = Provider.objects.first()
    provider = found.pk if found else send(browser, "POST", "/providers", values).json()["id"]
    send(browser, "PUT", "/consent", {"host": "127.0.0.1", "agrees": True})
    body = {"provider": provider, "files": {"P.py": "right = 0\n"}, **more}
    return send(browser, "POST", "/tasks/doubled-relu/attempts", body)


def begun(browser, server, **more) -> Attempt:
    reply = begin(browser, server, **more)
    assert reply.status_code == 201, reply.content
    return Attempt.objects.get(pk=reply.json()["attempts"][0]["id"])


def go(attempt, holder="h") -> Attempt:
    assert do_claim(attempt.pk, holder)
    run_attempt(attempt.pk, holder)
    return Attempt.objects.get(pk=attempt.pk)


def calls(*tools):
    made = [part for at, (name, args) in enumerate(tools) for part in OpenAi.call(at, f"c{at}", name, json.dumps(args))]
    return streamed([*OpenAi.texts("I work."), *made, *OpenAi.end("tools")])


def try_with(right):
    return calls(("write_file", {"name": "P.py", "text": f"right = {right}\n"}), ("evaluate", {}))


def done():
    return streamed([*OpenAi.texts("I am done."), *OpenAi.end()])


def test_it_never_ends_below_its_best(client, task, server, worker):
    server.replies = [try_with(1), try_with(2), try_with(0), done()]
    attempt = go(begun(client, server))
    assert (attempt.state, attempt.exit_reason, attempt.steps) == ("ended", "done", 4)
    assert [(one["step"], one["correct"]) for one in attempt.evaluations] == [(1, 1), (2, 2), (3, 0)]
    assert attempt.best["correct"] == 2 and attempt.best_files == {"P.py": "right = 2\n"}
    assert attempt.files == {"P.py": "right = 0\n"}  # what it had in hand at last
    proposal = Proposal.objects.get()
    assert (proposal.before, proposal.after) == ("right = 0\n", "right = 2\n")
    assert attempt.tokens == 4 * 18


def test_what_was_never_judged_is_judged_at_the_end(client, task, server, worker):
    server.replies = [calls(("write_file", {"name": "P.py", "text": "right = 1\n"})), done()]
    attempt = go(begun(client, server))
    assert attempt.best["correct"] == 1 and Run.objects.count() == 1


@pytest.mark.parametrize(
    ("budget", "reason", "questions"),
    [({"steps": 2}, "steps", 2), ({"tokens": 30}, "tokens", 2), ({"cost": "0.00002"}, "cost", 1)],
)
def test_the_budget_ends_it(client, task, server, budget, reason, questions):
    server.replies = [calls(("list_files", {}))]
    values = {"name": "Small", "kind": "openai", "base_url": f"{server.address}/v1", "model": "small-model"}
    send(client, "POST", "/providers", {**values, "price_input": 1, "price_output": 2})  # 25 millionths an answer
    attempt = go(begun(client, server, **budget))
    assert (attempt.exit_reason, len(server.asked)) == (reason, questions)
    assert Proposal.objects.count() == 0


def test_a_limit_on_cost_needs_prices(client, task, server):
    reply = begin(client, server, cost="1.5")
    assert (reply.status_code, reply.json()["code"]) == (400, "no_price")


def test_an_endpoint_that_refuses_ends_it_and_one_that_cuts_off_is_asked_again(client, task, server):
    server.replies = [refused(401, "no")]
    attempt = go(begun(client, server))
    assert attempt.exit_reason == "provider" and "refuses the key" in attempt.message
    server.replies = [streamed(OpenAi.texts("half")), done()]
    assert go(begun(client, server)).exit_reason == "done"
    server.asked.clear()
    server.replies = [streamed(OpenAi.texts("half"))]
    attempt = go(begun(client, server))
    assert (attempt.exit_reason, len(server.asked)) == ("provider", 3)


def test_consent_that_is_withdrawn_meanwhile(client, task, server):
    attempt = begun(client, server)
    send(client, "PUT", "/consent", {"host": "127.0.0.1", "agrees": False})
    assert go(attempt).exit_reason == "consent_needed" and server.asked == []


def test_pausing_steering_and_going_on(client, task, server, worker):
    attempt = begun(client, server)
    server.replies = [calls(("list_files", {})), done()]
    path = f"/attempts/{attempt.pk}"
    assert send(client, "POST", f"{path}/pause").json()["state"] == "paused"  # nobody was at work yet
    assert not do_claim(attempt.pk, "h")
    said = {"text": "Use one kernel.", "files": {}}
    assert send(client, "POST", f"/conversations/{attempt.conversation_id}/messages", said).status_code == 202
    assert send(client, "POST", f"{path}/resume").json()["state"] == "queued"
    assert go(attempt).exit_reason == "done"
    assert "Use one kernel." in json.dumps(server.asked[0].body["messages"])
    assert send(client, "POST", f"{path}/resume").status_code == 409


def test_a_pause_while_it_works_comes_after_the_step(client, task, server):
    attempt = begun(client, server)

    def asked(handler):
        do_wish(Attempt.objects.get(pk=attempt.pk), Attempt.Wish.PAUSE)
        database.close()
        calls(("list_files", {}))(handler)

    server.replies = [asked]
    left = go(attempt)
    assert (left.state, left.steps, left.wish) == ("paused", 1, "")
    assert Conversation.objects.get().state == "idle"


def test_the_end_of_its_time_ends_a_step_that_is_going_on(client, task, server, monkeypatch):
    monkeypatch.setattr(loop, "_LEAST_SECONDS", 0.2)
    server.replies = [then_silent(OpenAi.texts("I think"))]
    attempt = begun(client, server)
    Attempt.objects.update(seconds=attempt.max_seconds - 0.1)
    left = go(attempt)
    assert (left.exit_reason, left.steps) == ("time", 0)


def test_after_a_stop_no_further_tool_is_called(client, task, server, monkeypatch):
    server.replies = [calls(*[("write_file", {"name": f"A{at}.py", "text": "x = 1\n"}) for at in range(5)])]
    attempt = begun(client, server)
    made = loop.call_once

    def stopped_after(place, call, conversation, holder):
        made(place, call, conversation, holder)
        send(client, "POST", f"/conversations/{attempt.conversation_id}/cancel")
        time.sleep(0.5)  # it looks again after 0.4 s

    monkeypatch.setattr(loop, "call_once", stopped_after)
    left = go(attempt)
    assert left.exit_reason == "stopped" and sorted(left.files) == ["A0.py", "P.py"]


def test_not_every_call_of_an_answer_is_made(client, task, server):
    server.replies = [calls(*[("list_files", {})] * 33), done()]
    go(begun(client, server))
    results = [one["content"] for one in server.asked[1].body["messages"] if one["role"] == "tool"]
    assert len(results) == 33 and [at for at, said in enumerate(results) if "not run" in said] == [32]


@pytest.mark.parametrize("state", ["queued", "paused"])
def test_stopping_one_that_waits_keeps_its_best(client, task, server, state):
    attempt = begun(client, server)
    Attempt.objects.update(state=state, best_files={"P.py": "right = 2\n"}, files={"P.py": "right = 1\n"})
    stopped = send(client, "POST", f"/attempts/{attempt.pk}/stop").json()
    assert (stopped["state"], stopped["exit_reason"]) == ("ended", "stopped") and "person" in stopped["message"]
    assert Proposal.objects.get().after == "right = 2\n"


@pytest.mark.parametrize(("wish", "state"), [("stop", "ended"), ("pause", "paused"), ("", "queued")])
def test_a_wish_is_not_lost_where_a_worker_lets_go(client, task, server, wish, state):
    attempt = begun(client, server)
    assert do_claim(attempt.pk, "h")
    Attempt.objects.update(best_files={"P.py": "right = 2\n"})
    attempt.refresh_from_db()
    Attempt.objects.update(wish=wish)  # after its thread has looked
    do_leave(attempt, "h", Attempt.State.QUEUED)
    left = Attempt.objects.get()
    assert (left.state, left.wish) == (state, "")
    assert Proposal.objects.count() == (state == "ended")


def test_a_pause_goes_before_the_worker_s_end(client, task, server):
    attempt = begun(client, server)
    assert do_claim(attempt.pk, "h")
    do_wish(attempt, Attempt.Wish.PAUSE)
    run_attempt(attempt.pk, "h", lambda: True)
    assert Attempt.objects.get().state == "paused" and server.asked == []


def test_what_is_said_during_the_last_answer_is_read(client, task, server):
    attempt = begun(client, server)

    def asked(handler):
        said = {"text": "One more thing.", "files": {}}
        assert send(client, "POST", f"/conversations/{attempt.conversation_id}/messages", said).status_code == 202
        database.close()
        done()(handler)

    server.replies = [asked, done()]
    assert go(attempt).exit_reason == "done"
    assert len(server.asked) == 2
    messages = server.asked[1].body["messages"]
    assert "One more thing." in json.dumps(messages) and messages[-1]["role"] == "user"


def test_who_has_two_at_work_stands_back_behind_others():
    waiting = [("a1", 1), ("a2", 1), ("b1", 2), ("a3", 1)]
    assert next_ones(waiting, {}, 4) == ["a1", "a2", "b1", "a3"]
    assert next_ones(waiting, {1: 1}, 4) == ["a1", "b1", "a2", "a3"]
    assert next_ones(waiting, {1: 2}, 1) == ["b1"]
    assert next_ones([("a1", 1)], {1: 3}, 4) == ["a1"]  # nobody else waits


def test_a_killed_process_loses_nothing_but_its_step(client, task, server, worker):
    server.replies = [try_with(2), then_silent(OpenAi.texts("I begin"))]
    attempt = begun(client, server)
    assert do_claim(attempt.pk, "killed")
    lost = threading.Event()

    def killed():
        try:
            with contextlib.suppress(NotHeld):
                run_attempt(attempt.pk, "killed", lost.is_set)
        finally:
            database.close()

    thread = threading.Thread(target=killed)
    thread.start()
    while len(server.asked) < 2:
        time.sleep(0.02)
    # As if its process had been killed: it is not heard of any more, and another one takes over.
    Conversation.objects.update(beat_at=timezone.now() - timedelta(minutes=5))
    assert do_requeue_lost(timedelta(minutes=1)) == 1
    server.replies = [done()]
    left = go(Attempt.objects.get(pk=attempt.pk), "next")
    thread.join(20)
    assert (left.exit_reason, left.best["correct"], left.steps) == ("done", 2, 2)
    model = Run.objects.get(pk=left.best["run"]).author
    assert (model.name, model.kind, model.brought_in_by) == ("small-model", "model", left.conversation.author)
    assert client.get(f"/api/runs/{left.best['run']}").status_code == 200
    assert client.get("/authors/small-model/").status_code == 200
    bob = client.__class__()
    bob.force_login(account("bob").user)
    assert bob.get(f"/api/runs/{left.best['run']}").status_code == 404
    assert bob.get("/authors/small-model/").status_code == 404
    roles = [message["role"] for message in server.asked[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool"]


def test_a_model_with_a_persons_name_gets_another_one(author, task):
    account("bob")
    provider = Provider.objects.create(
        owner=author, name="P", kind="openai", base_url="http://127.0.0.1:9", model="bob"
    )
    made = do_get_model_author(author, provider)
    assert (made.name, made.kind) == (f"bob ({author.name})", "model")
    assert do_get_model_author(author, provider) == made


def test_what_takes_its_process_down_is_not_tried_for_ever(client, task, server):
    server.replies = [done()]
    begin(client, server)
    attempt = Attempt.objects.get()
    for turn in range(3):
        assert do_claim(attempt.pk, str(turn))
        Conversation.objects.update(beat_at=timezone.now() - timedelta(minutes=5))
        assert do_requeue_lost(timedelta(minutes=1)) == 1
    left = go(Attempt.objects.get(pk=attempt.pk), "next")
    assert (left.exit_reason, left.steps, server.asked) == ("lost", 0, [])


def test_the_keeper_runs_several_side_by_side_and_stopping_one(client, task, server):
    server.replies = [then_silent(OpenAi.texts("I think"))]
    reply = begin(client, server, count=3).json()["attempts"]
    assert [one["title"] for one in reply] == ["autopilot 1 of 3", "autopilot 2 of 3", "autopilot 3 of 3"]
    keeper = Keeper()
    keeper.round()
    try:
        until(lambda: len(server.asked) == 3)
        assert Attempt.objects.filter(state="running").count() == 3
        send(client, "POST", f"/attempts/{reply[0]['id']}/stop")
        until(lambda: Attempt.objects.filter(exit_reason="stopped").count() == 1)
    finally:
        keeper.stop()
    # A worker that is stopped gives the others back.
    assert sorted(Attempt.objects.values_list("state", flat=True)) == ["ended", "queued", "queued"]


def until(holds):
    deadline = time.monotonic() + 120  # bounds a failing test only
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_what_is_better():
    def one(**more):
        return {"state": "done", "verdict": "clean", "correct": 1, "first_t": None, "score": None, **more}

    assert is_better(one(), None)
    assert not is_better(one(verdict="violation"), None) and not is_better(one(state="cancelled"), None)
    assert is_better(one(correct=2), one()) and not is_better(one(), one())
    assert is_better(one(correct=2, first_t=-6), one(correct=2, first_t=-5))
    assert is_better(one(score=1.2), one(score=1.1, correct=2))


def test_trajectories(client, task, server, worker):
    server.replies = [try_with(1), done()]
    go(begun(client, server))
    server.replies = [try_with(2), done()]
    go(begun(client, server))
    lines = [json.loads(line) for line in read(client, "")]
    assert [one["correct"] for one in lines] == [[1, 2], [2, 2]]
    first = lines[0]
    assert (first["task_id"], first["author"], first["exit_reason"]) == ("doubled-relu", "small-model", "done")
    assert [message["role"] for message in first["messages"]] == ["user", "assistant", "tool", "tool", "assistant"]
    call = first["messages"][1]["tool_calls"][0]
    assert call["type"] == "function" and json.loads(call["function"]["arguments"])["text"] == "right = 1\n"
    assert first["submission"] == {"P.py": "right = 1\n"} and first["integrity"]["verdict"] == "clean"
    assert first["usage"] == {"input_tokens": 22, "output_tokens": 14, "estimated": False}
    assert first["versions"]["prompts"][0].startswith("autopilot 1 ")
    (best,) = read(client, "?best_per_task=true&honest=true")
    assert json.loads(best)["correct"] == [2, 2]
    assert read(client, "?held_out=other,doubled-relu") == [] == read(client, "?least_score=1.0")


def test_a_measured_score_goes_before_none(client, task, server):
    for score, correct in ((None, 2), (1.5, 1), (1.2, 2)):
        attempt = begun(client, server)
        run = do_request_run(attempt.conversation.author, task, {"P.py": f"score = {score}\n"}, "cpu")
        best = {"run": str(run.pk), "score": score, "correct": correct}
        Attempt.objects.filter(pk=attempt.pk).update(state="ended", best=best, exit_reason=f"scored {score}")
    (best,) = read(client, "?best_per_task=true")
    assert json.loads(best)["exit_reason"] == "scored 1.5"


def read(browser, query):
    return b"".join(browser.get(f"{API}/trajectories{query}").streaming_content).decode().splitlines()
