"""Work in processes of its own, with limits of time and memory, that can fail without harm to others."""

import json
import os
import resource
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, TypeVar

import torch

from evaluator.runner import linux, processes, watchdog

One = TypeVar("One")
Result = TypeVar("Result")
Status = Literal["done", "failed", "time", "memory", "died"]

_SPARE_ADDRESSES = 512 << 20  # thread stacks and arenas that are reserved and hardly touched
_POLL_SECONDS = 0.02
_LOG_CHARACTERS = 2000
_OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "Cannot allocate memory", "out of memory")


class Expected(Exception):
    """A failure that the user can mend: its text is the reason, no traceback is needed."""


@dataclass(frozen=True)
class Outcome:
    """`value` is what the work returned when it is "done", `why` says in one line what went wrong otherwise.

    `log` is the end of what the process printed.
    """

    status: Status
    seconds: float
    value: Any = None
    why: str | None = None
    log: str = ""


def run_limited(work: Callable[[], Any], folder: Path, *, seconds: float, memory_bytes: int) -> Outcome:
    """Fork a process that calls `work` and hands back its value, which must be JSON.

    `folder` exists and belongs to this piece of work. `memory_bytes` counts beyond what the process has from its
    parent. Fork from a process without threads.
    """
    linux.adopt_orphans()
    before = frozenset(processes.descendants(os.getpid()))
    log = folder / "output.log"
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    started = time.monotonic()
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
    try:
        main = partial(_child, work, result, memory_bytes)
        process = processes.start(main, stdio=(None, descriptor, descriptor))
    finally:
        os.close(descriptor)
    try:
        while (ending := process.poll()) is None and time.monotonic() - started < seconds:
            time.sleep(_POLL_SECONDS)
    finally:
        process.kill()
        process.wait()
        processes.kill_descendants(before)
    passed = round(time.monotonic() - started, 2)
    text = log.read_text("utf-8", errors="replace")[-_LOG_CHARACTERS:]
    if ending is None:
        return Outcome("time", passed, why=f"not done within {seconds:g} s (--seconds)", log=text)
    try:
        said = json.loads(result.read_text("utf-8"))
    except (OSError, ValueError):
        return Outcome("died", passed, why=f"its process ended early ({ending})", log=text)
    why = said["why"]
    if said["status"] == "memory":
        why = f"needs more than {memory_bytes >> 20} MiB (--memory): {why}"
    return Outcome(said["status"], passed, said["value"], why, text)


def side_by_side(work: Callable[[One], Result], items: Iterable[One], workers: int) -> Iterator[Result]:
    """What `work` makes of each item, as it comes, from `workers` forked processes that share the cores.

    With one worker it is called here, in order. Raises what `work` raises. Fork from a process without threads.
    """
    if workers == 1:
        yield from map(work, items)
        return
    with ProcessPoolExecutor(workers, get_context("fork"), _share_cores, (workers,)) as pool:
        for done in as_completed([pool.submit(work, item) for item in items]):
            yield done.result()


def _share_cores(workers: int) -> None:
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // workers))


def _child(work: Callable[[], Any], result: Path, memory_bytes: int) -> None:
    limit = watchdog.address_space() + memory_bytes + _SPARE_ADDRESSES
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    said: dict[str, Any] = {"status": "done", "value": None, "why": None}
    try:
        said["value"] = work()
    except BaseException as error:
        said["status"] = "memory" if _is_memory(error) else "failed"
        said["why"] = str(error) if isinstance(error, Expected) else _one_line(error)
        if not isinstance(error, Expected):
            traceback.print_exc()
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # room to say what happened
    result.write_text(json.dumps(said), "utf-8")


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or any(word in str(error) for word in _OUT_OF_MEMORY)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split("\n\n")[0].split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
