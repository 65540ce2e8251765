"""Members of a tar archive, packed by gzip or not. Read as a stream: nothing in it can point back or ahead."""

import gzip
import tarfile
from collections.abc import Iterator
from typing import IO, cast

from graphs.archives.limits import Budget
from graphs.archives.names import Names
from graphs.problems import ReadProblem


def tar_members(
    source: IO[bytes], file: str, names: Names, budget: Budget, *, packed: bool
) -> Iterator[tuple[str, IO[bytes] | None]]:
    """(path, content) of each member, content None for a folder."""
    stream = _Stream(cast("IO[bytes]", gzip.GzipFile(fileobj=source)) if packed else source, budget)
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
        for info in archive:
            budget.add_member()
            if not (info.isreg() or info.isdir()) or info.issparse():
                raise ReadProblem(file, None, f"the member {info.name[:100]!r} is a link or a device, not a file")
            path = names.take(info.name, is_folder=info.isdir())
            if path is None:
                continue
            if info.isdir():
                yield path, None
                continue
            stream.in_content = True
            yield path, archive.extractfile(info)
            stream.in_content = False


class _Stream:
    """What tarfile reads from. Counts what is read between the contents of members."""

    def __init__(self, source: IO[bytes], budget: Budget) -> None:
        self._source = source
        self._budget = budget
        self.in_content = False

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, in pieces that no header can make large."""
        content = self._source.read(min(size, 1 << 16))
        if not self.in_content:
            self._budget.add_header(len(content))
        return content
