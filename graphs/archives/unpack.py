"""From an archive to a folder, completely or not at all."""

import os
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from graphs.archives.limits import ArchiveLimits, Budget
from graphs.archives.names import Names
from graphs.archives.tars import tar_members
from graphs.archives.zips import zip_members
from graphs.problems import ReadProblem, TooLarge

CHUNK = 1 << 16
TAR_MAGIC_AT = 257
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


def unpack(archive: Path, folder: Path, limits: ArchiveLimits | None = None) -> tuple[str, ...]:
    """Unpacks a zip, tar or tar.gz into `folder`, which must not exist yet; returns the files' paths in it, sorted.

    Only plain files and folders are made, with modes of ours. Raises ReadProblem for an archive that is broken or holds
    anything else (links, devices, names that lead elsewhere or are there twice, encryption), TooLarge beyond the
    limits; then nothing is left behind. OSError when the disk fails.
    """
    if os.path.lexists(folder):
        raise FileExistsError(f"{folder} exists already")
    part = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder.parent))
    try:
        with archive.open("rb") as source:
            files = _write_all(source, archive.name, part, limits or ArchiveLimits())
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return tuple(sorted(files))


def _write_all(source: IO[bytes], file: str, part: Path, limits: ArchiveLimits) -> list[str]:
    size = source.seek(0, 2)
    source.seek(0)
    if size > limits.archive_bytes:
        why = f"has {size:,} bytes; the limit is {limits.archive_bytes:,}"
        raise TooLarge(file, None, why, {"bytes": size, "limit": limits.archive_bytes})
    budget = Budget(file, size, limits)
    files: list[str] = []
    try:
        for path, content in _members(source, file, Names(file), budget):
            target = part / path
            (target if content is None else target.parent).mkdir(mode=0o700, parents=True, exist_ok=True)
            if content is not None:
                _write(content, target, budget)
                files.append(path)
    except BROKEN as error:
        raise ReadProblem(file, None, f"is broken: {error or type(error).__name__}") from error
    except OSError as error:
        if error.errno is not None:
            raise  # the disk
        raise ReadProblem(file, None, f"is broken: {error}") from error  # gzip's words
    return files


def _members(source: IO[bytes], file: str, names: Names, budget: Budget) -> Iterator[tuple[str, IO[bytes] | None]]:
    """By what the file begins with, not by its name."""
    head = source.read(TAR_MAGIC_AT + 5)
    source.seek(0)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return zip_members(source, file, names, budget)
    if head.startswith(b"\x1f\x8b"):
        return tar_members(source, file, names, budget, packed=True)
    if head[TAR_MAGIC_AT:] == b"ustar":
        return tar_members(source, file, names, budget, packed=False)
    raise ReadProblem(file, None, "is neither a zip nor a tar nor a tar.gz archive")


def _write(content: IO[bytes], target: Path, budget: Budget) -> None:
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as out:
        written = 0
        while piece := content.read(CHUNK):
            written += len(piece)
            budget.add_content(len(piece), written)
            out.write(piece)
