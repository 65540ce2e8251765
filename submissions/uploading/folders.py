"""From an archive, or a folder that we wrote ourselves, to what is stored. Nothing of it is executed."""

import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from graphs.archives import ArchiveLimits, unpack
from graphs.folder_reading import ReadFolder, Reading
from graphs.problems import ReadProblem
from graphs.reading_pool import read_all
from graphs.tree import find_folders

#: A request has at most 4 MB; graphs are text, which packs well.
LIMITS = ArchiveLimits(archive_bytes=4 << 20, members=4_000, total_bytes=128 << 20)
MOST_FOLDERS = 300  # more is the import command's work
SECONDS = 20.0  # for one folder
SECONDS_FOR_ALL = 60.0  # a web request waits for them
ORIGIN = "imported"

LARGER = "Larger ones are for `.venv/bin/python manage.py import_graphs PATH`, which has no such limit."


@dataclass
class ReadUpload:
    """Folders that can be stored, and what was said of all: `file:line: why`, paths as in the archive."""

    folders: list[ReadFolder] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def read_archive(content: bytes, name: str) -> ReadUpload:
    """Every task and sample in a zip, tar or tar.gz. Raises ReadProblem when it is none, or not fit to be unpacked."""
    with tempfile.TemporaryDirectory(prefix="passnet-upload-") as place:
        archive = Path(place) / "archive"
        archive.write_bytes(content)
        root = Path(place) / "files" / _stem(name)  # a sample at the top is named by its archive
        root.parent.mkdir()
        with _named(archive.name, name):
            unpack(archive, root, LIMITS)
        return read_tree(root, name)


def read_tree(root: Path, name: str) -> ReadUpload:
    """The same for a folder, in a process with limits. Raises ReadProblem when it holds nothing, or too much."""
    read = ReadUpload()
    found = list(find_folders(root, read.said.append))
    if not found:
        why = "holds no sample (a folder with model.py and weight_meta.py) and no task (a folder with graph_list.txt)"
        raise ReadProblem(name, None, why)
    if len(found) > MOST_FOLDERS:
        raise ReadProblem(name, None, f"holds {len(found):,} samples and tasks; {MOST_FOLDERS} are taken. {LARGER}")
    reading = Reading(root, ORIGIN)
    until = time.monotonic() + SECONDS_FOR_ALL
    with read_all(found, reading, 1, SECONDS) as folders:
        for done, folder in enumerate(folders, 1):
            said = [line.replace(f"{root}/", "").replace(str(root), name) for line in folder.said]
            (read.failed if folder.failed else read.said).extend(said)
            if not folder.failed:
                read.folders.append(folder)
            if done < len(found) and time.monotonic() > until:
                why = f"is not read after {SECONDS_FOR_ALL:g} s, but {done:,} of {len(found):,} samples and tasks"
                raise ReadProblem(name, None, f"{why}. Send it in parts. {LARGER}")
    return read


def _stem(name: str) -> str:
    """ "nets.tar.gz" → "nets", as a folder may be called."""
    plain = re.sub(r"\.(zip|tar|tgz|tar\.gz)$", "", name, flags=re.IGNORECASE)
    return re.sub(r"[^\w.\-]+", "_", plain)[:80].strip("._") or "archive"


@contextmanager
def _named(file: str, name: str) -> Iterator[None]:
    """Problems of our copy are told as problems of the file that was sent."""
    try:
        yield
    except ReadProblem as problem:
        raise ReadProblem(name if problem.file == file else problem.file, problem.line, problem.why) from None
