"""Measures the drawing of whole graphs in Chromium without a GPU: `python tests/bench/bench_graph_view.py`.

Starts a workbench of its own, imports made-up graphs of 5,800 and 20,000 drawn nodes, and measures
the first paint after opening the page, and frames a second while panning and zooming. The targets: 5,800 nodes painted
within 2 s and 50 frames a second; 20,000 usable.
"""

import argparse
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "graphs")]

from whole_graph import whole_graph  # noqa: E402

from tests.http_session import PASSWORD, first_login  # noqa: E402

LAYERS = {"5800": 290, "20000": 1000}  # a layer is 20 nodes
START_SECONDS = 180

# Moves for so many seconds, one event a frame, and returns the gaps between frames in milliseconds.
MOVE = """
([kind, seconds]) => new Promise((done) => {
  const canvas = document.querySelector('.graph-canvas canvas');
  const box = canvas.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const gaps = [];
  let last = null, start = null, count = 0;
  const pointer = (type, dy) => canvas.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, button: 0, buttons: 1, clientX: x, clientY: y + dy, bubbles: true, isPrimary: true,
  }));
  canvas.setPointerCapture = () => {};
  if (kind === 'pan') pointer('pointerdown', 0);
  let at = 0;
  const frame = (now) => {
    start ??= now;
    if (last !== null) gaps.push(now - last);
    last = now;
    count++;
    if (now - start > seconds * 1000) {
      if (kind === 'pan') pointer('pointerup', at);
      done(gaps);
      return;
    }
    if (kind === 'pan') pointer('pointermove', (at -= 14));
    else if (kind === 'zoom') {
      const turn = Math.floor(count / 90) % 2 === 0 ? 30 : -30;
      const wheel = {clientX: x, clientY: y, deltaY: turn, cancelable: true, bubbles: true};
      canvas.dispatchEvent(new WheelEvent('wheel', wheel));
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})
"""

# Resolves with the time of the first paint. The page's policy forbids Playwright's own polling.
PAINTED = """
() => new Promise((done) => {
  const look = () => {
    const mark = performance.getEntriesByName('graph-painted')[0];
    if (mark) done(mark.startTime);
    else setTimeout(look, 50);
  };
  look();
})
"""


def sample(folder: Path, layers: int) -> None:
    """A sample folder with a made-up model of so many layers."""
    source = whole_graph(layers)
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(source)
    (folder / "weight_meta.py").write_text("")
    (folder / "input_meta.py").write_text("")
    (folder / "graph_net.json").write_text(json.dumps({"framework": "torch", "model_name": f"{layers} layers"}))
    (folder / "graph_hash.txt").write_text(hashlib.sha256(source.encode()).hexdigest())


def log_in(page: Page, url: str, output: str) -> None:
    name, password = first_login(output)
    page.goto(url)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("One-time password").fill(password)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password again").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    page.wait_for_selector("#catalogue")


def first_paint(page: Page, url: str, slug: str) -> float:
    """Milliseconds from the start of the navigation to the graph on the canvas."""
    page.goto(f"{url}/tasks/{slug}/")
    return float(page.evaluate(PAINTED))


def rate(page: Page, kind: str, seconds: float = 4) -> str:
    """Frames a second, and the processor's time for one: that counts where other work slows the machine down."""
    before = browser_seconds()
    gaps = sorted(page.evaluate(MOVE, [kind, seconds]))
    spent = 1000 * (browser_seconds() - before) / len(gaps)
    mean = 1000 * len(gaps) / sum(gaps)
    return f"{kind} {mean:4.1f}/s (19 of 20 within {gaps[int(0.95 * len(gaps))]:.0f} ms, CPU {spent:.1f} ms a frame)"


def browser_seconds() -> float:
    """Processor time of the browser's processes that draw."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if b"chrom" in command and (b"--type=renderer" in command or b"--type=gpu-process" in command):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(page: Page, url: str, name: str) -> None:
    slug = f"whole-{name}"
    cold, warm = first_paint(page, url, slug), first_paint(page, url, slug)
    nodes = page.evaluate("document.querySelector('.graph-canvas > canvas').getAttribute('aria-label')")
    print(f"{nodes[:80]}\n  first paint {cold:.0f} ms, again {warm:.0f} ms")
    page.wait_for_timeout(6000)  # the editors load after the graph
    print(f"  standing still:  {rate(page, 'none')}")
    moving(page, "folded")
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox", name="Command").fill("open the repeated blocks")
    before = browser_seconds()
    page.keyboard.press("Enter")
    page.wait_for_timeout(3000)
    print(f"  opening all blocks took {browser_seconds() - before:.1f} s of CPU")
    moving(page, "unfolded")


def moving(page: Page, what: str) -> None:
    """Panning and zooming at reading size, and with the whole graph in view."""
    print(f"  {what}, at reading size: {rate(page, 'pan')}; {rate(page, 'zoom')}")
    page.locator(".graph-canvas > canvas").focus()
    page.keyboard.press("f")
    page.wait_for_timeout(500)
    print(f"  {what}, whole: {rate(page, 'pan')}; {rate(page, 'zoom')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=LAYERS)
    wanted = parser.parse_args().only
    with tempfile.TemporaryDirectory() as folder:
        var = Path(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        env = {**os.environ, "PASSNET_VAR": str(var), "STATIC_ROOT": str(var / "static")}
        log = (var / "up.log").open("w+")
        up = [sys.executable, "manage.py", "up", "--port", str(port)]
        process = subprocess.Popen(up, cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + START_SECONDS
            while "one-time password" not in (output := (var / "up.log").read_text()):
                assert process.poll() is None and time.monotonic() < deadline, output
                time.sleep(0.2)
            names = [wanted] if wanted else list(LAYERS)
            for name in names:
                sample(var / "samples" / f"whole-{name}", LAYERS[name])
            subprocess.run(
                [sys.executable, "manage.py", "import_graphs", str(var / "samples")], cwd=ROOT, env=env, check=True
            )
            with sync_playwright() as playwright:
                executable = os.environ.get("CHROMIUM", "/usr/bin/chromium")
                options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
                browser = playwright.chromium.launch(executable_path=executable, args=options)
                page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                log_in(page, f"http://127.0.0.1:{port}", output)
                for name in names:
                    measure(page, f"http://127.0.0.1:{port}", name)
                browser.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
            log.close()


if __name__ == "__main__":
    main()
