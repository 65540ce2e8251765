"""Members of a zip archive."""

import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import IO

from graphs.archives.limits import Budget
from graphs.archives.names import Names
from graphs.problems import ReadProblem

END = b"PK\x05\x06"
END_SIZE = 22
ENCRYPTED = 0x41  # the general-purpose bits of ordinary and of strong encryption
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
UTF8 = 0x800  # the general-purpose bit that says how names are written
UNIX = 3


def zip_members(source: IO[bytes], file: str, names: Names, budget: Budget) -> Iterator[tuple[str, IO[bytes] | None]]:
    """(path, content) of each member, content None for a folder. Everything is checked before anything is given out."""
    budget.add_header(_directory_size(source, file))  # before zipfile reads all of it into memory
    with zipfile.ZipFile(source) as archive:
        taken = [(info, path) for info in archive.infolist() if (path := _check(info, file, names, budget)) is not None]
        for info, path in taken:
            if info.is_dir():
                yield path, None
            else:
                with archive.open(info) as content:
                    yield path, content


def _check(info: zipfile.ZipInfo, file: str, names: Names, budget: Budget) -> str | None:
    budget.add_member()
    name = _name(info)
    if info.flag_bits & ENCRYPTED:
        raise ReadProblem(file, None, f"the member {name[:100]!r} is encrypted")
    if info.compress_type not in METHODS:
        raise ReadProblem(file, None, f"the member {name[:100]!r} is packed by an unusual method; use deflate")
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == UNIX else 0
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ReadProblem(file, None, f"the member {name[:100]!r} is a link or a device, not a file")
    if info.is_dir() and info.file_size:
        raise ReadProblem(file, None, f"the member {name[:100]!r} is a folder with content")
    return names.take(name, is_folder=info.is_dir())


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it is written there; `filename` is cut at the first NUL. Info-ZIP on Linux writes UTF-8 without
    saying so, which zipfile reads as code page 437: what is valid UTF-8 was meant as that."""
    name = info.orig_filename
    if info.flag_bits & UTF8:
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        return name


def _directory_size(source: IO[bytes], file: str) -> int:
    """The size of the list of members that zipfile is going to read."""
    size = source.seek(0, 2)
    source.seek(max(0, size - END_SIZE - 0xFFFF))
    tail = source.read()
    source.seek(0)
    # Like zipfile: the record at the very end if there is one, else the last that looks like one.
    exact = len(tail) >= END_SIZE and tail[-END_SIZE:].startswith(END) and tail.endswith(b"\0\0")
    at = len(tail) - END_SIZE if exact else tail.rfind(END)
    if at < 0 or len(tail) - at < END_SIZE:
        raise ReadProblem(file, None, "is not a whole zip archive: its end is missing")
    if tail[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        raise ReadProblem(file, None, "is a zip archive for very large files (zip64), which is not needed here")
    (directory,) = struct.unpack_from("<L", tail, at + 12)
    return int(directory)
