"""A real workbench, started as a user starts it, and pages of the system's Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, ViewportSize, expect, sync_playwright

from tests.http_session import PASSWORD, first_login

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 120
OUTSIDE = ("DATABASE_URL", "REDIS_URL", "PASSNET_VAR")
# How long a page may take is no question of these tests: a machine may be busy.
expect.set_options(timeout=60_000)


@dataclass(frozen=True)
class Running:
    """A workbench that runs: its address, its folder and what its first start printed."""

    url: str
    var: Path
    output: str

    @property
    def environment(self) -> dict[str, str]:
        """For commands that work on its database."""
        inherited = {key: value for key, value in os.environ.items() if key not in OUTSIDE}
        return {**inherited, "PASSNET_VAR": str(self.var), "STATIC_ROOT": str(self.var / "static")}


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A workbench with its own folder, stopped with everything it started."""
    var = tmp_path_factory.mktemp("var")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (var / "up.log").open("w+")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", str(port)],
        cwd=ROOT,
        env=Running("", var, "").environment,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while "one-time password" not in (output := (var / "up.log").read_text()) or not output.endswith("\n"):
            assert process.poll() is None and time.monotonic() < deadline, output
            time.sleep(0.1)
        yield Running(f"http://127.0.0.1:{port}", var, output)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        log.close()


@pytest.fixture(scope="session")
def workbench(running: Running) -> str:
    """The workbench's address."""
    return running.url


@pytest.fixture(scope="session")
def logged_in(running: Running, browser: Browser) -> StorageState:
    """Cookies of the first account, after its first login: one-time password, then a password of its own."""
    name, password = first_login(running.output)
    context = browser.new_context(base_url=running.url)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading")).to_have_text("Choose your own password")
    page.get_by_label("One-time password").fill(password)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password again").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    page.wait_for_selector("#catalogue")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert executable, "Chromium is missing: apt-get install chromium, or set CHROMIUM"
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=executable, args=[*options, "--disable-dev-shm-usage"])
        yield found
        found.close()


@pytest.fixture
def context(browser: Browser, workbench: str, logged_in: StorageState) -> Iterator[BrowserContext]:
    """A browser profile of its own, logged in; any error on the page's console fails the test."""
    size: ViewportSize = {"width": 1440, "height": 900}
    made = browser.new_context(viewport=size, reduced_motion="reduce", base_url=workbench, storage_state=logged_in)
    made.set_default_timeout(60_000)
    problems: list[str] = []
    made.on("weberror", lambda error: problems.append(str(error.error)))
    made.on("console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None)
    yield made
    made.close()
    assert not problems


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def put_draft(workbench: str, context: BrowserContext) -> Callable[[str, dict[str, str]], None]:
    """Stores files as the draft of a task, as if they had been written in another page before."""

    def put(slug: str, files: dict[str, str]) -> None:
        address = f"{workbench}/api/tasks/{slug}/draft"
        version = context.request.get(address).json()["version"]
        token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
        headers = {"Origin": workbench, "X-CSRFToken": token}
        answer = context.request.put(address, data={"files": files, "version": version}, headers=headers)
        assert answer.ok, answer.text()

    return put


@pytest.fixture
def example(workbench: str, context: BrowserContext) -> dict[str, str]:
    """Files of the worked example of masked mean pooling."""
    files: dict[str, str] = context.request.get(f"{workbench}/api/tasks/masked-mean-pooling/example").json()["files"]
    return files
