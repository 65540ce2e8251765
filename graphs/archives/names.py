"""Which names in an archive are taken: plain paths below the folder, each once."""

import re
import unicodedata

from graphs.problems import ReadProblem

MAX_PART = 255  # bytes, as file systems have it
MAX_NAME = 1024
MAX_DEPTH = 32
DRIVE = re.compile(r"[A-Za-z]:")


class Names:
    """The names seen so far in one archive."""

    def __init__(self, file: str) -> None:
        self._file = file
        # By how a name looks on a file system that ignores case and Unicode forms.
        self._folders: set[str] = set()
        self._files: set[str] = set()

    def take(self, name: str, *, is_folder: bool) -> str | None:
        """The member's path with single slashes, or None for the archive's root. Raises ReadProblem."""
        why = problem(name)
        if why:
            raise ReadProblem(self._file, None, f"the member {name[:100]!r} {why}")
        parts = [part for part in name.removesuffix("/").split("/") if part != "."]
        if not parts:
            return None
        key = _key("/".join(parts))
        above = {_key("/".join(parts[:end])) for end in range(1, len(parts))}
        taken = key in self._files or (key in self._folders and not is_folder)
        if taken or above & self._files:
            raise ReadProblem(self._file, None, f"the member {name[:100]!r} is there twice, or as a file and a folder")
        self._folders |= above | ({key} if is_folder else set())
        if not is_folder:
            self._files.add(key)
        return "/".join(parts)


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def problem(name: str) -> str | None:
    """What is wrong with a member's name, as the end of a sentence; None when nothing is."""
    if not name or len(name.encode("utf-8", "surrogatepass")) > MAX_NAME:
        return f"has no name, or one of more than {MAX_NAME:,} bytes"
    if any(unicodedata.category(character)[0] == "C" for character in name):
        return "has control or invisible characters in its name"
    if name.startswith("/") or DRIVE.match(name) or "\\" in name:
        return "has an absolute path, a drive or a backslash in its name"
    parts = name.removesuffix("/").split("/")
    if ".." in parts:
        return "leads out of the folder"
    if "" in parts:
        return "has two slashes in a row in its name"
    if len(parts) > MAX_DEPTH:
        return f"lies more than {MAX_DEPTH} folders deep"
    if any(len(part.encode()) > MAX_PART for part in parts):
        return f"has a part of more than {MAX_PART} bytes in its name"
    return None
