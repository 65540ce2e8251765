"""What the machine is, in the system's own words."""

import contextlib
import platform
from functools import cache
from pathlib import Path


@cache
def processor() -> str:
    """The processor's name, as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
