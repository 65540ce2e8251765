"""Limits that the kernel keeps for one process of a run. Those of the whole run are the supervisor's to watch."""

import resource

from evaluator.job import Limits
from evaluator.runner import watchdog

_SPARE_ADDRESSES = 512 << 20  # arenas, mapped tensors and stacks that are reserved but never touched
_SPARE_FILES = 16 << 20
OPEN_FILES = 256
PROCESSES = 64  # processes and threads of the run's own user together
PROCESSES_WITH_A_COMPILER = 512  # CUDA starts threads, Triton's compiler processes

MOST_PROCESSES = 1024  # of a whole run, for the supervisor's own count
AHEAD = "passnet-ahead"  # the name of processes that a run does without: should it take too much memory, they end first


def apply(limits: Limits, *, device: str, counts_others: int = 0) -> None:
    """Limit this process and what it forks. Call it after the user id has changed (root is not limited by NPROC).

    `counts_others` is how many processes the same user has outside the run, where it has no user id of its own.
    """
    on_cpu = device == "cpu"
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_NOFILE, OPEN_FILES if on_cpu else 4096)
    _set(resource.RLIMIT_NPROC, counts_others + (PROCESSES if on_cpu else PROCESSES_WITH_A_COMPILER))
    _set(resource.RLIMIT_FSIZE, limits.disk_bytes + _SPARE_FILES)
    _set(resource.RLIMIT_CPU, int(limits.run_seconds) + 60)  # a backstop; the clock that decides is the judge's
    if on_cpu:  # CUDA reserves far more addresses than memory
        _set(resource.RLIMIT_AS, watchdog.address_space() + limits.memory_bytes + _SPARE_ADDRESSES)


def _set(which: int, wanted: int) -> None:
    _, hard = resource.getrlimit(which)
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(which, (value, value))
