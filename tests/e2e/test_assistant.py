"""The assistant in a real browser, against a server that streams: set up, asked, its edits taken or left."""

import json
import threading
from collections.abc import Iterator

import pytest
from model_server import Handler, ModelServer, OpenAi, streamed, then_silent
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import open_task
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

TASK, OTHER = "rms-norm", "rotary-embedding"
EDITS = (
    {"name": "MyPass.py", "old": "return y * 2\n", "new": "return y * 2  # twice\n"},
    {"name": "MyPass.py", "old": "block=1024", "new": "block=512"},
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


def saved_text(context: BrowserContext) -> str:
    text: str = context.request.get(f"/api/tasks/{TASK}/draft").json()["files"]["MyPass.py"]
    return text


def test_from_no_model_to_an_accepted_edit(context: BrowserContext, page: Page, server: ModelServer) -> None:
    open_task(page, TASK)
    page.get_by_role("tab", name="assistant").click()
    pane = page.locator(".pane-assistant")
    expect(pane).to_contain_text("No model is set up")
    expect(pane).to_contain_text("Without a model there is the drafter")
    assert serious(page) == []

    pane.get_by_role("button", name="Set up a model").click()
    pane.get_by_label("Address", exact=True).fill(f"{server.address}/v1")
    pane.get_by_label("Model", exact=True).fill("small-model")
    pane.get_by_label("Key", exact=True).fill("sk-never-seen-again")
    pane.get_by_label("USD for a million tokens in").fill("1")
    pane.get_by_label("and out").fill("2")
    assert serious(page) == []
    calls = [part for at, edit in enumerate(EDITS) for part in OpenAi.call(at, f"c{at}", "edit_file", json.dumps(edit))]
    server.replies = [
        streamed([*OpenAi.texts("ready"), *OpenAi.end()]),
        streamed([*OpenAi.call(0, "a", "report", '{"word": "ready"}'), *OpenAi.end("tools")]),
        streamed([*OpenAi.texts("I make two edits."), *calls, *OpenAi.end("tools")]),
        streamed([*OpenAi.texts("Two edits, ", "<b>for you</b>."), *OpenAi.end()]),
        then_silent(OpenAi.texts("I begin and")),
    ]
    pane.get_by_role("button", name="Add and test").click()
    steps = pane.get_by_role("list", name="Test of small-model").get_by_role("listitem")
    expect(steps).to_have_count(5)
    expect(steps.nth(4)).to_contain_text("It calls tools")
    assert "sk-never-seen-again" not in page.content()

    field = pane.get_by_label("Say something to the assistant")
    field.fill("Make two edits")
    field.press("Enter")
    expect(pane.get_by_role("alertdialog")).to_contain_text("would be sent to 127.0.0.1")
    assert len(server.asked) == 2  # the test's questions alone
    pane.get_by_role("button", name="Agree and send").click()
    expect(pane).to_contain_text("Two edits, <b>for you</b>.")  # text, not markup
    expect(pane).to_contain_text("22 tokens in, 14 out · 0.0000500 USD")  # 22 × 1 + 14 × 2 millionths

    edit = pane.get_by_role("region", name="Proposed edit of MyPass.py")
    expect(edit).to_contain_text("2 changes")
    assert "# twice" not in saved_text(context)
    page.emulate_media(color_scheme="dark")
    assert serious(page) == []
    page.emulate_media(color_scheme="light")
    edit.get_by_role("button", name="edit first").first.click()
    own = edit.get_by_role("textbox")
    expect(own).to_be_focused()
    own.fill("    return y * 2  # mine\n")
    assert serious(page) == []
    edit.get_by_role("button", name="Accept this text").click()
    expect(edit).to_contain_text("accepted")
    edit.get_by_role("button", name="Reject", exact=True).click()
    expect(edit).to_contain_text("rejected")
    page.wait_for_function(
        "task => fetch(`/api/tasks/${task}/draft`).then(a => a.json()).then(d => /# mine/.test(d.files['MyPass.py']))",
        arg=TASK,
    )
    assert "block=1024" in saved_text(context)

    field.fill("Go on")
    field.press("Enter")
    expect(pane).to_contain_text("I begin and")
    pane.get_by_role("button", name="Stop").click()
    expect(pane).to_contain_text("Cancelled.")

    # The log is the server's: a reload shows the same.
    page.reload()
    page.get_by_role("tab", name="assistant").click()
    expect(pane).to_contain_text("Make two edits")
    expect(pane).to_contain_text("Cancelled.")
    expect(edit).to_contain_text("rejected")
    page.set_viewport_size({"width": 900, "height": 900})
    page.get_by_role("tab", name="Assistant").click()
    expect(pane.get_by_label("Say something to the assistant")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    pane.get_by_label("never send").check()
    expect(pane).to_contain_text("marked “never send”")
    expect(pane.get_by_label("Say something to the assistant")).to_have_count(0)


def test_autopilot_is_begun_watched_steered_and_proposes_its_best(page: Page, server: ModelServer) -> None:
    open_task(page, OTHER)
    page.get_by_role("tab", name="assistant").click()
    pane = page.locator(".pane-assistant")
    setting_up = pane.get_by_role("button", name="Set up a model").or_(
        pane.get_by_role("button", name="add", exact=True)
    )
    setting_up.click()
    pane.get_by_label("Address", exact=True).fill(f"{server.address}/v1")
    pane.get_by_label("Model", exact=True).fill("pilot-model")
    write = OpenAi.call(0, "w", "write_file", json.dumps({"name": "notes.py", "text": "x = 1\n"}))
    released = threading.Event()

    def waits(handler: Handler) -> None:
        released.wait(60)
        streamed([*OpenAi.texts("I write."), *write, *OpenAi.call(1, "e", "evaluate", "{}"), *OpenAi.end("tools")])(
            handler
        )

    server.replies = [
        streamed([*OpenAi.texts("ready"), *OpenAi.end()]),
        streamed([*OpenAi.call(0, "a", "report", '{"word": "ready"}'), *OpenAi.end("tools")]),
        waits,
        streamed([*OpenAi.texts("That is all."), *OpenAi.end()]),
    ]
    pane.get_by_role("button", name="Add and test").click()
    expect(pane.get_by_role("list", name="Test of pilot-model").get_by_role("listitem")).to_have_count(5)
    pane.get_by_label("Say something to the assistant").fill("Try it")
    pane.get_by_role("button", name="autopilot").click()
    form = pane.get_by_role("form", name="Autopilot")
    form.get_by_label("steps").fill("5")
    form.get_by_role("button", name="Begin").click()
    agree = pane.get_by_role("button", name="Agree", exact=True)
    line = pane.get_by_role("status", name="Attempt")
    expect(agree.or_(line)).to_be_visible()
    if agree.is_visible():
        agree.click()
        form.get_by_role("button", name="Begin").click()
    expect(line).to_contain_text("step 0 of 5")
    field = pane.get_by_label("Say something to the assistant")
    expect(field).to_have_attribute("placeholder", "Steer: it reads this with its next step")
    expect(line).to_contain_text("running")  # a worker has taken it up
    field.fill("Keep it short")
    field.press("Enter")
    expect(pane).to_contain_text("Keep it short")
    assert serious(page) == []
    released.set()
    expect(line).to_contain_text("ended", timeout=120_000)
    expect(line).to_contain_text("1 evaluation")
    assert "Keep it short" in json.dumps(server.asked[-1].body["messages"])
    expect(pane.get_by_role("region", name="Proposed edit of notes.py")).to_contain_text("new file")

    page.goto("/attempts/")
    page.get_by_role("region", name="Your attempts").get_by_role("link").first.click()
    steps = page.locator("#live")
    expect(steps).to_contain_text("Keep it short")
    expect(steps).to_contain_text("judged: 0 / ")
    assert serious(page) == []
    page.get_by_label("Search in this attempt").fill("notes.py")
    page.get_by_label("Search in this attempt").press("Enter")
    expect(steps).not_to_contain_text("Keep it short")
    expect(steps.locator(".come")).to_have_text("+x = 1")
    for path in ("/authors/", "/authors/nobody/", "/batches/"):
        page.goto(path)
        assert serious(page) == []
    page.get_by_role("radio", name="these tasks").check()
    page.get_by_role("textbox", name="Slugs of tasks").fill(OTHER)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("status")).to_contain_text("of 1 tasks done")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status")).to_contain_text("ended")
    assert serious(page) == []
