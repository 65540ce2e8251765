"""A pattern is matched while it is typed: nodes light up, a near miss is drawn, a quick fix mends it. Nothing runs."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import open_task, replace_text

pytestmark = pytest.mark.e2e

POOLING = "masked-mean-pooling"
ORDER = "sorted_output_pass_rule_names.json"
PutDraft = Callable[[str, dict[str, str]], None]


def test_from_the_first_key_to_a_match_without_a_run(
    context: BrowserContext, page: Page, example: dict[str, str], put_draft: PutDraft
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = next(value for name, value in example.items() if name.endswith(".py"))
    wrong = text.replace("min=1e-09", "min=1e-06", 1)
    other = text.replace("weighted = tokens * mask", "weighted = tokens + mask")
    assert len({text, wrong, other}) == 3
    put_draft(POOLING, {"MyPass.py": other, ORDER: '["MyPass"]'})
    runs = context.request.get(f"/api/tasks/{POOLING}/runs").json()
    open_task(page, POOLING)
    line, nodes = page.locator(".live-line"), page.locator("#graph-nodes li")
    picker = page.get_by_label("Graph", exact=True).locator("option")
    expect(line).to_contain_text("No match: 4 of 5 nodes fit")
    expect(nodes.filter(has_text="differs")).to_contain_text("tmp_0")

    replace_text(page, text)
    expect(line).to_contain_text("Matches once")
    expect(line).to_contain_text("4 of 4 graphs")
    expect(nodes.filter(has_text="matches")).to_have_count(5)
    expect(picker.filter(has_text="● 1")).to_have_count(4)
    page.keyboard.press("ControlOrMeta+Home")
    expect(page.locator(".line-note")).to_contain_text("matches 4/4 graphs as you type")

    replace_text(page, wrong)
    expect(line).to_contain_text("No match: 4 of 5 nodes fit")
    expect(nodes.filter(has_text="differs")).to_have_count(1)
    expect(nodes.filter(has_text="differs")).to_contain_text("clamp")
    expect(nodes.filter(has_text=re.compile("fits "))).to_have_count(4)
    card = page.get_by_role("group", name="Near miss of the text in the editor")
    expect(card).to_contain_text("min 1e-06 in the pattern, 1e-09 in the graph")

    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("def (")
    expect(line).to_contain_text("Not matched: MyPass.py")
    expect(line).to_contain_text("of an earlier text")
    expect(nodes.filter(has_text="differs")).to_have_count(1)
    for _ in range(5):
        page.keyboard.press("Backspace")

    card.get_by_role("button", name="Take the graph's constant: 1e-09").click()
    expect(line).to_contain_text("Matches once")
    expect(nodes.filter(has_text="matches")).to_have_count(5)
    expect(page.get_by_text(re.compile(r"^saved"))).to_be_visible()
    saved = context.request.get(f"/api/tasks/{POOLING}/draft").json()["files"]["MyPass.py"]
    assert saved == text
    page.locator(".editor-host .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+Z")  # a fix is one step back
    expect(line).to_contain_text("4 of 5 nodes fit")
    assert context.request.get(f"/api/tasks/{POOLING}/runs").json() == runs
