"""A person brings graphs in: a folder, an archive, and a module that is captured by a worker, in a real browser."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ROOT
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

SAMPLE = ROOT / "graphs" / "data" / "gated-tanh-gelu" / "graphs" / "f32_2x6x32"
CAPTURED = 300_000  # ms: torch is imported for it, on a machine that may be busy


def test_a_folder_and_an_archive_become_tasks(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "brought-by-folder"
    shutil.copytree(SAMPLE, folder / "brought-net")
    (folder / ".hidden").write_text("stays at home")
    page.goto("/")
    page.get_by_role("link", name="upload", exact=True).click()
    mine = page.get_by_role("region", name="Your uploads")
    expect(mine).to_contain_text("Nothing yet")
    page.locator("#choose-folder").set_input_files(folder)
    expect(mine.get_by_role("link", name="brought-net")).to_be_visible()
    expect(mine).to_contain_text("1 task")

    # The same in an archive is nothing new; what is none says why.
    archive = shutil.make_archive(str(tmp_path / "same"), "zip", folder)
    page.locator("#choose-archive").set_input_files(archive)
    expect(mine).to_contain_text("had been here before")
    nothing = tmp_path / "nothing.zip"
    nothing.write_text("no archive")
    page.locator("#choose-archive").set_input_files(nothing)
    expect(mine.get_by_role("alert")).to_contain_text("nothing.zip: is neither a zip nor a tar")

    for theme in ("light", "dark"):
        for width in (1440, 900):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            assert serious(page) == [], (theme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})

    mine.get_by_role("button", name="Remove the task brought-net").click()
    expect(mine.get_by_role("link", name="brought-net")).to_have_count(0)
    expect(mine.locator("li").filter(has_text="brought-by-folder")).to_contain_text("no task left")


def test_a_pasted_module_is_captured_and_its_mistake_leads_to_its_line(page: Page) -> None:
    page.goto("/upload/")
    page.get_by_role("button", name="Start from an example").click()
    text = page.get_by_label("Text of the module")
    good = text.input_value()
    text.fill(good.replace("torch.relu(", "torch.rely("))
    page.get_by_label("Name", exact=True).fill("Pasted residual")
    page.keyboard.press("ControlOrMeta+Enter")
    mine = page.get_by_role("region", name="Your uploads")
    expect(mine).to_contain_text(re.compile("queued|being captured"))
    mistake = mine.get_by_role("alert").filter(has_text="module.py:12: ")
    expect(mistake).to_contain_text("has no attribute 'rely'", timeout=CAPTURED)
    expect(text).to_have_value(good.replace("torch.relu(", "torch.rely("))
    page.get_by_role("button", name="Show line 12").click()
    expect(text).to_be_focused()
    assert "torch.rely" in page.evaluate("getSelection().toString()")

    text.fill(good)
    page.reload()  # what was typed is kept in this browser
    expect(text).to_have_value(good)
    page.get_by_role("button", name=re.compile("^Capture")).click()
    page.get_by_role("link", name="Pasted residual").click(timeout=CAPTURED)
    page.wait_for_url("**/tasks/pasted-residual/")
    page.wait_for_selector(".graph-canvas canvas")
    expect(page.locator(".topbar")).to_contain_text("Pasted residual")
