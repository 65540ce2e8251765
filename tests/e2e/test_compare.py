"""A shipped run and an imported submission beside each other, in a real browser, in both themes."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import import_run
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

TASK = "published-roll-norm"
LONG = "another model whose name is much longer than the column that it has to stand in on this page"


def test_a_run_and_an_imported_submission_beside_each_other(page: Page, workbench: str, tmp_path: Path) -> None:
    files = {
        "A.py": "def pattern(a):\n    return a\n",
        "sorted_output_pass_rule_names.json": '["A"]',
        "score.txt": "1.25",
    }
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    told = {f"run/{TASK}/pass_dir/{name}": text for name, text in files.items()}
    import_run(page, tmp_path / "run.zip", LONG, told)
    link = page.get_by_role("region", name="Submissions").get_by_role("link", name="open").first.get_attribute("href")
    assert link is not None
    number = link.rstrip("/").rsplit("/", 1)[1]
    example = page.request.get(f"{workbench}/api/tasks/{TASK}/runs").json()["examples"][0]["run"]

    page.goto(f"/compare/?of={example}&of=s{number}")
    sides = page.get_by_role("region", name="Submissions as a table")
    expect(sides.get_by_role("row").filter(has_text=LONG)).to_contain_text("1.250")
    expect(page.get_by_text("B not evaluated")).to_be_visible()
    results = page.get_by_role("region", name="Results graph by graph")
    expect(results.get_by_role("row").nth(1)).to_contain_text("correct")
    expect(page.get_by_role("application").first).to_be_visible()
    expect(page.get_by_role("region", name="Kernels by name")).to_be_visible()
    expect(page.get_by_role("img", name="ES_t from")).to_be_visible()
    for theme in ("light", "dark"):
        for width in (1440, 900):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            assert serious(page) == [], (theme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    results.get_by_role("button").nth(1).press("Enter")
    expect(page).to_have_url(re.compile("graph="))
    page.goto(f"/compare/?of={example}")
    expect(page.get_by_role("alert")).to_contain_text("two to six can be compared")
    assert problems == []
