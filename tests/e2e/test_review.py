"""The review queue and a report, with a real run folder, in a real browser: by keyboard, in both themes."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import import_run
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

AUTHOR = "a model that calls torch"
CHEAT = """import torch


def pattern(a, b):
    return torch.matmul(a, b)


def replacement_args(a, b):
    return (a, b)


def launch(a, b):
    return torch.matmul(a, b)  # {task}


def replacement_func():
    return launch
"""


def test_one_look_covers_a_cause_and_what_is_typed_stays(page: Page, tmp_path: Path) -> None:
    files: dict[str, str] = {}
    for task in ("masked-mean-pooling", "rms-norm", "0123456789abcdef" * 4):
        files[f"run/{task}/pass_dir/A.py"] = CHEAT.format(task=task)
        files[f"run/{task}/pass_dir/sorted_output_pass_rule_names.json"] = '["A"]'
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    import_run(page, tmp_path / "run.zip", AUTHOR, files)
    page.get_by_role("link", name="in the review queue").click()

    rows = page.locator(".review-row")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("integrity · torch compute3")
    evidence = page.get_by_role("region", name="Findings")
    expect(evidence).to_contain_text("does the work")
    evidence.get_by_role("button", name="A.py:13").click()
    expect(page.locator(".line-selected")).to_be_visible()
    for theme in ("light", "dark"):
        for width in (1440, 900):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            assert serious(page) == [], (theme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})

    page.locator("#review-comment").fill("seen at A.py:13 by @admin")
    expect(page.get_by_text("draft kept")).to_be_visible()
    page.evaluate("localStorage.clear()")  # another browser
    page.reload()
    expect(page.locator("#review-comment")).to_have_value("seen at A.py:13 by @admin")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("group", name="Comments").get_by_role("button", name="A.py:13")).to_be_visible()
    expect(page.locator("#review-comment")).to_have_value("")

    page.keyboard.press("Escape")
    page.get_by_role("region", name="Item").locator("h2").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Next")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    expect(rows).to_have_count(3)
    first = page.get_by_role("region", name="Item").get_attribute("aria-label")
    page.keyboard.press("j")
    expect(page.get_by_role("region", name="Item")).not_to_have_attribute("aria-label", first or "")
    expect(page).to_have_url(re.compile("item="))
    page.keyboard.press("v")
    expect(page.get_by_label("What is decided on")).to_contain_text("all 3 of this cause")
    page.keyboard.press("c")
    expect(page.get_by_text("No item fits")).to_be_visible()
    page.keyboard.press("u")
    expect(rows).to_have_count(1)

    page.goto("/boards/")
    page.get_by_role("link", name="Report", exact=True).click()
    flagged = page.get_by_role("region", name="Flagged by the integrity check as a table")
    own = flagged.get_by_role("row").filter(has=page.get_by_role("link", name=AUTHOR))
    expect(own).to_have_count(3)  # what other tests have left in this workbench may be flagged, too
    assert serious(page) == []
    flagged.get_by_role("link", name=AUTHOR).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(AUTHOR)
    expect(page.get_by_role("img", name="Failures by cause")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Where you are")).to_be_hidden()
    with page.expect_download() as download:
        page.emulate_media(media="screen")
        page.get_by_role("link", name="HTML", exact=True).click()
    assert "does the work" in Path(download.value.path()).read_text()
    assert problems == []
