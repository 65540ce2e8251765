"""Saved searches of the catalogue, and what the pages say while the server does not answer."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import command, open_task
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e


def test_a_search_is_kept_opened_from_the_palette_and_deleted_by_keyboard(page: Page) -> None:
    page.goto("/?q=norm&sort=-graphs")
    saved = page.get_by_role("complementary", name="Filter").get_by_role("listitem")
    rows = page.locator("#catalogue tbody tr")
    rows.first.wait_for()
    found = rows.count()
    command(page, "save this search")
    expect(page.get_by_label("Name of the search")).to_be_focused()
    page.keyboard.type("all norms")
    page.keyboard.press("Enter")
    expect(saved).to_have_text(["all norms×"])
    assert serious(page) == []

    page.goto("/")
    expect(rows).not_to_have_count(found)
    command(page, "saved search: all norms")
    expect(rows).to_have_count(found)
    expect(page).to_have_url(re.compile(r"\?q=norm&sort=-graphs$"))
    expect(saved.get_by_role("button", name="all norms", exact=True)).to_have_attribute("aria-current", "true")

    # Every task's page can go there, too.
    open_task(page, "rms-norm")
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox", name="Command").fill("all norms")
    expect(page.get_by_role("option", name=re.compile("Saved search: all norms"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(rows).to_have_count(found)

    page.get_by_role("button", name="Delete the search all norms").focus()
    page.keyboard.press("Enter")
    expect(saved).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(saved).to_have_count(1)
    command(page, "delete the saved search all norms")
    expect(saved).to_have_count(0)


def test_a_silent_server_is_said_without_moving_the_page_and_made_up_for(context: BrowserContext, page: Page) -> None:
    open_task(page, "rms-norm")
    word, table = page.locator(".reach"), page.locator(".verdict-table")
    box = table.bounding_box()
    context.set_offline(True)
    expect(word).to_contain_text("offline")
    expect(page.locator(".device-state")).to_contain_text("not known")
    assert table.bounding_box() == box
    page.locator(".editor-host .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# while nobody listened")
    expect(page.locator(".save-line")).to_contain_text("offline, kept in this browser")
    page.set_viewport_size({"width": 900, "height": 900})
    expect(word).to_be_visible()
    assert serious(page) == [] and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.set_offline(False)
    expect(word).to_be_empty()
    expect(page.locator(".save-line")).to_contain_text("saved", timeout=60_000)

    # A page that could not load anything does so by itself.
    catalogue = context.new_page()
    catalogue.route("**/api/tasks?*", lambda route: route.abort())
    catalogue.goto("/")
    expect(catalogue.get_by_role("alert")).to_contain_text("The tasks could not be loaded")
    catalogue.unroute("**/api/tasks?*")
    expect(catalogue.locator("#catalogue tbody tr").first).to_be_visible()
