"""Drawn graphs as files beside the database: reading a large graph's code takes seconds, reading its drawing does not.

What is kept may be deleted at any time. A file's name holds the graph, whether its shapes were known, and the code that
made the drawing, so that nothing old is shown after an update.
"""

import functools
import gzip
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

_HERE = Path(__file__).parent
_MAKERS = ("*.py", "fx_source/*.py", "layout/*.py")
_LEAST = 100_000  # bytes; what is smaller is made faster than found


def kept(folder: Path, name: str, make: Callable[[], bytes]) -> bytes:
    """The drawing called `name`, made when there is none yet. A folder that can not be written to costs only time."""
    path = folder / f"{name}-{_code()}.json.gz"
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        pass
    made = make()
    if len(made) >= _LEAST:
        _write(path, gzip.compress(made, 3))
    return made


def _write(path: Path, value: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, unfinished = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(value)
        Path(unfinished).replace(path)
    except OSError:
        pass


@functools.cache
def _code() -> str:
    """Names the version of everything that takes part in a drawing."""
    digest = hashlib.sha256()
    for pattern in _MAKERS:
        for path in sorted(_HERE.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
