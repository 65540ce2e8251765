"""Fixtures of the web rooms: a real Redis of our own, so that no test ever talks to a workbench that runs here."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

# Inductor compiles a program for each vector unit of the processor first, for every new cache: 8 s of a core each time.
# Tests take the processor's word for it. Those in a sandbox do not: nothing of this environment arrives there.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")


def pytest_configure(config: pytest.Config) -> None:
    """A run that was started in the background ignores Ctrl-C, and so would all that tests start and end by it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    """SQLite's side files stay behind when a database is removed that some thread still has open."""
    from django.conf import settings

    if settings.configured:
        for path in settings.VAR.glob(f"test-{os.getpid()}.sqlite3*"):
            path.unlink(missing_ok=True)


@pytest.fixture(scope="session", autouse=True)
def _static_files_when_asked_for() -> None:
    """Each browser of a test has its own stack of middleware, and would read all static files for its first page."""
    from django.conf import settings

    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(scope="session")
def redis_socket() -> Iterator[Path]:
    """The unix socket of a Redis that lives as long as the tests do."""
    from passnet_web.supervisor.checks import redis_server

    with tempfile.TemporaryDirectory(prefix="passnet-") as folder:
        socket = Path(folder) / "redis.sock"
        process = subprocess.Popen(
            [
                os.environ.get("REDIS_SERVER") or redis_server(),
                "--port",
                "0",
                "--unixsocket",
                str(socket),
                "--save",
                "",
                "--dir",
                folder,
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + 10
            while not socket.exists():
                assert process.poll() is None and time.monotonic() < deadline, "the test Redis did not start"
                time.sleep(0.01)
            yield socket
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def private_redis(redis_socket: Path, settings) -> Iterator[Redis]:
    """Channel layer and queue use the test's own Redis, which is empty."""
    from passnet_web.celery import app

    url = f"unix://{redis_socket}"
    layer = settings.CHANNEL_LAYERS["default"]
    hosts = [{**layer["CONFIG"]["hosts"][0], "address": url}]
    settings.CHANNEL_LAYERS = {"default": {**layer, "CONFIG": {"hosts": hosts}}}
    settings.REDIS_URL = url
    before = app.conf.broker_url
    app.conf.broker_url = url.replace("unix://", "redis+socket://", 1)
    app.pool.force_close_all()
    with Redis.from_url(url) as client:
        client.flushall()
        yield client
    app.conf.broker_url = before
    app.pool.force_close_all()


@pytest.fixture
def quick_passwords(settings) -> None:
    """Hashing a password takes a moment on purpose; tests make many accounts."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def author(db, quick_passwords):
    """An author with an account."""
    from tests.accounts import account

    return account("ada")


@pytest.fixture
def client(client, author):
    """A browser in which the author is logged in."""
    client.force_login(author.user)
    return client
