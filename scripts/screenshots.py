"""Pictures of the pages for the documentation, taken from a workbench that really judges a pass.

python scripts/screenshots.py                    start a workbench of our own, write docs/images/*.png
python scripts/screenshots.py --url URL          use one that runs already
python scripts/screenshots.py --all --out FOLDER every state, light and dark, at 1440 and 900 pixels
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from own_workbench import HEIGHT, ROOT, browser_page, workbench
from palette_png import with_palette
from playwright.sync_api import Page

SLUG = "masked-mean-pooling"
PASS = "FuseMaskedMean.py"
START_SECONDS = 90
JUDGE_SECONDS = 120
MEASURE_SECONDS = 600

# What the documentation shows; --all takes every state in every theme and width.
WANTED = {("catalogue", 1440), ("workbench", 1440), ("workbench", 900), ("no-match", 1440)}
ONCE = {
    "empty",
    "running",
    "stale",
    "draft",
    "compare",
    "offline",
    "failed",
    "graph",
    "shared",
    "search",
    "versus",
}  # light, 1440
BOTH = {"slower", "upload", "assistant", "boards", "review"}  # light and dark, 1440 pixels


def main() -> int:
    """Take the pictures; exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a running workbench, for example http://127.0.0.1:8000")
    parser.add_argument("--user", default="admin", help="with --url: who logs in; the password is in PASSNET_PASSWORD")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--all", action="store_true", help="every state in every theme and width")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with workbench(options.url) as (url, name, password), browser_page() as page:
        log_in(page, url, name or options.user, password or os.environ.get("PASSNET_PASSWORD", ""))
        wait_for_device(page, url)
        tour(page, url, Camera(page, options.out, everything=options.all))
    return 0


class Camera:
    """Takes a state of the page in both themes, at one or two widths."""

    def __init__(self, page: Page, folder: Path, *, everything: bool) -> None:
        self._page, self._folder, self._everything = page, folder, everything

    def take(self, state: str) -> None:
        """Write `<state>[-900]-<theme>.png` for each theme and width that is wanted."""
        for width in (900, 1440):
            once = width == 1440 and state in ONCE
            wanted = (state, width) in WANTED or (width == 1440 and state in BOTH)
            if not self._everything and not wanted and not once:
                continue
            self._page.set_viewport_size({"width": width, "height": HEIGHT})
            themes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
            for theme in themes[: 1 if once and not self._everything else 2]:
                self._page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                self._page.mouse.move(0, 0)
                # canvas and editor draw once more after a change of size or theme; scroll bars fade after one of size
                self._page.wait_for_timeout(1500 if theme == themes[0] else 400)
                name = f"{state}{'' if width == 1440 else f'-{width}'}-{theme}.png"
                assert self._page.context.browser is not None
                picture = with_palette(self._page.context.browser, self._page.screenshot())
                (self._folder / name).write_bytes(picture)
                print(f"{name}: {len(picture) // 1024} KB", flush=True)
        self._page.set_viewport_size({"width": 1440, "height": HEIGHT})


def tour(page: Page, url: str, camera: Camera) -> None:
    """An empty workbench, a run going on, its verdict, the catalogue with it, and a pattern that does not match."""
    example = page.request.get(f"{url}/api/tasks/{SLUG}/example").json()["files"]
    broken = {**example, PASS: example[PASS].replace("clamp(count, min=1e-09)", "clamp(count, min=1e-06)")}
    open_workbench(page, url)
    camera.take("empty")
    put_draft(page, url, example)
    open_workbench(page, url)
    press_run(page)
    page.locator(".verdict-line", has_text="judging graph").wait_for(timeout=JUDGE_SECONDS * 1000)
    camera.take("running")
    wait_for_verdict(page)
    page.locator("tr[data-graph]").nth(1).click()
    camera.take("workbench")
    page.locator(".pane-pass .view-line").first.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# typed since")
    page.keyboard.press("ControlOrMeta+Home")
    page.locator(".verdict-line .tag.stale").wait_for()
    camera.take("stale")
    page.goto(url)
    page.wait_for_selector('#catalogue a[href^="/tasks/"]')
    camera.take("catalogue")
    put_draft(page, url, broken)
    open_workbench(page, url)
    press_run(page)
    wait_for_verdict(page)
    camera.take("no-match")
    choose(page, "compare the shown run with the one before")
    page.get_by_role("region", name="Comparison of two runs").wait_for()
    camera.take("compare")
    choose(page, "select every node")
    choose(page, "draft a pass")
    page.locator(".draft-outcome").wait_for()
    page.locator(".live-line", has_text="Matches").wait_for()
    camera.take("draft")
    page.locator(".draft-outcome").get_by_role("button", name="Undo").click()
    page.get_by_role("tab", name="assistant").click()
    page.get_by_role("button", name="Set up a model").click()
    camera.take("assistant")
    states_without_a_server(page, url, camera)
    other_pages(page, url, camera)
    slower(page, url, camera)
    uploads(page, url, camera)
    boards(page, url, camera)
    review(page, url, camera)


def states_without_a_server(page: Page, url: str, camera: Camera) -> None:
    """What stays on the page when the server falls silent, and a page that could not load anything."""
    open_workbench(page, url)
    page.context.set_offline(True)
    page.locator(".reach", has_text="offline").wait_for(timeout=JUDGE_SECONDS * 1000)
    camera.take("offline")
    page.context.set_offline(False)
    page.route("**/api/**", lambda route: route.abort())
    page.goto(f"{url}/tasks/{SLUG}/")
    page.get_by_role("alert").first.wait_for()
    camera.take("failed")
    page.unroute("**/api/**")


def other_pages(page: Page, url: str, camera: Camera) -> None:
    """A graph's own page, a shared run as a visitor sees it, and a saved search."""
    graph = page.request.get(f"{url}/api/tasks/{SLUG}").json()["graphs"][0]["identity"]
    page.goto(f"{url}/graphs/{graph}/")
    page.wait_for_selector(".pane-code .view-line")
    camera.take("graph")
    run = page.request.get(f"{url}/api/tasks/{SLUG}/runs").json()["runs"][-1]["run"]
    page.goto(url + send(page, url, "post", f"/api/tasks/{SLUG}/shares", {"run": run})["path"])
    page.wait_for_selector(".shared")
    camera.take("shared")
    send(page, url, "put", "/api/searches", {"name": "norms in half precision", "address": "?q=norm&dtypes=float16"})
    page.goto(f"{url}/?q=norm&dtypes=float16")
    page.wait_for_selector(".saved-list li.current")
    camera.take("search")


def slower(page: Page, url: str, camera: Camera) -> None:
    """The page of slow graphs without figures, and with those of this machine."""
    page.goto(f"{url}/slower/")
    page.get_by_text("import_baselines").wait_for()
    camera.take("slower-empty")
    open_workbench(page, url)
    page.get_by_role("button", name="Measure eager and Inductor on this machine").click()
    rows = page.locator("tr[data-baseline]").filter(has_text=re.compile(r"\d×"))
    rows.nth(3).wait_for(timeout=MEASURE_SECONDS * 1000)
    page.goto(f"{url}/slower/")
    page.locator("main table tbody tr").first.wait_for()
    camera.take("slower")


def uploads(page: Page, url: str, camera: Camera) -> None:
    """A folder that came in, and an archive that is none."""
    page.goto(f"{url}/upload/")
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "residual-layer-norm"
        shutil.copytree(
            ROOT / "graphs" / "data" / "residual-layer-norm" / "graphs" / "f32_2x14x64", sample / "f32_2x14x64"
        )
        page.locator("#choose-folder").set_input_files(sample)
        mine = page.get_by_role("region", name="Your uploads")
        mine.get_by_role("link").first.wait_for()
        (Path(folder) / "notes.zip").write_text("no archive")
        page.locator("#choose-archive").set_input_files(Path(folder) / "notes.zip")
        mine.get_by_role("alert").wait_for()
    page.get_by_role("button", name="Start from an example").click()
    camera.take("upload")


def boards(page: Page, url: str, camera: Camera) -> None:
    """The board of the shipped tasks, with the results that ship with them."""
    page.goto(f"{url}/boards/?benchmark=shipped")
    page.get_by_role("region", name="Leaderboard").wait_for()
    camera.take("boards")
    page.goto(f"{url}/compare/authors/?benchmark=shipped&b=eager&plot=score")
    page.get_by_role("region", name="Head to head").wait_for()
    camera.take("versus")


def review(page: Page, url: str, camera: Camera) -> None:
    """The queue with the pass that did not match, and its report."""
    page.goto(f"{url}/review/?view=list")
    page.get_by_role("region", name="Nearest miss of").wait_for()
    page.locator(".review-editor .view-line").first.wait_for()
    camera.take("review")
    page.goto(f"{url}/reports/task/{SLUG}/")
    page.get_by_role("img", name="Failures by cause").wait_for()
    camera.take("report")


def choose(page: Page, words: str) -> None:
    """Choose a command of the palette."""
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox", name="Command").fill(words)
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)


def log_in(page: Page, url: str, name: str, password: str) -> None:
    """Log in; choose another password when this one is for one time only."""
    page.goto(f"{url}/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_load_state()
    if page.get_by_label("One-time password").count():
        page.get_by_label("One-time password").fill(password)
        for label in ("New password", "New password again"):
            page.get_by_label(label, exact=True).fill(f"not {password}")
        page.get_by_role("button", name="Set the password").click()
    page.wait_for_selector("#catalogue")


def open_workbench(page: Page, url: str) -> None:
    """Load the task's page and wait until its editor can be used."""
    page.goto(f"{url}/tasks/{SLUG}/")
    page.wait_for_selector(".monaco-editor .view-line")
    page.wait_for_selector(".run-button:enabled")


def press_run(page: Page) -> None:
    """Press Run and wait until the page says that it runs."""
    page.locator(".run-button").click()
    page.wait_for_selector(".run-button:disabled")


def wait_for_verdict(page: Page) -> None:
    """Wait until the run is over."""
    page.wait_for_selector(".run-button:enabled", timeout=JUDGE_SECONDS * 1000)
    page.wait_for_selector(".device-state.correct")


def put_draft(page: Page, url: str, files: dict[str, str]) -> None:
    """Store the files as this browser's draft."""
    address = f"{url}/api/tasks/{SLUG}/draft"
    version = page.request.get(address).json()["version"]
    send(page, url, "put", address.removeprefix(url), {"files": files, "version": version})


def send(page: Page, url: str, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """A write of the API, as this browser would make it."""
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "csrftoken")
    headers = {"Origin": url, "X-CSRFToken": token}
    answer = page.request.fetch(f"{url}{path}", method=method.upper(), data=body, headers=headers)
    if not answer.ok:
        raise SystemExit(f"{method} {path} was refused: {answer.status} {answer.text()}")
    answered: dict[str, Any] = answer.json()
    return answered


def wait_for_device(page: Page, url: str) -> None:
    """Wait until the evaluator has warmed up."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        devices = page.request.get(f"{url}/api/devices").json()["devices"]
        if devices and devices[0]["status"] == "ready":
            return
        time.sleep(0.5)
    raise SystemExit(f"the evaluator is not ready after {START_SECONDS} s: {devices}")


if __name__ == "__main__":
    sys.exit(main())
