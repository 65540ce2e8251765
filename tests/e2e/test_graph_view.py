"""The graph in a real browser: one selection, passes one by one, whole models folded, the frame that is remembered."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import ROOT, Running
from tests.e2e.steps import command, open_task, run
from tests.graphs.whole_graph import whole_graph

pytestmark = pytest.mark.e2e

POOLING = "masked-mean-pooling"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"

SUM = """
import torch
import triton
import triton.language as tl


def pattern(tokens, mask):
    weighted = tokens * mask
    return torch.sum(weighted, 1)


def replacement_args(tokens, mask):
    return (tokens, mask)


@triton.jit
def weighted_sum_kernel(x_ptr, m_ptr, out_ptr, T, H, BLOCK_T: tl.constexpr, BLOCK_H: tl.constexpr):
    columns = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    rows = tl.arange(0, BLOCK_T)
    inside = (rows[:, None] < T) & (columns[None, :] < H)
    at = (tl.program_id(0) * T + rows[:, None]) * H + columns[None, :]
    dtype = out_ptr.dtype.element_ty
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    m = tl.load(m_ptr + at, mask=inside, other=0.0).to(tl.float32)
    total = tl.sum((x * m).to(dtype).to(tl.float32), axis=0)
    tl.store(out_ptr + tl.program_id(0) * H + columns, total.to(dtype), mask=columns < H)


@torch.fx.wrap
def weighted_sum(tokens, mask):
    B, T, H = tokens.shape
    out = torch.empty((B, H), dtype=tokens.dtype, device=tokens.device)
    grid = (B, triton.cdiv(H, 64))
    weighted_sum_kernel[grid](tokens, mask, out, T, H, BLOCK_T=triton.next_power_of_2(T), BLOCK_H=64)
    return out


def replacement_func():
    return weighted_sum
"""

DIVIDE = """
import torch
import triton
import triton.language as tl


def pattern(total, count):
    safe_count = torch.clamp(count, min=1e-09)
    return total / safe_count


def replacement_args(total, count):
    return (total, count)


@triton.jit
def divide_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    dtype = out_ptr.dtype.element_ty
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + at, mask=inside, other=1.0).to(tl.float32)
    y = tl.maximum(y, 1e-09).to(dtype).to(tl.float32)
    tl.store(out_ptr + at, (x / y).to(dtype), mask=inside)


@torch.fx.wrap
def divide(total, count):
    out = torch.empty_like(total)
    n = total.numel()
    divide_kernel[(triton.cdiv(n, 128),)](total, count, out, n, BLOCK=128)
    return out


def replacement_func():
    return divide
"""


def canvas(page: Page) -> Locator:
    return page.locator(".graph-canvas > canvas")


def nodes(page: Page) -> Locator:
    """What a screen reader reads instead of the drawing."""
    return page.locator("#graph-nodes li")


def selected_lines(page: Page) -> Locator:
    return page.locator(".pane-code .line-selected-edge")


def test_one_selection_and_the_passes_one_by_one(page: Page, put_draft) -> None:
    order = json.dumps(["WeightedSum", "Divide"])
    put_draft(POOLING, {"sorted_output_pass_rule_names.json": order, "WeightedSum.py": SUM, "Divide.py": DIVIDE})
    open_task(page, POOLING)
    expect(nodes(page)).to_have_count(6)  # five operators and the output

    # by keyboard: the mask's sum, then what feeds it and what uses it
    canvas(page).focus()
    for _ in range(2):
        page.keyboard.press("n")
    expect(selected_lines(page)).to_have_count(1)
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator(".selection-line")).to_contain_text("2 nodes selected")
    expect(selected_lines(page)).to_have_count(2)
    page.keyboard.press("Alt+ArrowLeft")
    expect(page.locator(".selection-line")).to_have_count(0)
    # by a rectangle over everything
    box = canvas(page).bounding_box()
    assert box
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] - 3, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator(".selection-line")).to_contain_text("6 nodes selected")
    canvas(page).focus()
    page.keyboard.press("Escape")
    expect(page.locator(".selection-line")).to_have_count(0)

    run(page)
    page.locator(".pane-graph").get_by_role("button", name="before", exact=True).click()
    canvas(page).focus()
    page.keyboard.press(".")
    expect(nodes(page).filter(has_text="weighted_sum")).to_have_count(1)
    expect(nodes(page).filter(has_text="clamp")).to_have_count(1)
    assert "step=0" in page.url
    page.keyboard.press(".")
    expect(nodes(page).filter(has_text="divide")).to_have_count(1)
    expect(nodes(page).filter(has_text="clamp")).to_have_count(0)
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(nodes(page)).to_have_count(6)

    # what becomes one is a group
    page.get_by_label("Colour by").select_option("group")
    expect(page.locator(".legend")).to_contain_text("group 2")
    page.get_by_label("Colour by").select_option("time")
    expect(page.locator(".legend")).to_contain_text("GPU")
    page.get_by_label("Colour by").select_option("operator")
    with page.expect_download() as download:
        page.get_by_label("Export the drawing").select_option("svg")
    svg = Path(download.value.path()).read_text()
    assert svg.startswith("<svg") and "clamp" in svg and "<script" not in svg


def test_a_whole_model_is_folded_into_its_layers_and_searched(page: Page, running: Running, tmp_path: Path) -> None:
    source = whole_graph(30)  # 600 operators
    folder = tmp_path / "whole-model"
    folder.mkdir()
    meta = {"framework": "torch", "model_name": "thirty layers"}
    files = {"model.py": source, "weight_meta.py": "", "input_meta.py": "", "graph_net.json": json.dumps(meta)}
    files["graph_hash.txt"] = hashlib.sha256(source.encode()).hexdigest()
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [sys.executable, "manage.py", "import_graphs", str(folder)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **running.environment}, check=True, capture_output=True)

    page.goto("/tasks/whole-model/")
    expect(nodes(page).filter(has_text="of 30")).to_have_count(30)
    expect(nodes(page)).to_have_count(33)  # and the mask's two operators, and the output
    canvas(page).focus()
    page.keyboard.press("/")
    page.get_by_label("Search nodes").fill("softmax")
    expect(page.locator(".graph-search")).to_contain_text("30 of 603")
    page.keyboard.press("Enter")
    expect(nodes(page)).to_have_count(52)  # one layer of twenty has opened
    expect(page.locator(".graph-node-line")).to_contain_text("probs_0")
    expect(page.locator(".graph-node-line")).to_contain_text("block 1 of 30")
    page.get_by_role("button", name="fold 30 blocks").or_(page.get_by_role("button", name="open 30 blocks")).click()
    expect(nodes(page)).to_have_count(603)


def test_the_frame_is_remembered_carried_by_a_link_and_free_of_serious_faults(page: Page) -> None:
    open_task(page, POOLING)
    page.get_by_role("button", name="Collapse pass").click()
    page.get_by_role("separator", name="Height of the dock").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".pane-pass.collapsed")).to_have_count(1)
    link = page.url
    assert "layout=" in link
    page.goto(f"/tasks/{POOLING}/")
    expect(page.locator(".pane-pass.collapsed")).to_have_count(1)

    command(page, "reset the layout")
    expect(page.locator(".pane-pass.collapsed")).to_have_count(0)
    page.goto(link)
    expect(page.locator(".pane-pass.collapsed")).to_have_count(1)
    page.goto(f"/tasks/{POOLING}/")  # a link's layout is only looked at
    expect(page.locator(".pane-pass.collapsed")).to_have_count(0)

    command(page, "colour the graph by dtype")
    expect(page.locator(".legend")).to_contain_text("f32")

    page.wait_for_selector(".pane-code .view-line")
    for width in (1440, 900):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert serious(page) == []


def serious(page: Page) -> list[str]:
    """What axe calls serious or critical, outside of Monaco's own insides."""
    page.evaluate(AXE.read_text())
    found = page.evaluate(
        """async () => (await axe.run({exclude: [['.monaco-editor']]}, {resultTypes: ['violations']})).violations
          .filter((one) => ['serious', 'critical'].includes(one.impact))
          .map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`)"""
    )
    return list(found)
