"""Figures that ship with the captured catalogue: measured on another machine, loaded once, a few hundred at a time."""

import gzip
import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from graphs.models import LoadedArchive
from submissions.baselines_file import import_file

_ENDS = ".jsonl.gz"
_LINES = 200  # in one transaction: whoever uses the pages meanwhile must not wait long for a turn to write


def load_figures(folder: Path, say: Callable[[str], None]) -> int:
    """Store the lines of every *.jsonl.gz in `folder` that was not loaded before; how many figures were new.

    Pages name the file as their origin. Lines of graphs that are not in this workbench are left out for good: call it
    when every graph that is to come is there.
    """
    stored = 0
    for path in sorted(folder.glob(f"*{_ENDS}")):
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if LoadedArchive.objects.filter(pk=digest).exists():
            continue
        name = path.name.removesuffix(_ENDS)
        skipped = 0
        with tempfile.TemporaryDirectory(prefix="passnet-figures-") as work:
            part = Path(work) / "part.jsonl"
            for lines in _in_parts(gzip.decompress(content).decode().splitlines(keepends=True)):
                part.write_text("".join(lines), "utf-8")
                done = import_file(part, name)
                stored += done.stored
                skipped += len(done.skipped)
        if skipped:
            say(f"{path.name}: {skipped:,} lines are of graphs that are not here, or say that nothing was measured")
        LoadedArchive.objects.get_or_create(content_hash=digest, defaults={"name": path.name})
    return stored


def _in_parts(lines: list[str]) -> list[list[str]]:
    return [lines[at : at + _LINES] for at in range(0, len(lines), _LINES)]
