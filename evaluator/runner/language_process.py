"""A language server for one author's files: shut in like a runner, and speaking to whoever holds the other end.

It sees the author's files, the interpreter's packages and nothing else: no network, no other folder, no other process.
"""

import os
import shutil
import socket
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluator.job import Job, Limits
from evaluator.runner import isolation, new_root, processes, rlimits, watchdog
from evaluator.runner.processes import Process
from evaluator.runner.workspace import PASS_DIR, write_files

TYPES, LINT = "types", "lint"
_COMMANDS = {TYPES: ("pyrefly", "lsp", "--threads", "2", "--indexing-mode", "none"), LINT: ("ruff", "server")}
_FOLDERS = "passnet-run-"  # those that a crash leaves are swept with the folders of runs
# Ten minutes of processor time in all: after that the server is started again, for a page that still wants one.
LIMITS = Limits(run_seconds=600.0, memory_bytes=1 << 30, disk_bytes=32 << 20)

# What a kernel's author is told is certain. Types of kernels' arguments and of values in them are not: Triton's own
# annotations speak of the compiler's side (a block size is a `constexpr`, a sum a `tuple`), so those checks are off.
_OFF = (
    "bad-argument-type", "bad-assignment", "bad-index", "bad-param-name-override", "bad-return",
    "no-matching-overload", "not-callable", "not-iterable", "unsupported-operation",
)  # fmt: skip
_PYREFLY = """\
search-path = [".", "{passes}"]
site-package-path = [{packages}]
skip-interpreter-query = true
python-version = "{version}"
python-platform = "linux"

[errors]
{off}
"""
# Unknown names are pyrefly's to report: one mark for one mistake.
_RUFF = """\
line-length = 120
cache-dir = "ruff-cache"

[lint]
select = ["F"]
ignore = ["F821", "F822", "F823"]
"""


def programs() -> dict[str, str | None]:
    """Where each server's program is; None for one that is not installed."""
    beside = sysconfig.get_path("scripts")
    return {kind: shutil.which(command[0], path=beside) for kind, command in _COMMANDS.items()}


def package_folders() -> list[Path]:
    """Where `import torch` and `import triton` are looked up."""
    found = dict.fromkeys(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))
    return list(found)


@dataclass
class LanguageProcess:
    """One server. `root` is the folder with the files as the server sees it."""

    process: Process
    folder: Path
    root: Path
    inherited: int
    killed: bool = False

    @staticmethod
    def start(kind: str, files: dict[str, str], sock: socket.socket, folder: Path) -> "LanguageProcess":
        """Fork one that speaks over `sock`, a blocking socket. `folder` comes from `make_folder`."""
        inherited = watchdog.own_memory(os.getpid())
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            process = isolation.start(
                partial(_become, kind, programs()[kind] or "", files),
                Job(files={}, graphs=(), limits=LIMITS),
                folder,
                keep=[],
                stdio=(sock.fileno(), sock.fileno(), null),
            )
        finally:
            os.close(null)
        return LanguageProcess(process, folder, root_of(folder), inherited)

    def look(self) -> None:
        """End it when it, with all that it started, holds too much."""
        pids = processes.descendants(self.process.pid)
        held = watchdog.memory_beyond([self.process.pid, *pids], self.inherited)
        if held > LIMITS.memory_bytes or len(pids) > rlimits.PROCESSES:
            self.kill()

    def kill(self) -> None:
        self.killed = True
        self.process.kill()

    def clean_up(self, others: frozenset[int]) -> None:
        """When it has ended: end what it left behind and remove its folder."""
        processes.kill_descendants(others)
        shutil.rmtree(self.folder, ignore_errors=True)


def make_folder() -> Path:
    """An empty folder to shut a server in."""
    return Path(tempfile.mkdtemp(prefix=f"{_FOLDERS}{os.getpid()}-"))


def root_of(folder: Path) -> Path:
    """Where the author's files lie, as the server that is shut into `folder` sees it."""
    inside = isolation.probe().level != isolation.PROCESS_GROUP
    return (new_root.FOLDER if inside else folder) / PASS_DIR


def _become(kind: str, program: str, files: dict[str, str], folder: Path) -> None:
    write_files(files, folder)
    packages = ", ".join(f'"{path}"' for path in package_folders())
    off = "\n".join(f'{name} = "ignore"' for name in _OFF)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    text = _PYREFLY.format(passes=PASS_DIR, packages=packages, version=version, off=off)
    (folder / "pyrefly.toml").write_text(text)
    (folder / "ruff.toml").write_text(_RUFF)
    os.execv(program, [program, *_COMMANDS[kind][1:]])
