"""A run folder that came through the browser, in an archive. Nothing of it is executed."""

import tempfile
from pathlib import Path

from graphs.archives import ArchiveLimits, unpack
from graphs.problems import ReadProblem
from graphs.refused import Refused
from submissions.models import Author
from submissions.run_folder_import import RunReport, import_run

LIMITS = ArchiveLimits(archive_bytes=4 << 20, members=30_000, total_bytes=64 << 20, header_bytes=32 << 20)
_MOST_SAID = 100
_LARGER = "Larger ones are for `manage.py import_run PATH --author NAME`, which has no such limit."


def import_archive(content: bytes, name: str, author: Author) -> tuple[RunReport, list[str]]:
    """Counts, and problems with paths as in the archive. Raises Refused when it can not be unpacked."""
    said: list[str] = []
    with tempfile.TemporaryDirectory(prefix="passnet-run-") as place:
        archive, root = Path(place) / "archive", Path(place) / "run"
        archive.write_bytes(content)
        try:
            unpack(archive, root, LIMITS)
        except ReadProblem as problem:
            raise Refused(422, "bad_archive", f"{name[:200]}: {problem.why}. {_LARGER}") from None
        report = import_run(root, author, lambda line: said.append(line.replace(f"{root}/", "")), jobs=1)
    return report, said[:_MOST_SAID]
