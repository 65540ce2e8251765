"""A run folder comes in and its author stands on a board, in a real browser: by mouse, by keyboard, in both themes."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

TASK, UNKNOWN = "masked-mean-pooling", "0123456789abcdef" * 4
LONG = "a model with a name that is longer than any column of a board would ever want to be, by far"


def test_a_run_folder_comes_in_and_its_author_stands_on_a_board(page: Page, tmp_path: Path) -> None:
    archive = tmp_path / "run.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for task, score in ((TASK, "1.25"), (UNKNOWN, "0.5")):
            file.writestr(f"run/{task}/pass_dir/A.py", f'"""{score}"""\n')
            file.writestr(f"run/{task}/pass_dir/sorted_output_pass_rule_names.json", '["A"]')
            file.writestr(f"run/{task}/pass_dir/score.txt", score)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto("/")
    page.get_by_role("link", name="Boards", exact=True).click()
    expect(page.get_by_text("Published, not measured here")).to_be_hidden()
    page.get_by_text("The published table, for reference").click()
    expect(page.get_by_role("row", name="TorchInductor (default mode) 0.706 0.846 85.0 20.3")).to_be_visible()

    page.goto("/boards/import/")
    page.get_by_label("Author").fill(LONG)
    page.get_by_label("Archive").set_input_files(archive)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status").filter(has_text="2 new")).to_be_visible()
    page.get_by_role("link", name="Show what").click()
    submissions = page.get_by_role("region", name="Submissions")
    expect(submissions.get_by_role("row").filter(has_text=UNKNOWN)).to_contain_text("its graphs are not here")
    submissions.get_by_role("row").filter(has_text=UNKNOWN).get_by_role("link", name="open").click()
    expect(page.get_by_text("Reported score 0.500")).to_be_visible()
    assert serious(page) == []

    page.goto("/boards/?benchmark=handed-in&context=reported")
    board = page.get_by_role("region", name="Leaderboard")
    expect(board.get_by_role("row").filter(has_text=LONG)).to_contain_text("0.791")  # √(1.25 × 0.5)
    board.get_by_role("link", name="AS").focus()
    expect(page.get_by_role("tooltip").filter(has_text="own run reported")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("sort=-as"))
    heat = page.get_by_role("region", name="Results task by task")
    expect(heat.get_by_role("cell", name="1.25")).to_be_visible()
    for theme in ("light", "dark"):
        for width in (1440, 900):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            assert serious(page) == [], (theme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})

    with page.expect_download() as download:
        page.get_by_role("link", name="JSON").click()
    saved = json.loads(Path(download.value.path()).read_text())
    assert [row["author"] for row in saved["rows"]] == [LONG] and saved["reported"]
    page.get_by_label("Benchmark").select_option("shipped")
    expect(page).to_have_url(re.compile("benchmark=shipped"))
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox", name="Command").fill("go to the catalogue")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r":\d+/$"))
    assert problems == []
