"""How large an archive may be, packed and unpacked."""

from dataclasses import dataclass

from graphs.problems import TooLarge


@dataclass(frozen=True)
class ArchiveLimits:
    """Sizes in bytes. `ratio` bounds unpacked to packed size, beyond what small archives may have anyway."""

    archive_bytes: int = 64 << 20
    members: int = 5_000
    member_bytes: int = 16 << 20
    total_bytes: int = 256 << 20
    ratio: int = 100
    free_bytes: int = 4 << 20  # so much may come out of any archive, however small
    header_bytes: int = 8 << 20  # names and other descriptions, all together


class Budget:
    """Counts what comes out of one archive, and stops it in time whatever its headers say."""

    def __init__(self, file: str, packed: int, limits: ArchiveLimits) -> None:
        self._file = file
        self._limits = limits
        self._total_limit = min(limits.total_bytes, max(limits.free_bytes, limits.ratio * packed))
        self.members = 0
        self.total = 0
        self.headers = 0

    def add_member(self) -> None:
        """One more file or folder."""
        self.members += 1
        self._check("members", self.members, self._limits.members)

    def add_header(self, size: int) -> None:
        """Bytes that are not content."""
        self.headers += size
        self._check("bytes of headers", self.headers, self._limits.header_bytes)

    def add_content(self, size: int, so_far: int) -> None:
        """`size` more bytes of a member that then has `so_far`."""
        self.total += size
        self._check("bytes in one file", so_far, self._limits.member_bytes)
        self._check("bytes unpacked", self.total, self._total_limit)

    def _check(self, what: str, count: int, limit: int) -> None:
        if count > limit:
            why = f"holds more than {limit:,} {what}: too much for an archive of its size, or for this workbench"
            raise TooLarge(self._file, None, why, {what: count, "limit": limit})
