"""Both kinds of endpoints, asked over real HTTP: what is streamed, cut, refused, malformed, slow."""

import logging
import threading
import time

import pytest
from model_server import Anthropic, ModelServer, OpenAi, refused, streamed, then_silent

from assistant.providers import Ask, Endpoint, ProviderFailure, Stop, Text, ToolSpec, Turn, Usage, Waits, converse

KEY = "sk-test-5hsYq0aVJ2"
HELLO = {"role": "user", "content": "Hello"}
TOOL = ToolSpec("view_file", "Show a file.", {"type": "object", "properties": {"name": {"type": "string"}}})


def endpoint(server, speaks, **more):
    return Endpoint(speaks.kind, server.address + speaks.path, "small-model", KEY, **{"idle_seconds": 20, **more})


def asked(server, speaks, *messages, tools=(), cancelled=lambda: False, **more):
    ask = Ask(messages or (HELLO,), tools)
    return list(converse(endpoint(server, speaks, **more), ask, cancelled, first_wait=0.01))


def test_text_comes_in_pieces_and_then_the_whole(server, speaks):
    server.replies = [streamed([*speaks.texts("Hel", "lo ", "漢字"), *speaks.end()])]
    *pieces, turn = asked(server, speaks)
    assert pieces == [Text("Hel"), Text("lo "), Text("漢字")]
    assert (turn.text, turn.stop, turn.calls, turn.model) == ("Hello 漢字", Stop.END, (), "small-model-1")
    written = 0 if speaks is OpenAi else 2
    assert turn.usage == Usage(input=11, output=7, cached=4, written=written)
    assert turn.attempts == 1 and turn.problem == ""


def test_the_key_and_the_question_go_as_each_kind_wants_them(server, speaks):
    server.replies = [streamed([*speaks.texts("x"), *speaks.end()])]
    asked(server, speaks)
    question = server.asked[0]
    assert question.headers["authorization"] == f"Bearer {KEY}"
    if speaks is OpenAi:
        assert question.path == "/v1/chat/completions"
        assert question.body["stream_options"] == {"include_usage": True}
    else:
        assert question.path == "/v1/messages" and question.headers["anthropic-version"]
    assert (question.body["model"], question.body["stream"]) == ("small-model", True)


def test_the_key_stands_in_no_log_however_much_is_logged(server, speaks, caplog):
    for name in ("", "openai", "anthropic", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, name)
    server.replies = [refused(500, KEY), streamed([*speaks.texts("x"), *speaks.end()])]
    asked(server, speaks)
    assert caplog.records and KEY not in caplog.text


def test_a_character_that_is_cut_between_two_packets_stays_whole(server, speaks):
    stream = b"".join([*speaks.texts("naïve 漢 🙂"), *speaks.end()])
    server.replies = [streamed(stream[at : at + 1] for at in range(len(stream)))]
    assert asked(server, speaks)[-1].text == "naïve 漢 🙂"


def test_a_stream_that_ends_inside_of_a_character_is_cut(server, speaks):
    whole = b"".join([*speaks.texts("good"), *speaks.texts("漢")[1:]])
    server.replies = [streamed([whole[: whole.rindex("漢".encode()) + 2]], cut=True)]
    turn = asked(server, speaks)[-1]
    assert (turn.text, turn.stop) == ("good", Stop.CUT)
    assert turn.problem and turn.usage.estimated


def test_a_stream_that_just_ends_is_cut_too(server, speaks):
    server.replies = [streamed(speaks.texts("half of an ans"))]
    turn = asked(server, speaks)[-1]
    assert (turn.text, turn.stop) == ("half of an ans", Stop.CUT)
    assert "without saying why" in turn.problem
    assert len(server.asked) == 1  # asked again it would be paid for twice


def test_the_limit_on_tokens_is_no_whole_answer(server, speaks):
    server.replies = [streamed([*speaks.texts("def pattern("), *speaks.end("length")])]
    turn = asked(server, speaks)[-1]
    assert turn.stop is Stop.LENGTH and not turn.stop.is_whole and "limit on its length" in turn.problem


def test_a_refusal_is_said(server, speaks):
    server.replies = [streamed([*speaks.texts("I can not."), *speaks.end("filter")])]
    turn = asked(server, speaks)[-1]
    assert turn.stop is Stop.FILTER and "refused" in turn.problem


def test_tool_calls_are_put_together_from_their_pieces(server, speaks):
    calls = [
        *speaks.call(0, "a", "view_file", '{"na', 'me": "A.', 'py"}'),
        *speaks.call(1, "b", "list_files"),
    ]
    server.replies = [streamed([*speaks.texts("Let me see."), *calls, *speaks.end("tools")])]
    turn = asked(server, speaks, tools=[TOOL])[-1]
    assert turn.stop is Stop.TOOLS
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [
        ("a", "view_file", {"name": "A.py"}),
        ("b", "list_files", {}),
    ]
    tool = server.asked[0].body["tools"][0]
    assert (tool["function"]["parameters"] if speaks is OpenAi else tool["input_schema"]) == TOOL.parameters


@pytest.mark.parametrize(
    ("written", "problem"),
    [('{"name": "A.py"', "no JSON"), ('["A.py"]', "no object"), ('{"name": A}', "no JSON"), ("[" * 20_000, "no JSON")],
)
def test_a_malformed_call_says_what_is_wrong_with_it(server, speaks, written, problem):
    server.replies = [streamed([*speaks.texts(""), *speaks.call(0, "a", "view_file", written), *speaks.end("tools")])]
    (call,) = asked(server, speaks, tools=[TOOL])[-1].calls
    assert call.arguments is None and problem in call.problem and call.raw == written


@pytest.mark.parametrize("how", ["arguments", "calls"])
def test_calls_count_towards_the_longest_answer(server, speaks, how):
    if how == "arguments":
        parts = speaks.call(0, "a", "write_file", *["x" * 250_000] * 9)
    else:
        parts = [part for at in range(65) for part in speaks.call(at, f"c{at}", "list_files")]
    server.replies = [streamed([*speaks.texts("ok"), *parts, *speaks.end("tools")])]
    turn = asked(server, speaks, tools=[TOOL])[-1]
    assert turn.stop is Stop.CUT
    assert ("2,000,000 characters" if how == "arguments" else "64 tool calls") in turn.problem


def test_names_and_numbers_of_calls_are_such_as_can_be_sent_back(server):
    parts = [*OpenAi.call(0, "a", "view file<|x|>" + "y" * 80), *OpenAi.call(1, "a", "list_files")]
    server.replies = [streamed([*parts, *OpenAi.end("tools")])]
    one, other = asked(server, OpenAi, tools=[TOOL])[-1].calls
    assert one.name.startswith("view_file__x__yy") and len(one.name) == 64
    assert one.id == "a" != other.id


def test_impossible_counts_of_tokens(server):
    server.replies = [streamed([*OpenAi.texts("x"), *OpenAi.end(tokens=(-5, 10**30))])]
    usage = asked(server, OpenAi)[-1].usage
    assert (usage.input, usage.output) == (0, 2**31 - 1)


def test_what_was_thought_is_paid_for_and_not_asked_again(server):
    """It breaks off after the first event, which counts what was read, and before any word."""
    server.replies = [streamed([Anthropic.start()], cut=True)]
    turn = asked(server, Anthropic)[-1]
    assert (turn.stop, turn.usage.input, len(server.asked)) == (Stop.CUT, 11, 1)


def test_servers_that_give_every_call_the_same_number(server):
    calls = [*OpenAi.call(0, "a", "view_file", '{"name": "A.py"}'), *OpenAi.call(0, "b", "list_files", "{}")]
    server.replies = [streamed([*calls, *OpenAi.end("end")])]
    turn = asked(server, OpenAi, tools=[TOOL])[-1]
    assert [(call.id, call.name) for call in turn.calls] == [("a", "view_file"), ("b", "list_files")]
    assert turn.stop is Stop.TOOLS  # although the server said "stop"


def test_a_server_that_counts_no_tokens(server):
    server.replies = [streamed([*OpenAi.texts("x" * 40), *OpenAi.end(tokens=None)])]
    usage = asked(server, OpenAi, {"role": "user", "content": "y" * 400})[-1].usage
    assert usage.estimated and usage.output == 10 and usage.input >= 100


def test_too_many_requests_are_repeated_when_the_server_says(server, speaks):
    good = streamed([*speaks.texts("ready"), *speaks.end()])
    server.replies = [refused(429, "slow down", Retry_After="0.02"), good]
    waits, *_, turn = asked(server, speaks)
    assert isinstance(waits, Waits) and (waits.seconds, waits.attempt) == (0.02, 1) and "429" in waits.why
    assert (turn.text, turn.attempts) == ("ready", 2)


def test_nobody_waits_for_an_hour(server, speaks):
    server.replies = [refused(429, "quota", Retry_After="3600")]
    with pytest.raises(ProviderFailure) as failed:
        asked(server, speaks)
    assert (failed.value.code, failed.value.retry_after) == ("rate", 3600)
    assert len(server.asked) == 1


def test_a_server_that_keeps_failing_is_given_up(server, speaks):
    server.replies = [refused(500, "out of cheese")]
    with pytest.raises(ProviderFailure) as failed:
        asked(server, speaks, attempts=3)
    assert failed.value.code == "server" and "HTTP 500" in failed.value.message and "cheese" in failed.value.message
    assert len(server.asked) == 3


@pytest.mark.parametrize(("status", "code"), [(401, "key"), (403, "key"), (404, "not_found"), (400, "bad_request")])
def test_what_no_patience_helps_against_is_not_repeated(server, speaks, status, code):
    server.replies = [refused(status, f"bad key {KEY}\nBearer sk-ant-abcdefghijkl")]
    with pytest.raises(ProviderFailure) as failed:
        asked(server, speaks)
    assert failed.value.code == code and len(server.asked) == 1
    assert KEY not in failed.value.message and "abcdef" not in failed.value.message
    assert KEY not in repr(endpoint(server, speaks))


def test_an_error_inside_of_the_stream(server, speaks):
    server.replies = [streamed([*speaks.texts("so far"), speaks.error("overloaded")])]
    turn = asked(server, speaks)[-1]
    assert (turn.text, turn.stop) == ("so far", Stop.CUT) and "overloaded" in turn.problem


def test_nonsense_in_the_stream(server, speaks):
    event = b"event: content_block_delta\n" if speaks is Anthropic else b""
    server.replies = [streamed([*speaks.texts("so far"), event + b"data: {nonsense\n\n"])]
    turn = asked(server, speaks)[-1]
    assert (turn.text, turn.stop) == ("so far", Stop.CUT) and "can not be read" in turn.problem


@pytest.mark.parametrize("value", ["5", "[]", "{}", '{"choices": 3}', '{"choices": [{}]}', '{"type": 7}'])
def test_values_that_are_no_events_end_as_a_failure(server, speaks, value):
    event = "event: message_start\n" if speaks is Anthropic else ""
    server.replies = [streamed([f"{event}data: {value}\n\n".encode()])]
    try:
        turn = asked(server, speaks, attempts=1)[-1]
    except ProviderFailure as failure:
        assert failure.code == "unreadable"
    else:
        assert turn.stop is Stop.CUT


def test_a_server_that_falls_silent_in_the_middle(server, speaks):
    server.replies = [then_silent(speaks.texts("so far"))]
    turn = asked(server, speaks, idle_seconds=0.3)[-1]
    assert (turn.text, turn.stop) == ("so far", Stop.CUT) and "said nothing for 0.3 s" in turn.problem


def test_slow_words_end_with_the_whole_time(server, speaks):
    def drip(handler):
        handler.begin()
        for piece in speaks.texts(*"abcdefghijklmnopqrstuvwxyz" * 20):
            handler.piece(piece)
            if handler.server_of_test.released.wait(0.05):
                break

    server.replies = [drip]
    turn = asked(server, speaks, total_seconds=0.6)[-1]
    assert turn.text.startswith("a") and len(turn.text) < 500
    assert turn.stop is Stop.CUT and "longer than 0.6 s" in turn.problem


def test_cancelling_while_the_server_is_silent(server, speaks):
    server.replies = [then_silent(speaks.texts("so far"))]
    stop = threading.Event()
    pieces = []
    for piece in converse(endpoint(server, speaks), Ask([HELLO]), stop.is_set):
        pieces.append(piece)
        stop.set()
    assert isinstance(pieces[-1], Turn)
    assert (pieces[-1].text, pieces[-1].stop) == ("so far", Stop.CANCELLED)


def test_cancelling_while_it_waits_to_ask_again(server, speaks):
    server.replies = [refused(429, Retry_After="50")]
    pieces = []
    for piece in converse(endpoint(server, speaks), Ask([HELLO]), lambda: bool(pieces)):
        pieces.append(piece)
    assert pieces[-1].stop is Stop.CANCELLED and pieces[-1].usage.input == 0


def test_who_stops_reading_ends_the_call(server, speaks):
    server.replies = [then_silent(speaks.texts("so far"))]
    reading = converse(endpoint(server, speaks), Ask([HELLO]))
    assert next(reading) == Text("so far")
    reading.close()
    deadline = time.monotonic() + 120  # bounds a failing test only
    while any(thread.name == "model" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "the call goes on"
        time.sleep(0.01)


def test_a_key_is_not_carried_to_where_a_server_sends_us(server, speaks):
    elsewhere = ModelServer([streamed([*speaks.texts("x"), *speaks.end()])])
    server.replies = [refused(307, Location=f"{elsewhere.address}{speaks.path}/chat/completions")]
    try:
        with pytest.raises(ProviderFailure) as failed:
            asked(server, speaks)
        assert failed.value.code == "redirect" and elsewhere.asked == []
    finally:
        elsewhere.close()


def test_nothing_listens_there(speaks):
    gone = ModelServer()
    gone.close()
    with pytest.raises(ProviderFailure) as failed:
        asked(gone, speaks, attempts=2)
    assert failed.value.code == "unreachable" and "nothing listens there" in failed.value.message


def test_a_chat_with_tools_in_anthropic_s_form(server):
    server.replies = [streamed([*Anthropic.texts("ok"), *Anthropic.end()])]
    call = {"id": "a", "type": "function", "function": {"name": "view_file", "arguments": '{"name": "A.py"}'}}
    broken = {"id": "b", "type": "function", "function": {"name": "view_file", "arguments": '{"name'}}
    chat = [
        {"role": "system", "content": "You write passes."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "", "tool_calls": [call, broken]},
        {"role": "tool", "tool_call_id": "a", "content": "x = 1"},
        {"role": "tool", "tool_call_id": "b", "content": "The arguments are no JSON."},
        {"role": "user", "content": "And?"},
    ]
    asked(server, Anthropic, *chat)
    body = server.asked[0].body
    assert body["system"][0]["text"] == "You write passes."
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][1]["content"] == [
        {"type": "tool_use", "id": "a", "name": "view_file", "input": {"name": "A.py"}},
        {"type": "tool_use", "id": "b", "name": "view_file", "input": {"unreadable": '{"name'}},
    ]
    results = body["messages"][2]["content"]
    assert [block["type"] for block in results] == ["tool_result", "tool_result", "text"]
    assert results[0] == {"type": "tool_result", "tool_use_id": "a", "content": "x = 1"}
