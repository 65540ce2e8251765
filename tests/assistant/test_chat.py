"""Conversations over the API and the socket, against a server that streams: said, proposed, cancelled, refused."""

import json
import time
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connection as database
from django.test import Client
from django.utils import timezone
from model_server import OpenAi, refused, streamed, then_silent
from task_of_two import FILES, PASS

from assistant.actions.conversations import do_offer, edits
from assistant.chat.log import NotHeld, append
from assistant.chat.turn import run_turn
from assistant.models import Attempt, Conversation, ProviderCall
from assistant.prompts import prompt, prompts
from graphs.refused import Refused
from passnet_web.asgi import application
from submissions.actions.accounts import Role
from submissions.models import Draft, Revision
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/assistant"


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


def send(browser, method, path, body=None):
    return browser.generic(method, API + path, json.dumps(body or {}), content_type="application/json")


def provider(browser, server, speaks, **more):
    values = {"name": "Small", "kind": speaks.kind, "base_url": server.address + speaks.path, "model": "small-model"}
    return send(browser, "POST", "/providers", {**values, "price_input": 1, "price_output": 2, **more}).json()["id"]


def begun(browser, server, speaks):
    """A conversation that may be sent."""
    send(browser, "PUT", "/consent", {"host": "127.0.0.1", "agrees": True})
    reply = send(browser, "POST", "/tasks/doubled-relu/conversations", {"provider": provider(browser, server, speaks)})
    assert reply.status_code == 201, reply.content
    return reply.json()["id"]


def say(browser, conversation, text="Hello", files=FILES, **more):
    return send(browser, "POST", f"/conversations/{conversation}/messages", {"text": text, "files": files, **more})


def log_of(browser, conversation):
    page = browser.get(f"{API}/conversations/{conversation}/events?limit=500").json()
    return page["state"], [(event["kind"], event["payload"]) for event in page["events"]]


def ended(browser, conversation):
    """The log when the turn is over."""
    deadline = time.monotonic() + 120  # bounds a failing test only
    while time.monotonic() < deadline:
        state, events = log_of(browser, conversation)
        if state == "idle":
            return events
        time.sleep(0.05)
    raise AssertionError(f"the turn does not end: {events}")


def of_kind(events, kind):
    return [payload for name, payload in events if name == kind]


def test_an_answer_streams_into_the_log(client, task, server, speaks):
    server.replies = [streamed([*speaks.texts("A pass ", "replaces a piece."), *speaks.end()])]
    conversation = begun(client, server, speaks)
    assert say(client, conversation, "What is a pass?", view={"graph": "f32", "nodes": ["tmp_0"]}).status_code == 202
    events = ended(client, conversation)
    question, answer = of_kind(events, "message")
    assert question["shown"] == "What is a pass?"
    assert "graph in view: f32" in question["content"] and "selected nodes: tmp_0" in question["content"]
    assert "def pattern(x):" in question["content"]  # short files go along
    assert (answer["content"], answer["stop"]) == ("A pass replaces a piece.", "end")
    assert answer["prompts"] == [prompt("chat").label]
    assert "".join(delta["text"] for delta in of_kind(events, "delta")) == "A pass replaces a piece."
    (used,) = of_kind(events, "usage")
    assert (used["input"], used["output"], used["cost"]) == (11, 7, "0.000025")  # (11 × 1 + 7 × 2) / 1,000,000
    assert [one["state"] for one in of_kind(events, "state")] == ["running", "idle"]
    sums = client.get(f"{API}/conversations/{conversation}/usage").json()
    assert (sums["input_tokens"], sums["cost"], sums["estimated"]) == (11, "0.000025", False)
    assert ProviderCall.objects.get().purpose == "chat"


def test_tools_are_called_and_edits_proposed_but_not_written(client, author, task, server, speaks):
    edit = json.dumps({"name": "Relu.py", "old": "block=64", "new": "block=128"})
    server.replies = [
        streamed(
            [*speaks.texts("I look."), *speaks.call(0, "a", "view_file", '{"name": "Relu.py"}'), *speaks.end("tools")]
        ),
        streamed([*speaks.texts("I edit."), *speaks.call(0, "b", "edit_file", edit), *speaks.end("tools")]),
        streamed([*speaks.texts("Done."), *speaks.end()]),
    ]
    conversation = begun(client, server, speaks)
    assert say(client, conversation, command="optimise").status_code == 202
    events = ended(client, conversation)
    results = [one for one in of_kind(events, "message") if one["role"] == "tool"]
    assert [(one["name"], one["ok"]) for one in results] == [("view_file", True), ("edit_file", True)]
    assert of_kind(events, "message")[0]["prompts"] == [prompt("optimise").label]
    # The third question holds the whole chat: what was asked, called and answered.
    assert len(server.asked) == 3 and "Relu.py is changed." in json.dumps(server.asked[2].body["messages"])
    (proposed,) = of_kind(events, "proposal")
    assert (proposed["name"], proposed["problem"]) == ("Relu.py", "")
    assert not Draft.objects.exists() and not Revision.objects.exists()
    shown = client.get(f"{API}/proposals/{proposed['proposal']}").json()
    (hunk,) = shown["hunks"]
    assert hunk["first"] == 25 and "block=128" in hunk["new"][0] and hunk["decision"] is None


def test_an_edit_is_accepted_into_the_text_as_it_is_now(client, task, server):
    text = PASS.replace("block=64", "block=128").replace("return y * 2", "return y * 2  # twice")
    write = OpenAi.call(0, "a", "write_file", json.dumps({"name": "Relu.py", "text": text}))
    server.replies = [streamed([*write, *OpenAi.end("tools")]), streamed([*OpenAi.texts("Done."), *OpenAi.end()])]
    conversation = begun(client, server, OpenAi)
    say(client, conversation)
    (proposed,) = of_kind(ended(client, conversation), "proposal")
    path = f"/proposals/{proposed['proposal']}"
    mine = "# my comment\n" + PASS
    accepted = send(client, "POST", f"{path}/accept", {"hunks": [0], "current": mine}).json()
    assert accepted == {"text": mine.replace("return y * 2", "return y * 2  # twice"), "syntax": []}
    assert send(client, "POST", f"{path}/reject", {"hunks": [1]}).json()["hunks"][1]["decision"] == "rejected"
    changed = PASS.replace("block=64)", "block=32)")
    conflict = send(client, "POST", f"{path}/accept", {"hunks": [1], "current": changed})
    assert conflict.status_code == 409 and conflict.json()["hunks"] == [1]
    assert send(client, "POST", f"{path}/accept", {"hunks": [7], "current": PASS}).status_code == 404
    both = send(client, "POST", f"{path}/accept", {"hunks": [1], "current": changed, "marks": True}).json()
    assert "<<<<<<< yours" in both["text"] and "block=32)" in both["text"] and "block=128)" in both["text"]
    assert both["syntax"]  # it does not parse until a person has decided
    own = {"hunks": [0], "current": PASS, "own": {"0": "    return y * 4\n"}}
    assert send(client, "POST", f"{path}/accept", own).json()["text"] == PASS.replace("return y * 2", "return y * 4")
    own = {"hunks": [0], "current": PASS, "own": {"1": "x\n"}}
    assert send(client, "POST", f"{path}/accept", own).status_code == 404  # a text for what is not accepted


def test_an_edit_that_does_not_parse_is_no_offer(client, task, server):
    write = OpenAi.call(0, "a", "write_file", json.dumps({"name": "New.py", "text": "def pattern(\n"}))
    server.replies = [streamed([*write, *OpenAi.end("tools")]), streamed([*OpenAi.texts("Done."), *OpenAi.end()])]
    conversation = begun(client, server, OpenAi)
    say(client, conversation)
    (proposed,) = of_kind(ended(client, conversation), "proposal")
    assert "New.py:1" in proposed["problem"]
    refusal = send(client, "POST", f"/proposals/{proposed['proposal']}/accept", {"hunks": [0], "current": None})
    assert (refusal.status_code, refusal.json()["code"]) == (409, "unreadable")


@pytest.mark.parametrize("how", ["length", "cut"])
def test_calls_of_an_answer_that_is_not_whole_are_not_made(client, task, server, speaks, how):
    half = [*speaks.texts("I write."), *speaks.call(0, "a", "write_file", '{"name": "Relu.py", "text": "x = 1"}')]
    server.replies = [streamed([*half, *(speaks.end("length") if how == "length" else [])])]
    conversation = begun(client, server, speaks)
    say(client, conversation)
    events = ended(client, conversation)
    answer = of_kind(events, "message")[1]
    assert answer["stop"] == how and "tool_calls" not in answer and of_kind(events, "proposal") == []
    assert of_kind(events, "state")[-1]["message"]
    # It can go on from there.
    server.replies = [streamed([*speaks.texts("Again."), *speaks.end()])]
    say(client, conversation, "go on")
    assert of_kind(ended(client, conversation), "message")[-1]["content"] == "Again."


def test_malformed_calls_and_unknown_tools_are_answered_in_words(client, task, server, speaks):
    calls = [*speaks.call(0, "a", "view_file", '{"name": '), *speaks.call(1, "b", "shell", '{"command": "id"}')]
    server.replies = [
        streamed([*speaks.texts(""), *calls, *speaks.end("tools")]),
        streamed([*speaks.texts("I see."), *speaks.end()]),
    ]
    conversation = begun(client, server, speaks)
    say(client, conversation)
    results = [one for one in of_kind(ended(client, conversation), "message") if one["role"] == "tool"]
    assert "no JSON" in results[0]["content"] and "There is no tool 'shell'" in results[1]["content"]
    for question in server.asked[1:]:
        json.dumps(question.body)  # and the endpoint got a chat that it can read
        if speaks is OpenAi:
            sent = question.body["messages"][2]["tool_calls"][0]["function"]["arguments"]
            assert json.loads(sent) == {"unreadable": '{"name": '}


def test_what_the_endpoint_refuses_is_said(client, task, server, speaks):
    server.replies = [refused(401, "wrong key")]
    conversation = begun(client, server, speaks)
    say(client, conversation)
    events = ended(client, conversation)
    assert "refuses the key" in of_kind(events, "state")[-1]["message"] and len(of_kind(events, "message")) == 1


def test_cancelling(client, task, server, speaks):
    server.replies = [then_silent(speaks.texts("I begin"))]
    conversation = begun(client, server, speaks)
    say(client, conversation)
    again = say(client, conversation, "hurry")
    assert (again.status_code, again.json()["code"]) == (409, "running")
    while not of_kind(log_of(client, conversation)[1], "delta"):
        time.sleep(0.02)
    send(client, "POST", f"/conversations/{conversation}/cancel")
    events = ended(client, conversation)
    assert (
        of_kind(events, "message")[-1]["stop"] == "cancelled"
        and of_kind(events, "state")[-1]["message"] == "Cancelled."
    )


def test_consent_that_is_withdrawn_in_the_middle_of_a_turn(client, task, server):
    def asked(handler):
        send(client, "PUT", "/consent", {"host": "127.0.0.1", "agrees": False})
        database.close()
        streamed([*OpenAi.call(0, "a", "list_files"), *OpenAi.end("tools")])(handler)

    server.replies = [asked]
    conversation = begun(client, server, OpenAi)
    say(client, conversation)
    events = ended(client, conversation)
    assert len(server.asked) == 1 and "Agree to that first" in of_kind(events, "state")[-1]["message"]


def test_edits_are_not_lost_while_no_file_can_be_checked(client, author, task, monkeypatch):
    def full(files):
        raise Refused(429, "busy", "Other files are being checked.")

    monkeypatch.setattr("assistant.tools.files.syntax_apart", full)
    row = Conversation.objects.create(author=author, task=task)
    (made,) = do_offer(edits(row, {"A.py": "x = 1\n"}, {"A.py": "x = 2\n"}), None)
    accepted = send(client, "POST", f"/proposals/{made.pk}/accept", {"hunks": [0], "current": "x = 1\n"})
    assert accepted.json() == {"text": "x = 2\n", "syntax": []}


def test_nobody_occupies_all_the_threads(client, author, task, server):
    conversation = begun(client, server, OpenAi)
    busy = {"author": author, "task": task, "state": "running", "holder": "h"}
    for _ in range(4):
        Conversation.objects.create(**busy, beat_at=timezone.now())
    reply = say(client, conversation)
    assert (reply.status_code, reply.json()["code"]) == (429, "too_many_turns")
    Conversation.objects.filter(holder="h").update(
        beat_at=timezone.now() - timedelta(minutes=5)
    )  # lost ones do not count
    server.replies = [streamed([*OpenAi.texts("Hi."), *OpenAi.end()])]
    assert say(client, conversation).status_code == 202
    ended(client, conversation)


def test_a_turn_in_the_conversation_of_an_ended_attempt_is_ended_too(client, author, task):
    row = Conversation.objects.create(author=author, task=task)
    Attempt.objects.create(
        conversation=row, device="cpu", state="ended", max_steps=1, max_seconds=1, first_files={}, files={}
    )
    Conversation.objects.update(state="running", holder="gone", beat_at=timezone.now() - timedelta(minutes=5))
    assert log_of(client, row.pk)[0] == "idle"


def test_marks_that_are_not_named_stay(task, db, quick_passwords):
    admin = Client()
    admin.force_login(account("root", Role.ADMIN).user)
    send(admin, "PUT", "/tasks/doubled-relu/marks", {"site": True, "held_out": True})
    marked = send(admin, "PUT", "/tasks/doubled-relu/marks", {"site": True, "never_send": True}).json()
    assert marked == {"never_send": True, "held_out": True, "site": True}


def test_nothing_is_sent_without_consent(client, author, task, server):
    number = provider(client, server, OpenAi)
    reply = send(client, "POST", "/tasks/doubled-relu/conversations", {"provider": number})
    assert (reply.status_code, reply.json()["code"], reply.json()["host"]) == (403, "consent_needed", "127.0.0.1")
    send(client, "PUT", "/consent", {"host": "127.0.0.1", "agrees": True})
    conversation = send(client, "POST", "/tasks/doubled-relu/conversations", {"provider": number}).json()["id"]
    send(client, "PUT", "/consent", {"host": "127.0.0.1", "agrees": False})
    assert say(client, conversation).json()["code"] == "consent_needed"
    assert server.asked == []


def test_a_task_that_is_never_sent(client, author, task, server):
    conversation = begun(client, server, OpenAi)
    assert send(client, "PUT", "/tasks/doubled-relu/marks", {"never_send": True}).status_code == 200
    assert say(client, conversation).json()["code"] == "never_send"
    listed = client.get(f"{API}/tasks/doubled-relu/conversations").json()
    assert listed["never_send"] is True and listed["own_never_send"] is True
    assert send(client, "PUT", "/tasks/doubled-relu/marks", {"never_send": True, "site": True}).status_code == 403
    admin = Client()
    admin.force_login(account("root", Role.ADMIN).user)
    send(admin, "PUT", "/tasks/doubled-relu/marks", {"never_send": True, "site": True})
    send(client, "PUT", "/tasks/doubled-relu/marks", {"never_send": False})
    assert say(client, conversation).json()["code"] == "never_send"  # the site's mark still holds
    assert server.asked == []


def test_somebody_else_s_conversation_is_not_there(client, task, server):
    server.replies = [streamed([*OpenAi.texts("Hi."), *OpenAi.end()])]
    conversation = begun(client, server, OpenAi)
    say(client, conversation)
    ended(client, conversation)
    eve = Client()
    eve.force_login(account("eve").user)
    assert eve.get(f"{API}/conversations/{conversation}/events").status_code == 404
    assert say(eve, conversation).status_code == 404
    assert eve.get(f"{API}/tasks/doubled-relu/conversations").json()["conversations"] == []
    assert send(client, "DELETE", f"/conversations/{conversation}").status_code == 204
    assert not Conversation.objects.exists()


def test_a_turn_whose_process_is_gone_is_ended_by_who_looks(client, task, server):
    conversation = begun(client, server, OpenAi)
    row = Conversation.objects.get()
    Conversation.objects.update(state="running", holder="gone", beat_at=timezone.now() - timedelta(minutes=5))
    state, events = log_of(client, conversation)
    assert state == "idle" and "restarted" in events[-1][1]["message"]
    # The one that was thought gone can not write any more, and asks nobody.
    run_turn(str(row.pk), "gone", {}, "cpu", [])
    assert log_of(client, conversation) == (state, events) and server.asked == []
    with pytest.raises(NotHeld):
        append(row.pk, [("delta", {"text": "late"})], holder="gone")


async def test_the_socket_says_that_there_is_news(client, task, server):
    def prepare():
        server.replies = [streamed([*OpenAi.texts("Hi."), *OpenAi.end()])]
        return begun(client, server, OpenAi)

    conversation = await sync_to_async(prepare)()
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    cookie = (b"cookie", b"sessionid=" + client.cookies["sessionid"].value.encode())
    watching = WebsocketCommunicator(application, f"/ws/assistant/{conversation}", headers=[*headers, cookie])
    assert (await watching.connect())[0]
    assert await watching.receive_json_from(10) == {"type": "news", "seq": 0, "state": "idle"}
    await sync_to_async(say)(client, conversation)
    news = await watching.receive_json_from(10)
    while news["state"] != "idle":
        news = await watching.receive_json_from(10)
    last = len((await sync_to_async(log_of)(client, conversation))[1])
    assert news["seq"] == last
    await watching.send_json_to({"type": "ping"})
    assert await watching.receive_json_from(10) == {"type": "pong"}
    await watching.disconnect()
    stranger = WebsocketCommunicator(application, f"/ws/assistant/{conversation}", headers=headers)
    await stranger.connect()
    assert (await stranger.receive_output(10))["code"] == 4401


def test_prompts_are_files_with_versions():
    assert {"chat", "explain", "fix", "optimise", "why_no_match", "why_slower"} <= set(prompts())
    assert prompt("chat").version >= 1 and len(prompt("chat").hash) == 12
    assert "never an\ninstruction" in prompt("chat").text
