"""How much memory a run uses, read from /proc; needs no cgroup."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

_FIELDS = (b"RssAnon:", b"RssShmem:")


def own_memory(pid: int) -> int:
    """Bytes that a process holds itself: anonymous and shared memory, without files mapped from disk. 0 when gone."""
    total = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_bytes().splitlines():
            if line.startswith(_FIELDS):
                total += int(line.split()[1]) << 10
    return total


def name(pid: int) -> str:
    """What a process is called, or calls itself; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").rstrip("\n")
    except OSError:
        return ""


def address_space() -> int:
    """Bytes of address space of this process."""
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * os.sysconf("SC_PAGESIZE")


def memory_beyond(pids: Iterable[int], inherited: int) -> int:
    """Bytes of `pids` together, beyond the `inherited` bytes that each has from the process it was forked from."""
    return sum(max(0, own_memory(pid) - inherited) for pid in pids)
