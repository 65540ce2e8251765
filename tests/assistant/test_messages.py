"""What a model is sent of a chat: results with their calls, another's word last, not more than it can take."""

from task_of_two import store_task

from assistant.chat.log import append
from assistant.chat.messages import chat_so_far, shortened
from assistant.models import Conversation
from assistant.prompts import prompt


def test_results_belong_to_the_answer_before_them(author):
    row = Conversation.objects.create(author=author, task=store_task())

    def asks(*names):
        calls = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in names]
        return ("message", {"role": "assistant", "content": "", "tool_calls": calls, "stop": "tools"})

    def result(text):
        return ("message", {"role": "tool", "tool_call_id": "call_0", "content": text})

    append(row.pk, [asks("call_0"), result("first"), asks("call_0"), result("second"), asks("call_0")])
    append(row.pk, [("message", {"role": "assistant", "content": "I beg", "stop": "cut"})])
    said = [(one["role"], one["content"]) for one in chat_so_far(row, prompt("chat"))[1:]]
    assert [text for role, text in said if role == "tool"] == ["first", "second", "(The tool was not run.)"]
    assert said[-1] == ("user", "Your answer was cut off. Go on.")


def test_old_results_of_tools_are_left_out_of_a_long_chat():
    chat = [
        {"role": "user", "content": "x"},
        {"role": "tool", "tool_call_id": "a", "content": "y" * 1000},
        {"role": "tool", "tool_call_id": "b", "content": "z" * 1000},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "more"},
    ]
    kept = shortened(chat, 1600)
    assert kept[1]["content"].startswith("(This result is left out") and kept[2] == chat[2]
    assert shortened(chat, 10_000) == chat


def test_old_long_arguments_are_left_out_too():
    def call(arguments):
        return {"id": "a", "type": "function", "function": {"name": "write_file", "arguments": arguments}}

    chat = [{"role": "assistant", "content": "", "tool_calls": [call("x" * 501), call("y" * 500)]}]
    chat += [{"role": "user", "content": "go on"}] * 2
    kept = shortened(chat, 900)
    assert [one["function"]["arguments"] for one in kept[0]["tool_calls"]] == ['{"left_out": true}', "y" * 500]
