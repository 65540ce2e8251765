"""Results in a real browser: a measured run for those without a GPU, a job out and its results in, runs compared."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.steps import command, open_task, row, run
from tests.submissions.results_files import events, results_file

pytestmark = pytest.mark.e2e

SHIPPED = "published-masked-mean-pooling"
GRAPH = "f32_4x128x384"
EXAMPLE = Path(__file__).parents[2] / "graphs" / "data" / SHIPPED


def in_the_file(graph: str) -> dict[str, float]:
    """By method: eager / pass in the run that ships with the task. It is measured anew now and then."""
    lines = (EXAMPLE / "example_run.jsonl").read_text().splitlines()
    done = (event for event in map(json.loads, lines) if event.get("event") == "graph_done")
    return next(dict(event["speedup"]) for event in done if event["graph"] == graph)


def test_without_a_gpu_a_full_verdict_is_seen_in_the_shipped_example(page: Page) -> None:
    page.goto(f"/tasks/{SHIPPED}/")
    page.locator(".example-line").get_by_role("button", name="Show it").click()
    expect(page.locator(".origin")).to_contain_text("example run")
    expect(page.locator(".origin")).to_contain_text("measured on one NVIDIA H200")
    expect(page.locator(".verdict-line")).not_to_contain_text("stale")
    found = row(page, GRAPH)
    said = in_the_file(GRAPH)
    expect(found).to_contain_text(f"{said['e2e']:.2f}×")
    found.click()

    story = page.locator(".row-details")
    for question in ("Did it match?", "Is it right?", "Is it faster?", "Why?", "What next?"):
        expect(story.get_by_role("region", name=question)).to_be_visible()
    expect(story.get_by_role("region", name="Is it faster?")).to_contain_text(f"{said['graph']:.2f}× ±0.0")
    expect(story.get_by_role("region", name="Why?")).to_contain_text("5 launches became 1.")
    samples = story.get_by_role("figure", name="Time of one call")
    expect(samples.get_by_role("img")).to_have_attribute("aria-label", re.compile(r"^e2e direct\. eager: median"))
    story.get_by_role("button", name="graph", exact=True).click()
    expect(samples.get_by_role("img")).to_have_attribute("aria-label", re.compile(r"^graph direct\. eager: median 1\d"))
    samples.get_by_role("button", name="Table").click()
    expect(samples.get_by_role("columnheader", name="Inductor µs")).to_be_visible()
    with page.expect_download() as kept:
        samples.get_by_role("button", name="CSV").click()
    assert Path(kept.value.path()).read_text().splitlines()[0] == "round,eager µs,Inductor µs,yours µs"
    lanes = story.get_by_role("figure", name="Kernels of one call")
    with page.expect_download() as kept:
        lanes.get_by_role("button", name="SVG").click()
    drawn = Path(kept.value.path()).read_text()
    assert "pooling_kernel" in drawn and "class=" not in drawn and "var(--" not in drawn
    lanes.locator(".segment.shows").first.click()  # eager's first kernel is the multiplication's
    expect(page.locator(".graph-details strong")).to_have_text("tmp_0")
    kernels = story.get_by_role("region", name="Kernels").get_by_role("listitem")
    expect(kernels.and_(page.locator("[aria-current=true]")).first).to_contain_text("MulFunctor")
    story.get_by_role("button", name="0", exact=True).first.click()  # the output, and the node it is the value of
    expect(page.locator(".graph-details strong")).to_have_text("tmp_4")
    expect(story.locator("tr.is-selected").first).to_be_visible()
    expect(kernels.and_(page.locator("[aria-current=true]")).first).to_contain_text("DivFunctor")

    page.goto(page.url)  # the address names the run and the row
    expect(page.locator(f'tr[data-graph="{GRAPH}"]')).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".origin")).to_be_visible()

    # Every row has an address: the palette opens it, and Copy link names the row that it stands in.
    command(page, "go to the result of bf16_4x128x384")
    expect(row(page, "bf16_4x128x384")).to_have_attribute("aria-expanded", "true")
    expect(page).to_have_url(re.compile("row=bf16_4x128x384"))
    page.locator(".row-details").first.get_by_role("button", name="Copy link").click()
    expect(page).to_have_url(re.compile(f"row={GRAPH}"))
    command(page, "go to node tmp_3")
    expect(page.locator(".graph-details strong")).to_have_text("tmp_3")


def test_a_bundle_goes_out_and_its_results_come_back(page: Page, context: BrowserContext, tmp_path: Path) -> None:
    open_task(page, "rms-norm")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Export bundle").click()
    assert re.fullmatch(r"rms-norm-r\d+-precise\.zip", kept.value.suggested_filename)
    names = [graph["name"] for graph in context.request.get("/api/tasks/rms-norm").json()["graphs"]]
    results = tmp_path / "results.jsonl"
    results.write_text(results_file(Path(kept.value.path()).read_bytes(), events(tuple(names))))
    page.get_by_label("File of results").set_input_files(results)
    expect(page.locator(".origin")).to_contain_text("measured on NVIDIA H200")
    expect(row(page, names[0])).to_contain_text("2.00×")

    forged = [json.loads(line) for line in results.read_text().splitlines()]
    forged[-1]["aggregate_score"] = 99
    results.write_text("\n".join(map(json.dumps, forged)))
    page.get_by_label("File of results").set_input_files(results)
    expect(page.get_by_text("does not follow from ES_t")).to_be_visible()


LINES = 20_000  # 109 KB
PRINTS = f'print("\\n".join(map(str, range({LINES}))))\n'


def test_runs_are_drawn_pinned_and_compared_and_a_flood_of_output_stays_light(
    page: Page, example: dict[str, str], put_draft
) -> None:
    slug, name = "masked-mean-pooling", next(name for name in example if name.startswith("Fuse"))
    put_draft(slug, {**example, name: example[name].replace("min=1e-09", "min=1e-06")})
    open_task(page, slug)
    run(page)
    put_draft(slug, {**example, name: PRINTS + example[name]})
    open_task(page, slug)
    run(page)
    page.get_by_role("tab", name=re.compile("^log")).click()
    expect(page.locator(".log-line").last).to_contain_text("the rest is in the file of the run's output")
    expect(page.get_by_text("cut: the log shows its first 64 KB")).to_be_visible()
    with page.expect_download() as kept:
        page.get_by_role("link", name="Download all of it").click()
    assert Path(kept.value.path()).read_text().splitlines() == [str(number) for number in range(LINES)]
    assert page.locator(".log-line").count() < 200

    page.get_by_role("tab", name=re.compile("^history")).click()
    expect(page.get_by_role("figure", name="Revisions").locator(".run-mark").nth(1)).to_be_visible()
    command(page, "compare the shown run with the one before")
    compared = page.get_by_role("region", name="Comparison of two runs")
    expect(compared.locator("tbody tr").first).to_contain_text("now correct")
    page.reload()
    expect(page.get_by_role("region", name="Comparison of two runs")).to_be_visible()
