"""The captured catalogue as it ships: archives of task folders, each of which is read once. Nothing is executed."""

import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from graphs.archives import ArchiveLimits, unpack
from graphs.importing import Progress, Report, import_tree
from graphs.models import LoadedArchive
from graphs.problems import ReadProblem

ORIGIN = "captured"
_LIMITS = ArchiveLimits(members=20_000, header_bytes=64 << 20)

Say = Callable[[str], None]


def load_archives(folder: Path, say: Say, *, jobs: int = 0, progress: Progress | None = None) -> Report:
    """Import every archive (*.tar.gz) in `folder` that was not loaded before.

    `counts` has `archives` beside those of an import. An archive that can not be read is said, counted as failed and
    left out, and read again the next time. So are all others after an interruption, or when a task of theirs failed.
    """
    report = Report(Counter())
    broken = 0
    with tempfile.TemporaryDirectory(prefix="passnet-captured-") as work:
        new = {}
        for path in sorted(folder.glob("*.tar.gz")):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            if not LoadedArchive.objects.filter(pk=digest).exists():
                try:
                    unpack(path, Path(work) / path.name.removesuffix(".tar.gz"), _LIMITS)
                except ReadProblem as problem:
                    say(str(problem))
                    broken += 1
                else:
                    new[digest] = path.name
        if new:
            report = import_tree(Path(work), say, origin=ORIGIN, jobs=jobs, progress=progress)
    report.counts["archives"] = len(new)
    if not report.stopped and not report.counts["failed"]:
        LoadedArchive.objects.bulk_create(
            [LoadedArchive(content_hash=digest, name=name) for digest, name in new.items()], ignore_conflicts=True
        )
    report.counts["failed"] += broken
    return report
