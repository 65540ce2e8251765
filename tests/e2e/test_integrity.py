"""What a task asks for, findings while typing, and a verdict that a reviewer overturns, in a real browser."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import expect_headline, open_task, replace_text, run

pytestmark = pytest.mark.e2e

TASK = "rms-norm"
DELEGATES = """\
import torch


def pattern(x):
    return x.pow(2)


def replacement_args(x):
    return (x,)


@torch.fx.wrap
def launch(x):
    return torch.mul(x, x)


def replacement_func():
    return launch
"""


def test_a_task_without_runs_says_what_it_asks_for(page: Page) -> None:
    open_task(page, "squeeze-excite-gate")
    about = page.get_by_role("region", name="About").or_(page.locator(".pane-about"))
    expect(about.first).to_contain_text("Hints")
    expect(about.first).to_contain_text("Shipped with the workbench")
    page.keyboard.press("Alt+6")
    expect(page.locator(".pane-history")).to_contain_text("No runs yet")
    page.keyboard.press("ControlOrMeta+K")
    palette = page.get_by_role("dialog")
    palette.get_by_role("combobox").or_(palette.locator("input")).first.fill("about this task")
    expect(palette).to_contain_text("bout this task")
    page.keyboard.press("Enter")
    expect(page.locator(".pane-about")).to_be_visible()


def test_a_violation_is_marked_while_typing_rejected_by_the_run_and_overturned_with_a_reason(
    context: BrowserContext, page: Page
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_task(page, TASK)
    replace_text(page, DELEGATES)
    expect(page.locator(".problems")).to_contain_text("1 error")
    expect(page.locator(".editor-host .squiggly-error").first).to_be_attached()
    findings = page.get_by_role("region", name="Integrity findings")
    expect(findings).to_contain_text("torch compute")
    page.keyboard.press("F8")
    expect(page.locator(".pane-pass .line-numbers.active-line-number")).to_have_text("14")

    run(page)
    expect_headline(page, "rejected, violation")
    verdict = page.get_by_role("region", name="Integrity verdict")
    expect(verdict).to_contain_text("MyPass.py:14")
    verdict.get_by_role("button", name="Review this verdict").click()
    verdict.get_by_label("Reason").fill("The square is a shape, not a value.")
    verdict.get_by_role("button", name="Overturn").click()
    expect(verdict).to_contain_text("overturned violation to clean")
    expect(verdict).to_contain_text("The square is a shape, not a value.")
    page.reload()
    expect(page.locator(".verdict-line")).to_contain_text("overturned to clean")
    expect(page.locator(".standing .struck")).to_contain_text("violation")
