"""A workbench that is started for a script and stopped again, and a browser to look at it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
HEIGHT = 900


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page of the system's Chromium (CHROMIUM names another one)."""
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-dev-shm-usage"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable, args=options)
        try:
            yield browser.new_page(viewport={"width": 1440, "height": HEIGHT})
        finally:
            browser.close()


@contextmanager
def workbench(url: str | None) -> Iterator[tuple[str, str, str]]:
    """Address, user and password of a workbench: the given one, or a fresh one that is stopped again."""
    if url is not None:
        yield url.rstrip("/"), "", ""
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="passnet-") as var:
        command = [sys.executable, "manage.py", "up", "--port", str(port)]
        environment = {**os.environ, "PASSNET_VAR": var}
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            for line in server.stdout:
                if first := re.search(r"Log in as (\S+) with the one-time password (\S+)", line):
                    break
            else:
                raise SystemExit("the workbench did not start; the lines above say why")
            yield f"http://127.0.0.1:{port}", first[1], first[2]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)
