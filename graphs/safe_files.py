"""Reading files of a folder that can come from anyone: no link out of it, no device, no endless file."""

import os
import stat
from pathlib import Path

from graphs.problems import ReadProblem, TooLarge


def is_inside(path: Path, folder: Path) -> bool:
    """Whether `path`, with every link followed, still lies in `folder`."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return False


def read_bytes(folder: Path, name: str, limit: int) -> bytes | None:
    """The bytes of a file of `folder`; None when there is none.

    Raises ReadProblem for a link that leaves the folder, a thing that is not a regular file or an unreadable file, and
    TooLarge beyond `limit` bytes.
    """
    path = folder / name
    if not os.path.lexists(path):
        return None
    is_link = "/" in name or path.is_symlink()
    if is_link and not is_inside(path, folder):
        raise ReadProblem(str(path), None, "is a link that leaves its folder; links out of a folder are not followed")
    try:
        # O_NONBLOCK: opening a pipe must not wait for somebody who writes to it
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if is_link else os.O_NOFOLLOW)
        descriptor = os.open(path, flags)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ReadProblem(str(path), None, "is not a regular file")
            if status.st_size > limit:
                raise _too_large(path, status.st_size, limit)
            content = file.read(limit + 1)
    except OSError as error:
        raise ReadProblem(str(path), None, f"can not be read: {error.strerror or error}") from error
    if len(content) > limit:
        raise _too_large(path, len(content), limit)
    return content


def decode(content: bytes, file: str) -> str:
    """UTF-8 text, line ends and byte order mark kept, so that encoding it gives the same bytes."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ReadProblem(
            file, line, f"is not UTF-8 text: byte 0x{content[error.start]:02x} at position {error.start}"
        ) from error


def read_text(folder: Path, name: str, limit: int) -> str | None:
    """Like `read_bytes`, as UTF-8 text."""
    content = read_bytes(folder, name, limit)
    return None if content is None else decode(content, str(folder / name))


def _too_large(path: Path, size: int, limit: int) -> TooLarge:
    return TooLarge(str(path), None, f"has {size:,} bytes; the limit is {limit:,}", {"bytes": size, "limit": limit})
