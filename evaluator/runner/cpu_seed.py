"""Which vector instructions Inductor may use on this CPU: tried out once, not in every run.

Before it compiles anything for a CPU, Inductor compiles and loads a few lines of torch's own for each set of
instructions that the processor has. That takes 8 to 15 s, and the libraries lie in the cache folder, which every run
has for itself. So they are made once, by a process of ours, and runs begin with them: Inductor still loads each to see
whether it works here. It looks for them by compiler, flags and torch: what no longer fits is not found, and made anew.
"""

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from evaluator.runner import processes, seeds
from evaluator.runner.versions import versions

_TICK = 0.05
_SECONDS = 120.0


def ready(stop: Callable[[], bool] = lambda: False) -> bytes:
    """The seed, to be unpacked where baselines are compiled; made now if there is none. Empty where there can be none.

    Waits two minutes at most, and no longer than until `stop` says so. Nothing that it has started is alive then.
    """
    path = _path()
    if path is None:
        return b""
    if not path.exists():
        _make(path, stop)
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


def _path() -> Path | None:
    """Where the seed is kept for this compiler and this torch; None without a compiler, or a folder to write to."""
    found = shutil.which(os.environ.get("CXX", "g++"))
    folder = seeds.folder()
    try:
        compiler = Path(found).resolve().stat() if found else None
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    if compiler is None or not os.access(folder, os.W_OK):
        return None
    identity = repr(("vector instructions", found, compiler.st_size, compiler.st_mtime_ns, sorted(versions().items())))
    return folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:40]}.zip"


def _make(path: Path, stop: Callable[[], bool]) -> None:
    before = frozenset(processes.descendants(os.getpid()))
    process = processes.start(partial(_try_out, path), stdio=(None, 2, 2))
    until = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < until and not stop():
        time.sleep(_TICK)
    process.kill()
    process.wait()
    processes.kill_descendants(before)  # a compiler that is still at work


def _try_out(path: Path) -> None:
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    with contextlib.suppress(Exception):  # where nothing can be compiled, the run says so
        seeds.make(path, pick_vec_isa)
