"""The catalogue's filters and the page of one graph, in a real browser on the shipped tasks."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e


def test_the_catalogue_is_narrowed_and_sorted_and_its_address_carries_it(page: Page) -> None:
    page.goto("/?q=has:rsqrt")
    rows = page.locator("#catalogue tbody tr")
    expect(rows).to_have_count(1)
    search = page.get_by_role("searchbox", name="Search tasks")
    search.fill("size:huge")
    expect(page.locator("#search-problem")).to_contain_text("wants a number")
    search.fill("is:example")
    expect(rows).to_have_count(2)  # the two published tasks ship with a run
    expect(rows.first).to_contain_text(re.compile(r"example run: H200 \d+\.\d+× e2e"))
    page.get_by_label("worked example").check()
    page.get_by_role("button", name="graphs").click()
    expect(page.get_by_role("columnheader", name="graphs")).to_have_attribute("aria-sort", "descending")
    expect(page).to_have_url(re.compile(r"q=is%3Aexample&example=worked\+example&sort=-graphs"))
    page.reload()
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("masked mean", ignore_case=True)  # 15 graphs before 9
    page.set_viewport_size({"width": 900, "height": 800})
    page.locator("summary", has_text="Dtypes").click()
    expect(page.get_by_label(re.compile(r"^bf16"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_graph_page_is_reached_by_keyboard_and_says_what_the_graph_is(page: Page) -> None:
    page.goto("/?q=masked-mean-pooling")
    link = page.get_by_role("link", name=re.compile("Graph page of the first graph")).last
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/graphs/*/")
    facts = page.get_by_role("region", name="Facts")
    expect(facts.get_by_role("region", name="Made of")).to_contain_text("reduction")
    expect(facts.get_by_role("region", name="Identity").locator("code")).to_have_count(3)
    expect(facts.get_by_role("region", name="Tasks and results").get_by_role("link").first).to_be_visible()
    expect(facts.get_by_role("region", name="Memory")).to_contain_text("inputs")

    # One selection over drawing, code and address.
    canvas = page.locator(".graph-canvas canvas").first
    page.locator(".pane-code .view-line").first.wait_for()
    canvas.focus()
    page.keyboard.press("n")
    expect(page.locator(".graph-node-line strong")).to_be_visible()
    expect(page.locator(".pane-code .span-selected").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?node="))
    page.reload()
    expect(page.locator(".graph-node-line strong")).to_be_visible()

    seen = set()
    for _ in range(3):
        page.keyboard.press("F6")
        seen.add(page.evaluate("document.activeElement.closest('[data-pane]')?.dataset.pane"))
    assert seen == {"graph", "code", "facts"}
    assert serious(page) == []
    page.set_viewport_size({"width": 900, "height": 800})
    expect(canvas).to_be_visible()
    expect(facts).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # And back to the workbench on this graph, which leads here again.
    facts.get_by_role("region", name="Tasks and results").get_by_role("link").first.click()
    page.wait_for_url("**/tasks/**")
    page.get_by_role("tab", name="Graph").click()
    expect(page.get_by_role("link", name="graph page")).to_be_visible()


def test_a_graph_that_is_not_there_says_so_and_leads_back(page: Page) -> None:
    answer = page.goto(f"/graphs/{'0' * 64}/")
    assert answer is not None and answer.status == 404
    expect(page.locator("main")).to_contain_text("There is no graph")
    expect(page.get_by_role("link", name="Open the catalogue")).to_be_visible()
