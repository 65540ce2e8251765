"""One supervisor for one var/ folder."""

import fcntl
import json
import os
from pathlib import Path
from typing import IO

from passnet_web.supervisor.checks import CannotStart


def lock_instance(var: Path, address: str) -> IO[str]:
    """Takes the folder for this process; keep what is returned open. Raises CannotStart when another one has it."""
    file = (var / "up.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        other = _read(file)
        file.close()
        raise CannotStart(
            f"PassNet Workbench already runs from {var}{other}. Use that one, stop it, or give this one a folder of "
            "its own: PASSNET_VAR=/path/to/another/folder"
        ) from error
    file.truncate(0)
    file.write(json.dumps({"pid": os.getpid(), "address": address}))
    file.flush()
    return file


def _read(file: IO[str]) -> str:
    file.seek(0)
    try:
        said = json.loads(file.read())
        return f" (process {said['pid']}, {said['address']})"
    except (ValueError, KeyError, TypeError):
        return ""
