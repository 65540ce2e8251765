"""Drawn graphs as files beside the database: reading a large graph's code takes seconds, reading its drawing does not.

What is kept may be deleted at any time. A file's name holds the code that was drawn and the version of what drew it, so
that nothing old is shown after an update.
"""

import functools
import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

_HERE = Path(__file__).parent
_MAKERS = ("*.py", "fx_source/*.py", "layout/*.py")
_LEAST = 10_000  # bytes, compressed; what is smaller is made faster than found


def kept(folder: Path, name: str, make: Callable[[], bytes]) -> bytes:
    """The drawing called `name` as gzip, made when there is none yet."""
    try:
        found = _path(folder, name).read_bytes()
        gzip.decompress(found)
        return found
    except (OSError, EOFError, zlib.error):
        pass
    made = make()
    keep(folder, name, made)
    return made


def keep(folder: Path, name: str, value: bytes) -> None:
    """Keeps a drawing, as gzip, when it is a large one. A folder that can not be written to costs only time."""
    if len(value) < _LEAST:
        return
    path = _path(folder, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, unfinished = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(value)
        Path(unfinished).replace(path)
    except OSError:
        pass


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}-{_code()}.json.gz"


@functools.cache
def _code() -> str:
    """Names the version of everything that takes part in a drawing."""
    digest = hashlib.sha256()
    for pattern in _MAKERS:
        for path in sorted(_HERE.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
