"""Figures that ship with the captured catalogue: measured on another machine, loaded once, a few hundred at a time."""

import gzip
import hashlib
import io
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from graphs.models import LoadedArchive
from graphs.problems import ReadProblem
from submissions.baselines_file import import_file

_ENDS = ".jsonl.gz"
_MOST_BYTES = 256 << 20
_LINES = 200  # in one transaction: whoever uses the pages meanwhile must not wait long for a turn to write


def load_figures(folder: Path, say: Callable[[str], None]) -> int:
    """Store the lines of every *.jsonl.gz in `folder` that was not loaded before; how many figures were new.

    Pages name the file as their origin. Lines of graphs that are not in this workbench are left out for good: call it
    when every graph that is to come is there. Raises ReadProblem, at the end, for a file that can not be read.
    """
    broken: ReadProblem | None = None
    stored = 0
    for path in sorted(folder.glob(f"*{_ENDS}")):
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if LoadedArchive.objects.filter(pk=digest).exists():
            continue
        try:
            text = _text(path, content)
        except ReadProblem as problem:
            broken = problem
            continue
        name = path.name.removesuffix(_ENDS)
        skipped = 0
        with tempfile.TemporaryDirectory(prefix="passnet-figures-") as work:
            part = Path(work) / "part.jsonl"
            for lines in _in_parts(text.splitlines(keepends=True)):
                part.write_text("".join(lines), "utf-8")
                done = import_file(part, name)
                stored += done.stored
                skipped += len(done.skipped)
        if skipped:
            say(f"{path.name}: {skipped:,} lines are of graphs that are not here, or say that nothing was measured")
        LoadedArchive.objects.get_or_create(content_hash=digest, defaults={"name": path.name})
    if broken is not None:
        raise broken
    return stored


def _text(path: Path, content: bytes) -> str:
    """What is packed in the file. Raises ReadProblem."""
    try:
        with gzip.open(io.BytesIO(content)) as file:
            found = file.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):  # no gzip at all, cut off, damaged in the middle
        why = "is cut off or damaged: put the file back as it was shipped, and run load_captured again"
        raise ReadProblem(path.name, None, why) from None
    if len(found) > _MOST_BYTES:
        raise ReadProblem(path.name, None, f"unpacks to more than {_MOST_BYTES >> 20} MB, which no list of figures is")
    return found.decode("utf-8", "replace")


def _in_parts(lines: list[str]) -> list[list[str]]:
    return [lines[at : at + _LINES] for at in range(0, len(lines), _LINES)]
