"""A pass drafted from nodes that are selected in a real browser: it is added, opened, right, and taken out again."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import expect_headline, open_task, row, run
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

TASK = "residual-layer-norm"
ORDER = "sorted_output_pass_rule_names.json"


def saved_files(context: BrowserContext) -> dict[str, str]:
    return context.request.get(f"/api/tasks/{TASK}/draft").json()["files"]


def select_lines(page: Page) -> None:
    """Select all of the graph's code, and so all of its nodes."""
    page.locator(".pane-code .view-lines").click()
    page.keyboard.press("ControlOrMeta+A")


def test_selected_lines_become_a_pass_that_is_right(context: BrowserContext, page: Page) -> None:
    open_task(page, TASK)
    expect(page.locator(".live-line")).to_contain_text("Matches show here while you type")
    button = page.get_by_role("button", name="Draft a pass")
    expect(button).to_be_disabled()

    page.locator(".pane-code .view-line").first.wait_for()
    select_lines(page)
    expect(button).to_be_enabled()
    button.click()
    outcome = page.get_by_role("status", name="Drafted pass")
    expect(outcome).to_contain_text("FuseAddLayerNorm.py")
    expect(outcome).to_contain_text("with a Triton kernel")
    expect(page.get_by_role("tab", name="FuseAddLayerNorm.py")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".save-line")).to_contain_text("saved")
    files = saved_files(context)
    assert json.loads(files[ORDER]) == ["FuseAddLayerNorm"]  # in the place of the text to start from
    assert "MyPass.py" not in files
    assert "def pattern(in_2, in_3, in_1, in_0):" in files["FuseAddLayerNorm.py"]

    for width, tab in ((900, "Graph"), (1440, None)):
        page.set_viewport_size({"width": width, "height": 900})
        if tab:
            page.get_by_role("tab", name=tab).click()
        expect(outcome).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # Sizes of layer_norm are written out in the pattern: it matches the graph that it was drafted from, and no other.
    expect(page.locator(".live-line")).to_contain_text("1 of 4 graphs")
    outcome.get_by_role("button", name="Draft for the 3 graphs that it does not match").click()
    expect(outcome).to_contain_text("Also FuseAddLayerNorm2.py, FuseAddLayerNorm3.py, FuseAddLayerNorm4.py")
    expect(page.locator(".live-line")).to_contain_text("4 of 4 graphs")
    run(page)
    graph = context.request.get(f"/api/tasks/{TASK}").json()["graphs"][0]["name"]
    expect(row(page, graph)).to_contain_text("correct")
    expect_headline(page, "correct on 4 of 4 graphs")

    outcome.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("tab", name=re.compile("FuseAddLayerNorm"))).to_have_count(0)
    expect(page.get_by_role("tab", name="MyPass.py")).to_be_visible()
    expect(outcome).to_have_count(0)


def test_the_palette_drafts_for_the_line_at_the_caret(page: Page) -> None:
    open_task(page, "gated-tanh-gelu")
    page.locator(".pane-code .view-line").first.wait_for()
    lines = page.locator(".pane-code .view-line")
    lines.filter(has_text="tmp_0 = 0.5").click()
    page.keyboard.press("ControlOrMeta+K")
    page.keyboard.type("draft a pass")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status", name="Drafted pass")).to_contain_text("FuseMul.py")
    expect(page.get_by_role("tab", name="FuseMul.py")).to_be_visible()
