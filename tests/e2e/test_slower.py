"""Which graphs get slower under the compiler, in a real browser: empty, measured, filtered, saved, by keyboard."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import ROOT, Running
from tests.e2e.test_graph_view import serious

pytestmark = pytest.mark.e2e

TASK = "masked-mean-pooling"
WAYS = (("e2e", "direct"), ("e2e", "compiled"), ("graph", "direct"), ("kernel", "direct"))


@pytest.fixture
def figures(running: Running, context: BrowserContext, tmp_path: Path) -> list[dict[str, str]]:
    """A file of figures of the task's graphs, imported as a person does: the first is slower by kernel with as many
    launches, the second through torch.compile alone, the others by no way."""
    graphs: list[dict[str, str]] = context.request.get(f"/api/tasks/{TASK}").json()["graphs"]
    lines = []
    for place, graph in enumerate(graphs):
        for method, entry in WAYS:
            slow = place == 0 or (place == 1 and entry == "compiled")
            ratio = 0.5 if slow else 2.0
            lines.append(
                {
                    "graph": graph["name"],
                    "identity": graph["identity"],
                    "device": "cuda:Test",
                    "processor": "A test's own figures",
                    "versions": {"torch": "2.13.0", "harness": "e2e"},
                    "entry": entry,
                    "method": method,
                    "eager_us": 40.0,
                    "inductor_us": 40.0 / ratio,
                    "ratio": {"value": ratio, "low": ratio * 0.99, "high": ratio * 1.01},
                    "word": "slower" if slow else "faster",
                    "eager_kernels": 3,
                    "inductor_kernels": 3 if place == 0 else 1,
                    "measured_at": "2026-11-01T00:00:00+00:00",
                }
            )
    file = tmp_path / "figures.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [sys.executable, "manage.py", "import_baselines", str(file)]
    subprocess.run(command, cwd=ROOT, env=running.environment, check=True, capture_output=True)
    return graphs


def test_the_page_teaches_until_there_are_figures_and_then_tells_the_reasons_apart(
    page: Page, figures: list[dict[str, str]]
) -> None:
    empty = {"contexts": [], "context": None, "graphs": 0, "total": 0, "shares": [], "facets": {}, "rows": []}
    page.route("**/api/slower?*", lambda route: route.fulfill(json=empty))
    page.goto("/slower/")
    expect(page.get_by_role("heading", name="No compiler was measured yet")).to_be_visible()
    expect(page.locator("main")).to_contain_text("python -m evaluator baseline TASK_DIR --device cuda --json")
    expect(page.locator("main")).to_contain_text("python manage.py import_baselines")
    assert serious(page) == []
    page.unroute("**/api/slower?*")

    page.goto("/")
    page.get_by_role("link", name="slower under the compiler").click()
    measured = page.get_by_label("Measured on")
    option = measured.locator("option", has_text="Test · Inductor · torch 2.13.0 · harness e2e")
    measured.select_option(value=option.get_attribute("value"))
    expect(page).to_have_url(re.compile(r"\?context=[0-9a-f]{12}$"))
    rows = page.locator("#slower-table tbody tr")
    expect(rows).to_have_count(len(figures))
    expect(rows.first).to_contain_text("kernel quality")
    expect(rows.first).to_contain_text("3 → 3")
    replay = page.locator('tr[data-way="graph-direct"]')
    expect(replay).to_contain_text("CUDA-graph replay")
    expect(replay).to_contain_text(f"{round(100 / len(figures))} %")

    # A reason narrows list and shares; the address carries it, and the file holds just that.
    page.get_by_role("button", name=re.compile("host overhead")).click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(figures[1]["name"])
    expect(page).to_have_url(re.compile("reason=host"))
    page.reload()
    expect(rows).to_have_count(1)
    with page.expect_download() as saved:
        page.get_by_role("link", name="CSV").first.click()
    table = list(csv.DictReader(Path(saved.value.path()).read_text().splitlines()))
    assert {row["identity"] for row in table} == {figures[1]["identity"]}
    assert sorted((row["method"], row["entry"]) for row in table) == sorted(WAYS)
    page.get_by_role("button", name="Clear").click()
    expect(rows).to_have_count(len(figures))

    # Words, sort and rows by keyboard.
    page.keyboard.press("/")
    page.keyboard.type(figures[1]["name"])
    expect(rows).to_have_count(1)
    page.keyboard.press("Escape")
    expect(rows).to_have_count(len(figures))
    page.get_by_role("button", name="e2e compiled").click()
    expect(page.get_by_role("columnheader", name="e2e compiled")).to_have_attribute("aria-sort", "ascending")
    rows.first.get_by_role("link").focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1).get_by_role("link")).to_be_focused()

    for theme in ("light", "dark"):
        for width in (1440, 900):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            expect(page.get_by_role("img", name=re.compile("CUDA-graph replay: slower on"))).to_be_visible()
            assert serious(page) == [], (theme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Enter")
    page.wait_for_url("**/graphs/*/")
