"""Catalogue, frame and themes in a real browser."""

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.e2e.steps import open_task

pytestmark = pytest.mark.e2e


def test_search_finds_a_task_by_operator_and_enter_opens_it(page: Page) -> None:
    page.goto("/")
    page.wait_for_selector("#catalogue tbody tr")
    page.keyboard.press("/")
    page.keyboard.type("rsqrt")
    expect(page.locator("#catalogue tbody tr")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/tasks/rms-norm/**")


def test_a_search_without_a_result_says_what_to_do(page: Page) -> None:
    page.goto("/")
    page.wait_for_selector("#catalogue tbody tr")
    page.get_by_role("searchbox").or_(page.locator("#catalogue input").first).first.fill("no such operator")
    expect(page.locator("#catalogue")).to_contain_text("No task")


def test_an_unknown_task_says_so_and_leads_back(page: Page) -> None:
    answer = page.goto("/tasks/nothing-here/")
    assert answer is not None and answer.status == 404
    expect(page.get_by_text("nothing-here").first).to_be_visible()
    assert page.locator('main a[href="/"], a[href="/"]').count() >= 1


def test_narrow_pages_turn_panes_into_tabs_and_keep_the_verdict_in_view(
    browser: Browser, workbench: str, logged_in: StorageState
) -> None:
    context = browser.new_context(viewport={"width": 900, "height": 900}, base_url=workbench, storage_state=logged_in)
    page = context.new_page()
    page.goto("/tasks/masked-mean-pooling/")
    page.wait_for_selector(".verdict-line")
    expect(page.locator(".verdict-line")).to_be_visible()
    page.get_by_role("tab", name="Graph").click()
    expect(page.locator("canvas").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_the_theme_button_switches_and_is_remembered(page: Page) -> None:
    page.goto("/")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme-toggle").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_every_pane_is_reached_by_keyboard(page: Page) -> None:
    open_task(page, "masked-mean-pooling")
    pane = "document.activeElement.closest('[data-pane]')?.getAttribute('aria-label')"
    seen = [""]
    for _ in range(5):
        page.keyboard.press("F6")
        # The focus moves with the next frame, which may take its time.
        seen.append(str(page.wait_for_function(f"before => {pane} !== before && {pane}", arg=seen[-1]).json_value()))
    assert seen[1:4] == ["Graph", "Pass", "Verdict"] and seen[-1] != seen[-2]

    # Keys that are faster than frames are not lost: two from the graph lead two panes on.
    page.keyboard.press("Alt+1")
    page.wait_for_function(f"() => {pane} === 'Graph'")
    page.evaluate(
        "() => { for (let i = 0; i < 2; i++) dispatchEvent(new KeyboardEvent('keydown', {key: 'F6', bubbles: true})) }"
    )
    page.wait_for_function(f"() => {pane} === 'Verdict'")


def test_the_palette_opens_runs_commands_and_closes(page: Page) -> None:
    open_task(page, "masked-mean-pooling")
    page.keyboard.press("ControlOrMeta+K")
    palette = page.get_by_role("dialog")
    expect(palette).to_be_visible()
    page.keyboard.press("Escape")
    expect(palette).to_have_count(0)
