"""Which user a runner becomes: one that owns nothing, and that no other run has at the same time.

RLIMIT_NPROC counts the processes of a user, and does not hold root; so a run needs a user of its own.
"""

import os
import pwd
import sys
from pathlib import Path

USER = "passnet-run"

_FIRST = 0x70000000  # far above what distributions give out
_NOBODY = 65534


def own_uid() -> int:
    """A user id for the process that is about to be shut in. It follows from our own process id."""
    if os.getuid() != 0:
        return os.getuid()
    lowest, count = _mapped_ids()
    spread = min(count // 2, 1 << 22)
    top = _FIRST + spread if lowest + count > _FIRST + spread else lowest + count - 1
    candidate = top - os.getpid() % spread
    while candidate == _NOBODY or _is_taken(candidate):
        candidate -= 1
    return candidate


def libraries_are_readable() -> bool:
    """Whether any user can read this interpreter and its packages; not so below a home folder that is closed."""
    wanted = {Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parent}
    return all(
        folder.stat().st_mode & 0o005 == 0o005 for path in wanted for folder in (path, *path.parents) if folder.exists()
    )


def _mapped_ids() -> tuple[int, int]:
    """First id and number of ids of the last range that exists in our user namespace."""
    ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    first, _, count = max(ranges, key=lambda one: int(one[0]))
    return int(first), int(count)


def _is_taken(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True
