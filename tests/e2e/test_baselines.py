"""A person has eager and Inductor measured on the workbench's page: for real, in the sandbox, with a compiler."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

pytestmark = pytest.mark.e2e

TASK = "gated-tanh-gelu"
MEASURE = "Measure eager and Inductor on this machine"
MEASURED = 420_000  # ms: the first compile of a process takes some ten seconds, many more on a busy machine


def test_eager_and_inductor_are_measured_on_the_page(context: BrowserContext, page: Page) -> None:
    page.goto(f"/tasks/{TASK}/")
    section = page.get_by_role("region", name="Baselines")
    expect(section).to_contain_text("not measured yet")

    # Cancelled while it is at it: nothing is left of it but the word.
    section.get_by_role("button", name=MEASURE).click()
    section.get_by_role("button", name="Cancel measuring").click()
    expect(section).to_contain_text("The last measurement was cancelled.")

    section.get_by_role("button", name=MEASURE).click()
    names = [graph["name"] for graph in context.request.get(f"/api/tasks/{TASK}").json()["graphs"]]
    for name in names:
        row = section.locator(f'tr[data-baseline="{name}"]')
        expect(row).to_contain_text(re.compile(r"\d×"), timeout=MEASURED)
        expect(row).to_contain_text(re.compile(r"faster|slower|same|inconclusive"))
    expect(section.get_by_role("button", name=MEASURE)).to_be_enabled()
    expect(section).to_contain_text("CPU, eager against Inductor's CPU compile")
    expect(section).to_contain_text(re.compile(r"e2e · direct entry · 1 thread · torch \d"))
    expect(section).to_contain_text("its speed needs a GPU worker")

    # The numbers of the page are those of the API, and belong to no submission.
    said = context.request.get(f"/api/tasks/{TASK}/baselines").json()
    assert [row["graph"] for row in said["rows"]] == names and said["measuring"]["state"] == "done"
    assert all(row["kernels"] >= 1 and row["origin"] == "" for row in said["rows"])
    assert context.request.get(f"/api/tasks/{TASK}/runs").json()["runs"] == []

    page.reload()
    expect(page.get_by_role("region", name="Baselines").locator("tr[data-baseline]")).to_have_count(len(names))
    page.goto("/")
    expect(page.get_by_text(re.compile(r"^cpu: Inductor .+ on \d of \d$"))).to_have_count(1)
