"""A fresh interpreter for each graph and compiler, with empty compiler caches, as published harnesses do it.

Most of what such an interpreter does is to read some gigabytes of torch, Triton and CUDA's libraries. How long that
takes depends on whether the host still has those files in memory, so it is measured both ways: `cold` has the kernel
forget them before each interpreter, as it is in a new container or on a machine that did something else meanwhile;
otherwise the interpreter before has read them. (What lies below a virtual machine may keep them even then.)
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRESH = Path(__file__).with_name("fresh_interpreter.py")
CACHES = ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")


def seconds(names: Sequence[str], *, cold: bool) -> float:
    """Seconds for these graphs, each once with the pass and once with Inductor."""
    taken = 0.0
    for name in names:
        for compiler in ("pass", "inductor"):
            if cold:
                forget_files()
            with tempfile.TemporaryDirectory() as caches:
                environment = {**os.environ, **{part: str(Path(caches, part)) for part in CACHES}}
                command = [sys.executable, str(FRESH), name, compiler]
                started = time.perf_counter()
                subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=300)
                taken += time.perf_counter() - started
    return taken


def forget_files() -> None:
    """Have the kernel drop Python's and torch's files from its cache; files that a living process maps stay."""
    os.sync()
    for path in _files():
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def _files() -> Iterator[str]:
    found = importlib.util.find_spec("torch")
    assert found is not None and found.origin is not None
    packages = Path(found.origin).parents[1]  # triton and CUDA's libraries lie beside torch
    for folder, _, names in os.walk(packages):
        yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118 (tens of thousands)
