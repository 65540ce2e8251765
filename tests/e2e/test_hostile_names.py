"""Every string from data sets, submissions, models and logs is text in a real browser, whatever it holds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, expect

from tests.e2e.conftest import ROOT, Running
from tests.e2e.steps import open_row

pytestmark = pytest.mark.e2e

SLUG = "hostile-names"
ROWS = Path(__file__).with_name("hostile_rows.py")

# What the payloads would make if one of them were taken for markup, and what would show that one ran.
BROKEN_OUT = """() => {
    const all = (what) => [...document.querySelectorAll(what)];
    return {
        ran: window.pwned ?? null,
        made: all(".pwned, img[src='x'], svg[onload], [onerror], [onload]").map((one) => one.outerHTML.slice(0, 200)),
        scripts: [...document.scripts].filter((one) => !one.src && one.type !== "application/json").length,
        links: [...document.links].map((one) => one.href).filter((href) => !/^(https?|blob):/.test(href)),
        wide: document.documentElement.scrollWidth - innerWidth,
    };
}"""
UNHARMED = {"ran": None, "made": [], "scripts": 0, "links": []}


@pytest.fixture(scope="module")
def hostile(running: Running, logged_in: object) -> None:
    done = subprocess.run(
        [sys.executable, str(ROWS)], cwd=ROOT, env=running.environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def page(context: BrowserContext, hostile: None) -> Page:
    page = context.new_page()
    page.on("dialog", _fail)
    return page


def _fail(dialog: Dialog) -> None:
    dialog.dismiss()
    pytest.fail(f"a payload opened a dialog: {dialog.message}")


def unharmed(page: Page) -> None:
    """Nothing of the payloads became an element, ran, or pushed the page wider than the window."""
    found = page.evaluate(BROKEN_OUT)
    wide = found.pop("wide")
    assert found == UNHARMED
    assert wide <= 0


def test_the_catalogue(page: Page) -> None:
    page.goto("/")
    row = page.locator("#catalogue tr.task", has_text="class=pwned")
    expect(row).to_be_visible()
    expect(row).to_contain_text("<script>window.pwned=1</script>")
    unharmed(page)


def test_the_workbench_with_its_run(page: Page) -> None:
    page.goto(f"/tasks/{SLUG}/")
    page.wait_for_selector(".verdict-line")
    expect(page.locator("header .crumbs")).to_contain_text("<script>window.pwned=1</script>")
    expect(page.locator("tr[data-graph]").first).to_contain_text("class=pwned", timeout=60_000)
    unharmed(page)
    open_row(page.locator("tr[data-graph]").first)  # its details: near miss, message, findings
    page.wait_for_timeout(500)
    unharmed(page)
    for name in ("log", "history", "about"):
        page.get_by_role("tab", name=re.compile(f"^{name}")).first.click()
        page.wait_for_timeout(300)
        unharmed(page)
    page.get_by_role("button", name="after").click()
    page.wait_for_timeout(300)
    unharmed(page)
    page.keyboard.press("ControlOrMeta+K")
    page.wait_for_timeout(300)
    unharmed(page)


def test_the_workbench_in_a_narrow_window(page: Page) -> None:
    page.set_viewport_size({"width": 900, "height": 900})
    page.goto(f"/tasks/{SLUG}/")
    page.wait_for_selector(".verdict-line")
    page.wait_for_timeout(1000)
    for tab in page.get_by_role("tab").all():
        if tab.is_visible():
            tab.click()
            page.wait_for_timeout(200)
            unharmed(page)


TURNS = """(root) => {
    const found = [];
    for (const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT); walker.nextNode(); ) {
        if (!walker.currentNode.data.includes("\\u202e")) continue;
        const shown = getComputedStyle(walker.currentNode.parentElement);
        if (shown.display.startsWith("inline") && !shown.unicodeBidi.includes("isolate")) {
            found.push(walker.currentNode.parentElement.outerHTML.slice(0, 120));
        }
    }
    return found;
}"""


def test_a_name_can_not_turn_the_words_around_it(page: Page) -> None:
    """What a right-to-left override turns ends with the element that holds it: each is isolated or a block."""
    page.goto("/")
    expect(page.locator("#catalogue tr.task", has_text="class=pwned")).to_be_visible()
    assert page.locator("body").evaluate(TURNS) == []
    page.goto(f"/tasks/{SLUG}/")
    expect(page.locator("tr[data-graph]").first).to_contain_text("class=pwned", timeout=60_000)
    open_row(page.locator("tr[data-graph]").first)
    page.wait_for_timeout(500)
    assert page.locator("body").evaluate(TURNS) == []


def test_pages_of_the_server(page: Page) -> None:
    for path in (
        "/account/",
        "/admin/graphs/task/",
        "/admin/graphs/graph/",
        "/admin/submissions/runreview/",
        "/api/docs",
    ):
        page.goto(path)
        page.wait_for_load_state()
        found = page.evaluate(BROKEN_OUT)
        found.pop("wide")
        assert found == UNHARMED, path
    answer = page.goto('/tasks/"><img src=x class=pwned onerror=window.pwned=1>/')
    assert answer is not None and answer.status == 404
    unharmed(page)
