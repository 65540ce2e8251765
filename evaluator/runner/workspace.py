"""The submission's files on disk: Triton reads a kernel's source from its file, and tracebacks name it."""

import os
from pathlib import Path

PASS_DIR = "pass_dir"


class UnsafeName(ValueError):
    """A file name that would leave the folder, or that no file system takes."""


def write_files(files: dict[str, str], folder: Path) -> Path:
    """Write a submission under `folder`/pass_dir and return that. Surrogate escapes become the bytes they stand for."""
    root = folder / PASS_DIR
    root.mkdir()
    for name, text in files.items():
        path = root.joinpath(*_parts(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return root


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if not all(parts) or "\0" in name or any(part in (os.curdir, os.pardir) for part in parts):
        raise UnsafeName(f"the file name {name!r} does not stay inside the submission's folder")
    return parts
