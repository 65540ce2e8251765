"""Where an installation keeps its own files: database, sockets, logs, secret key. One folder, `var/` by default."""

import hashlib
import os
import secrets
import stat
import tempfile
import threading
from pathlib import Path

SOCKET_PATH_LIMIT = 107  # bytes: sun_path holds 108 with the closing zero
LONGEST_SOCKET_NAME = 40  # room for "<device class>.sock"


class UnsafeFolder(Exception):
    """A folder that should be private belongs to somebody else or can be entered by others."""


def private_folder(path: Path) -> Path:
    """Makes `path` with mode 0700, or checks that what is there is ours. Raises UnsafeFolder."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise UnsafeFolder(
            f"{path} is not a folder of this user. Remove it, or set XDG_RUNTIME_DIR to a private folder."
        )
    if found.st_mode & 0o077:
        path.chmod(0o700)
    return path


def socket_folder(var: Path) -> Path:
    """The folder of the unix sockets that belong to `var`: `var/run`, unless that makes a socket's path too long.

    Every process of an installation works this out for itself and must find the same answer, so that it depends on
    nothing but `var`, the user and the environment. The folder is not made here.
    """
    run = var.resolve() / "run"
    if len(os.fsencode(run)) + 1 + LONGEST_SOCKET_NAME <= SOCKET_PATH_LIMIT:
        return run
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    mark = hashlib.sha256(os.fsencode(run)).hexdigest()[:12]
    return base / f"passnet-{os.geteuid()}-{mark}"


def secret_key(var: Path) -> str:
    """The installation's secret, made at first use and readable by its owner only."""
    path = var / "secret_key"
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass
    var.mkdir(parents=True, exist_ok=True)
    key = secrets.token_urlsafe(48)
    part = var / f".secret_key.{os.getpid()}.{threading.get_ident()}"
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(key + "\n")
    try:
        os.link(part, path)  # fails when another process was first: then its key holds
    except FileExistsError:
        key = path.read_text(encoding="ascii").strip()
    finally:
        part.unlink()
    return key
