"""A run is shared by link from the workbench, looked at without login, forked, revoked; pass_dir is exported."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.steps import open_task, run
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

TASK = "masked-mean-pooling"
ORDER = "sorted_output_pass_rule_names.json"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def test_a_run_is_shared_forked_and_revoked(
    browser: Browser,
    context: BrowserContext,
    page: Page,
    workbench: str,
    put_draft: Callable[[str, dict[str, str]], None],
    example: dict[str, str],
) -> None:
    put_draft(TASK, example)
    open_task(page, TASK)
    run(page)
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share")
    expect(dialog.get_by_label("The shown run")).to_be_checked()
    dialog.get_by_label("Anybody with the link").check()
    dialog.get_by_role("button", name="Make a link").click()
    link = dialog.get_by_label("The link, shown this once").input_value()
    assert link.startswith(f"{workbench}/s/")
    expect(dialog.get_by_role("listitem")).to_have_count(1)

    stranger = browser.new_context(viewport={"width": 900, "height": 800})
    problems: list[str] = []
    stranger.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    seen = stranger.new_page()
    seen.goto(link)
    graphs = context.request.get(f"{workbench}/api/tasks/{TASK}").json()["graphs"]
    expect(seen.get_by_text(f"correct on {len(graphs)} of {len(graphs)} graphs")).to_be_visible()
    expect(seen.get_by_role("img", name="The graph before the rewrite").locator("rect").first).to_be_visible()
    assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over at 900 px"
    name = next(name for name in example if name.endswith(".py"))
    assert seen.get_by_label(name).text_content() == example[name]
    for scheme in SCHEMES:
        seen.emulate_media(color_scheme=scheme)
        assert serious(seen) == [], scheme
    seen.get_by_role("link", name="Log in to fork").click()
    expect(seen.get_by_label("Password")).to_be_visible()
    for scheme in SCHEMES:
        seen.emulate_media(color_scheme=scheme)
        assert serious(seen) == [], scheme
    seen.go_back()
    expect(seen.get_by_role("rowheader", name="torch")).to_be_visible()
    seen.get_by_role("link", name=graphs[-1]["name"], exact=True).click()
    expect(seen.get_by_role("heading", name=f"Graph {graphs[-1]['name']}")).to_be_visible()
    assert problems == []

    # What the owner has now is other work: it is kept.
    own = {"Other.py": "y = 2\n", ORDER: '["Other"]'}
    put_draft(TASK, own)
    mine = context.new_page()
    mine.goto(link)
    mine.get_by_role("button", name="Fork").click()
    expect(mine.get_by_role("heading")).to_have_text("You have a draft for this task")
    assert serious(mine) == []
    mine.get_by_role("button", name="Keep my draft").click()
    expect(mine.get_by_role("link", name="download it")).to_be_visible()
    assert serious(mine) == []
    with mine.expect_download() as kept:
        mine.get_by_role("link", name="download it").click()
    assert zipfile.ZipFile(Path(kept.value.path())).read("pass_dir/Other.py") == b"y = 2\n"
    mine.get_by_role("link", name="Open the workbench").click()
    mine.wait_for_selector(".monaco-editor .view-line")
    assert context.request.get(f"{workbench}/api/tasks/{TASK}/draft").json()["files"] == example

    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog.get_by_text("revoked")).to_be_visible()
    seen.reload()
    expect(seen.get_by_role("heading")).to_have_text("This is gone")
    stranger.close()


def test_pass_dir_is_exported_with_what_the_published_harness_would_refuse(
    page: Page, put_draft: Callable[[str, dict[str, str]], None]
) -> None:
    files = {"A.py": "from .helper import f\n", "helper.py": "f = 1\n", ORDER: '["A"]'}
    put_draft(TASK, files)
    open_task(page, TASK)
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox", name="Command").fill("export pass_dir")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Export pass_dir")
    expect(dialog.get_by_role("listitem").filter(has_text="relative import")).to_contain_text("fails there A.py:1")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == f"{TASK}-pass_dir.zip"
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as folder:
        assert {name.removeprefix("pass_dir/"): folder.read(name).decode() for name in folder.namelist()} == files
        assert json.loads(folder.read(f"pass_dir/{ORDER}")) == ["A"]
