"""The main road in a real browser: read a graph, write a pass, run it, read the verdict."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import (
    expect_headline,
    finish,
    open_row,
    open_task,
    replace_text,
    row,
    run,
    start,
    wait_until_judging,
)

pytestmark = pytest.mark.e2e

POOLING = "masked-mean-pooling"
ORDER = "sorted_output_pass_rule_names.json"


def pass_file(files: dict[str, str]) -> str:
    return next(name for name in files if name.endswith(".py"))


def test_a_pass_written_in_the_browser_is_judged_graph_by_graph(
    context: BrowserContext, page: Page, example: dict[str, str], put_draft
) -> None:
    put_draft(POOLING, {"MyPass.py": "# to be written\n", "sorted_output_pass_rule_names.json": '["MyPass"]\n'})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    page.get_by_role("link", name="Masked mean pooling", exact=True).click()
    page.wait_for_selector(".run-button:enabled")
    with page.expect_response(lambda answer: answer.url.endswith("/draft") and answer.request.method == "PUT"):
        replace_text(page, example[pass_file(example)])
    expect(page.get_by_text(re.compile(r"^saved"))).to_be_visible()
    saved = context.request.get(f"/api/tasks/{POOLING}/draft").json()["files"]
    assert saved["MyPass.py"] == example[pass_file(example)]

    run(page)
    graphs = context.request.get(f"/api/tasks/{POOLING}").json()["graphs"]
    assert len(graphs) >= 3
    for graph in graphs:
        cells = row(page, graph["name"])
        expect(cells).to_contain_text("correct")
        expect(cells).to_contain_text("5 → 1")  # mul, sum, sum, clamp, div against one kernel
    expect_headline(page, f"correct on {len(graphs)} of {len(graphs)} graphs")
    expect(page.get_by_text("speed needs a GPU worker", exact=True)).to_be_visible()

    page.get_by_role("button", name="after").click()
    expect(page.locator("#graph-nodes li", has_text="masked_mean")).to_have_count(1)


def test_reloading_in_the_middle_of_a_run_loses_nothing(page: Page, context, example, put_draft) -> None:
    put_draft(POOLING, example)
    open_task(page, POOLING)
    start(page)
    wait_until_judging(page)
    page.reload()
    page.wait_for_selector(".monaco-editor .view-line")
    finish(page)
    expect_headline(page, "correct on 4 of 4 graphs")
    newest = context.request.get(f"/api/tasks/{POOLING}/runs").json()["runs"][0]["run"]
    events = context.request.get(f"/api/runs/{newest}/events?after=0&limit=500").json()["events"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events].count("graph_done") == 4


def test_a_connection_cut_in_the_middle_of_a_run_is_made_up_for(page: Page, context, example, put_draft) -> None:
    put_draft(POOLING, example)
    open_task(page, POOLING)
    start(page)
    wait_until_judging(page)
    context.set_offline(True)
    page.wait_for_timeout(3000)
    context.set_offline(False)
    finish(page)
    expect_headline(page, "correct on 4 of 4 graphs")


def test_a_failing_match_shows_its_nearest_miss_on_the_graph(page: Page, example, put_draft) -> None:
    name = pass_file(example)
    broken = {**example, name: example[name].replace("min=1e-09", "min=1e-06")}
    assert broken != example
    put_draft(POOLING, broken)
    open_task(page, POOLING)
    run(page)
    expect_headline(page, "no match")
    open_row(row(page, "f32_2x12x48"))
    miss = page.get_by_role("region", name=re.compile("Nearest miss")).first
    expect(miss).to_contain_text("4 of 5 pattern nodes fit")
    expect(miss.locator("tbody tr")).to_contain_text(["1e-06", "1e-09"][:1])
    expect(miss.locator(".sides")).to_contain_text("tmp_3")
    miss.get_by_role("button", name=re.compile("tmp_3 = ")).click()
    expect(page.locator(".graph-details")).to_contain_text("torch.clamp")


def test_a_result_of_older_code_says_stale(page: Page, example, put_draft) -> None:
    put_draft(POOLING, example)
    open_task(page, POOLING)
    run(page)
    expect(page.locator(".verdict-line .tag.stale")).to_have_count(0)
    page.locator(".monaco-editor .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# newer")
    expect(page.locator(".verdict-line .tag.stale")).to_be_visible()
    page.keyboard.press("ControlOrMeta+Z")
    for _ in range(6):
        page.keyboard.press("ControlOrMeta+Z")
    expect(page.locator(".verdict-line .tag.stale")).to_have_count(0)


def test_a_link_to_a_run_that_is_not_there_leaves_run_free(page: Page) -> None:
    page.goto(f"/tasks/{POOLING}/?run=00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text("This run cannot be shown")).to_be_visible()
    expect(page.locator(".run-button")).to_be_enabled()
    expect(page.get_by_text("Download the run's data")).to_have_count(0)


def test_cancel_ends_a_run_that_would_not_end(page: Page, example, put_draft) -> None:
    name = pass_file(example)
    endless = {**example, name: example[name].replace("    B, T, H = tokens.shape", "    while True:\n        pass")}
    assert endless != example
    put_draft(POOLING, endless)
    open_task(page, POOLING)
    start(page)
    wait_until_judging(page)
    page.get_by_role("button", name="Cancel").click()
    finish(page)
    expect_headline(page, "cancelled")


def test_what_is_typed_survives_a_reload(page: Page, context: BrowserContext, put_draft, example) -> None:
    put_draft(POOLING, example)
    open_task(page, POOLING)
    page.locator(".monaco-editor .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# kept: größer 𝒙")
    page.reload()  # at once: nothing had the time to be saved
    page.wait_for_selector(".monaco-editor .view-line")
    page.locator(".monaco-editor .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+End")
    expect(page.locator(".monaco-editor .view-lines").first).to_contain_text("größer")


def test_two_pages_that_edit_one_draft_get_a_choice(page: Page, context: BrowserContext, put_draft, example) -> None:
    put_draft(POOLING, example)
    open_task(page, POOLING)
    put_draft(POOLING, {**example, "theirs.py": "x = 1\n"})
    page.locator(".monaco-editor .view-lines").first.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# mine")
    conflict = page.get_by_role("alertdialog")
    expect(conflict).to_contain_text("theirs.py")
    conflict.get_by_role("button", name="Take everything of theirs").click()
    expect(page.get_by_role("tab", name="theirs.py")).to_be_visible()


def test_a_node_and_its_line_light_up_together(page: Page) -> None:
    open_task(page, POOLING)
    page.locator("canvas").first.focus()
    page.keyboard.press("n")
    expect(page.locator(".graph-details strong")).to_have_text("tmp_0")
    code = page.get_by_label("Code", exact=True)
    expect(code.locator(".line-selected")).to_have_count(1)
    code.locator(".view-line", has_text="clamp(tmp_2").click()
    expect(page.locator(".graph-details strong")).to_have_text("tmp_3")


def test_a_broken_file_says_where(page: Page, example, put_draft) -> None:
    name = pass_file(example)
    put_draft(POOLING, {**example, name: example[name] + "\ndef broken(:\n"})
    open_task(page, POOLING)
    run(page)
    expect_headline(page, "rejected")
    open_row(row(page, "f32_2x12x48"))
    line = (example[name] + "\n").count("\n") + 1
    expect(page.locator(".row-details").first).to_contain_text(f"{name}:{line}")


def test_the_order_list_writes_the_order_file(page: Page, context: BrowserContext, example, put_draft) -> None:
    name = pass_file(example)
    put_draft(POOLING, {**example, "Second.py": example[name]})
    open_task(page, POOLING)
    page.get_by_role("checkbox", name=re.compile("Second")).check()
    expect(page.get_by_text(re.compile(r"^saved"))).to_be_visible()
    page.wait_for_timeout(1500)
    saved = context.request.get(f"/api/tasks/{POOLING}/draft").json()["files"]
    assert json.loads(saved[ORDER]) == [name.removesuffix(".py"), "Second"]
