"""The editor knows torch, Triton and the author's own modules, works as well without, and shows what has changed."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Position, WebSocketRoute, expect

from tests.e2e.steps import command, open_task

pytestmark = pytest.mark.e2e

POOLING = "masked-mean-pooling"
ORDER = "sorted_output_pass_rule_names.json"
PASS = """\
import torch
import triton.language as tl
from pass_dir.helper import seven


def pattern(x):
    return torch.nn.functional.relu(x) * seven


def replacement_args(x):
    return (undefined_thing,)
"""
FILES = {"MyPass.py": PASS, "helper.py": "seven   =  7\n", ORDER: '["MyPass"]'}
PutDraft = Callable[[str, dict[str, str]], None]


def test_names_are_explained_completed_found_and_checked(page: Page, put_draft: PutDraft) -> None:
    put_draft(POOLING, FILES)
    open_task(page, POOLING)
    text = page.locator(".editor-host .view-line")
    expect(page.locator(".editor-host .squiggly-error")).to_have_count(1)  # undefined_thing
    expect(page.locator(".editor-host .squiggly-warning")).to_have_count(1)  # tl, not used yet
    expect(page.locator(".problems")).to_contain_text("1 warning")

    line = text.filter(has_text="relu").locator("span").first
    words, box = line.inner_text(), line.bounding_box()
    assert box is not None
    at: Position = {"x": box["width"] * (words.index("relu") + 1.5) / len(words), "y": 9}
    line.click(position=at)
    line.hover(position=at)
    expect(page.locator(".monaco-hover:visible").first).to_contain_text("rectified linear unit")
    page.keyboard.press("F12")
    peek = page.locator(".peekview-widget")
    expect(peek).to_contain_text("functional.py")
    expect(peek).to_contain_text("def relu(")
    page.keyboard.press("Escape")

    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("z = tl.aran")
    expect(page.locator(".suggest-widget:visible")).to_contain_text("arange")
    page.keyboard.press("Tab")
    expect(text.filter(has_text="z = tl.arange")).to_be_visible()

    page.locator('[data-file="helper.py"]').click()
    expect(text.first).to_contain_text("seven")
    command(page, "Format the file")
    expect(text.first).to_have_text("seven = 7")
    page.locator('[data-file="MyPass.py"]').click()
    page.locator('[data-file="helper.py"]').click()
    text.first.click()
    page.keyboard.press("ControlOrMeta+Z")  # undo has survived the change of tabs
    expect(text.first).to_have_text("seven   =  7")


def test_the_editor_works_without_language_servers(page: Page, context: BrowserContext, put_draft: PutDraft) -> None:
    tries: list[str] = []

    def refuse(socket: WebSocketRoute) -> None:
        tries.append(socket.url)
        socket.send(
            '{"type": "off", "again": "never",'
            ' "message": "this workbench runs no language servers (LANGUAGE_SOCKET is empty)"}'
        )

    page.route_web_socket("**/ws/language", refuse)
    lines = "".join(f"x{number} = {number}\n" for number in range(10_000))
    put_draft(POOLING, {"MyPass.py": lines, ORDER: '["MyPass"]'})
    open_task(page, POOLING)
    expect(page.locator(".language-line")).to_have_text(
        "completion is off: this workbench runs no language servers (LANGUAGE_SOCKET is empty)"
    )
    page.locator(".editor-host .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# the 10,001st line")
    expect(page.locator(".editor-host .view-line").filter(has_text="# the 10,001st line")).to_be_visible()
    expect(page.locator(".save-line")).to_contain_text("saved")
    expect(page.locator(".editor-host .squiggly-error")).to_have_count(0)
    address = f"/api/tasks/{POOLING}/draft"
    page.wait_for_function(
        "async address => (await (await fetch(address)).json()).files['MyPass.py'].endsWith('10,001st line')",
        arg=address,
    )
    assert len(tries) == 1


def test_the_editor_beside_an_earlier_revision(
    page: Page, context: BrowserContext, workbench: str, put_draft: PutDraft
) -> None:
    token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
    long = {step: "".join(f"x{number * step % 9973} = {number}\n" for number in range(6000)) for step in (7, 13)}
    asked = {"files": {**FILES, "gone.py": "old = 1\n", "long.py": long[7]}, "device": "cpu"}
    headers = {"Origin": workbench, "X-CSRFToken": token}
    answer = context.request.post(f"/api/tasks/{POOLING}/runs", data=asked, headers=headers)
    assert answer.ok, answer.text()
    revision = answer.json()["revision_number"]
    put_draft(POOLING, {**FILES, "helper.py": "seven = 8\n", "long.py": long[13]})
    open_task(page, POOLING)
    command(page, f"Compare the editor with the files of revision {revision}")
    beside = page.get_by_role("region", name=f"Compared with revision {revision}")
    expect(beside.locator("li")).to_have_count(3)
    # Closed while what differs is still being computed: the texts may not go before the computation is called off.
    beside.get_by_role("button", name="long.py").click()
    beside.locator(".conflict-diff .view-line").filter(has_text="x7 = 1").first.wait_for()
    page.keyboard.press("Escape")
    expect(beside).to_have_count(0)
    command(page, f"Compare the editor with the files of revision {revision}")
    expect(beside.locator("li").filter(has_text="gone.py")).to_contain_text(f"only in revision {revision}")
    beside.get_by_role("button", name="helper.py").click()
    expect(beside.locator(".conflict-diff .view-line").filter(has_text="seven   =  7").first).to_be_visible()
    expect(beside.locator(".conflict-diff .view-line").filter(has_text="seven = 8").first).to_be_visible()
    expect(beside.locator(".line-insert").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(beside).to_have_count(0)


def test_undo_goes_on_after_the_page_was_loaded_again(page: Page, put_draft: PutDraft) -> None:
    put_draft(POOLING, FILES)
    open_task(page, POOLING)
    text = page.locator(".pane-pass .view-line")
    page.keyboard.press("Alt+2")
    expect(page.locator(".pane-pass .monaco-editor").first).to_have_class(re.compile("focused"))
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("eight = 8")
    expect(text.filter(has_text="eight = 8")).to_be_visible()
    expect(page.locator(".pane-pass")).to_contain_text("saved")
    page.reload()
    page.wait_for_selector(".run-button:enabled")
    expect(text.filter(has_text="eight = 8")).to_be_visible()
    page.keyboard.press("Alt+2")
    expect(page.locator(".pane-pass .monaco-editor").first).to_have_class(re.compile("focused"))
    page.keyboard.press("ControlOrMeta+Z")
    expect(text.filter(has_text="eight = 8")).to_have_count(0)
    page.keyboard.press("ControlOrMeta+Y")
    expect(text.filter(has_text="eight = 8")).to_be_visible()
