"""Starting, watching and ending the processes of a run.

Forking is safe here because whoever forks has one thread: the warm parent limits every thread pool to one before it
imports torch (`warm.py`), and its loops use selectors instead of threads. A forked child never returns into the
parent's code: it runs one function and leaves with `os._exit`.
"""

import contextlib
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.runner import linux

FAULT_EXIT = 70  # our own code failed in a child; the traceback is on its standard error

# SIGPIPE and SIGXFSZ stay ignored, as Python has it: they become exceptions.
_DEFAULT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


@dataclass(frozen=True)
class Ending:
    """How a process ended: by an exit status or by a signal, exactly one of them."""

    code: int | None
    signal: int | None

    def __str__(self) -> str:
        if self.signal is None:
            return f"exit status {self.code}"
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return f"signal {self.signal}"


@dataclass
class Process:
    """A forked child, leader of its own session."""

    pid: int
    ending: Ending | None = None

    def poll(self) -> Ending | None:
        """How it ended, or None while it runs. Reaps it."""
        if self.ending is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._ended(status)
        return self.ending

    def wait(self) -> Ending:
        if self.ending is None:
            self._ended(os.waitpid(self.pid, 0)[1])
        assert self.ending is not None
        return self.ending

    def kill(self) -> None:
        """Kill its process group. Safe at any time: the pid can not be reused before it is reaped."""
        if self.ending is None:
            for target in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    target(self.pid, signal.SIGKILL)

    def _ended(self, status: int) -> None:
        if os.WIFSIGNALED(status):
            self.ending = Ending(None, os.WTERMSIG(status))
        else:
            self.ending = Ending(os.WEXITSTATUS(status), None)


def start(
    main: Callable[[], None], *, keep: Iterable[int] = (), stdio: Sequence[int | None] = (None, None, None)
) -> Process:
    """Fork a child that runs `main` in its own session and ends with it; it dies with this process.

    `keep` are the descriptors it may use; all others are closed. `stdio` are the descriptors for its standard
    streams, None leaves the parent's (standard input becomes /dev/null).
    """
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _be_child(main, parent, set(keep), stdio)
    return Process(pid)


def _be_child(main: Callable[[], None], parent: int, keep: set[int], stdio: Sequence[int | None]) -> None:
    code = FAULT_EXIT
    try:
        gc.disable()  # nothing of the parent's is collected in the child
        os.setsid()
        linux.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        for number in _DEFAULT_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        _redirect(stdio)
        close_others(keep)
        gc.enable()
        main()
        code = 0
    except BaseException:
        with contextlib.suppress(BaseException):
            os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        os._exit(code)


def _redirect(stdio: Sequence[int | None]) -> None:
    stdin, stdout, stderr = stdio
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null if stdin is None else stdin, 0)
    for source, target in ((stdout, 1), (stderr, 2)):
        if source is not None:
            os.dup2(source, target)


def close_others(keep: set[int]) -> None:
    """Close every descriptor but the standard streams and `keep`."""
    lowest = 3
    for descriptor in sorted(fd for fd in keep if fd >= lowest):
        os.closerange(lowest, descriptor)
        lowest = descriptor + 1
    os.closerange(lowest, 1 << 20)


def parents() -> dict[int, int]:
    """pid → parent's pid of every process that can be seen."""
    found = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 (asked ten times a second)
        if entry.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = Path("/proc", entry, "stat").read_bytes()
                found[int(entry)] = int(stat[stat.rindex(b")") + 2 :].split()[1])
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        stat = Path("/proc", str(pid), "stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rindex(b")") + 2 :][:1] not in (b"Z", b"X")


def count_of(uid: int) -> int:
    """Threads that run under a user id now, as the kernel counts them for RLIMIT_NPROC."""
    count = 0
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid == uid:
                count += len(list((process / "task").iterdir()))
    return count


def descendants(ancestor: int, but: frozenset[int] = frozenset()) -> list[int]:
    """All living processes below `ancestor`, nearest first; those in `but`, and what is below them, left out."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        for pid in children.get(waiting.pop(0), ()):
            if pid not in but:
                found.append(pid)
                waiting.append(pid)
    return found


def kill_descendants(but: frozenset[int], seconds: float = 10.0) -> list[int]:
    """Kill and reap everything below this process except `but`; returns what is still alive after `seconds`.

    This process must be a subreaper (`linux.adopt_orphans`), so that orphans come to it. Freezing everything before
    killing keeps a fork bomb from outrunning the loop.
    """
    end = time.monotonic() + seconds
    while True:
        reap(but)
        left = descendants(os.getpid(), but)
        if not left or time.monotonic() > end:
            return left
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        time.sleep(0.002)


def reap(but: frozenset[int]) -> None:
    """Collect ended children that nobody waits for (adopted orphans)."""
    me = os.getpid()
    for pid, parent in parents().items():
        if parent == me and pid not in but:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
