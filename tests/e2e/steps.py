"""What a person does on the workbench's page, as functions."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

JUDGED = 120_000  # ms until every graph of a small task is judged on a slow machine


def open_task(page: Page, slug: str) -> None:
    """Open a task's workbench and wait until its editor can be typed in."""
    page.goto(f"/tasks/{slug}/")
    page.wait_for_selector(".monaco-editor .view-line")
    page.wait_for_selector(".run-button:enabled")


def import_run(page: Page, archive: Path, author: str, files: Mapping[str, str]) -> None:
    """Upload a run folder, written to `archive`, for an author, and open what was imported. `files`: path -> text."""
    with zipfile.ZipFile(archive, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    page.goto("/boards/import/")
    page.get_by_label("Author").fill(author)
    page.get_by_label("Archive").set_input_files(archive)
    page.get_by_role("button", name="Import").click()
    page.get_by_role("link", name="Show what").click()


def replace_text(page: Page, text: str) -> None:
    """Replace the text of the open file by pasting over it."""
    editor = page.locator(".pass-pane .monaco-editor, .editor-host .monaco-editor").first
    editor.locator(".view-lines").click()
    page.keyboard.press("ControlOrMeta+A")
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("ControlOrMeta+V")


def run(page: Page) -> None:
    """Press Run and wait for the verdict."""
    start(page)
    finish(page)


def start(page: Page) -> None:
    """Press Run and wait until the server has the run."""
    page.locator(".run-button").click()
    page.get_by_role("button", name="Cancel").wait_for()


def wait_until_judging(page: Page) -> None:
    """Wait until the first graph is being judged."""
    expect_headline(page, "judging graph")


def finish(page: Page) -> None:
    page.wait_for_selector(".run-button:enabled", timeout=JUDGED)


def row(page: Page, graph: str) -> Locator:
    return page.locator(f'tr[data-graph="{graph}"]')


def open_row(found: Locator) -> None:
    """Show a row's details; the first that failed is opened by the page."""
    if found.get_attribute("aria-expanded") != "true":
        found.click()


def expect_headline(page: Page, text: str) -> None:
    expect(page.locator(".verdict-line")).to_contain_text(text, timeout=JUDGED)


def command(page: Page, words: str) -> None:
    """Choose a command of the palette by its words."""
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox", name="Command").fill(words)
    expect(page.locator("#palette-list li").first).to_contain_text(words[1:])
    page.keyboard.press("Enter")
