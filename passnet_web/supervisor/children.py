"""Child processes that can not outlive us, and that come back when they die."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
MAX_LOG_BYTES = 16 << 20
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before a dead child is started again; doubled each time
SOUND_AFTER = 60.0  # a child that has lived so long is taken for sound: the next pause is the first one again

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Spec:
    """What a child is: its name in messages, its command, its environment, how long it may take to stop.

    One that does its work `once` is not started again when it has ended.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    stop_seconds: float = 5.0
    once: bool = False


class Child:
    """One child process, its log and its restarts."""

    def __init__(self, spec: Spec, folder: Path, logs: Path, say: Callable[[str], None]) -> None:
        self.spec = spec
        self.log = logs / f"{spec.name}.log"
        self._folder = folder
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause = FIRST_PAUSE
        self._start_at: float | None = None
        self.deaths = 0

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Starts the process. Must be called from the main thread: the kernel ends a child when the *thread* that
        started it ends."""
        self._start_at = None
        self._started_at = time.monotonic()
        with open_log(self.log) as log:
            self._process = subprocess.Popen(
                self.spec.command,
                cwd=self._folder,
                env=dict(self.spec.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us: we stop the children in order
                preexec_fn=_die_with(os.getpid()),
            )

    def look(self) -> None:
        """Notices a death, says so, and starts the child again after a pause that grows."""
        now = time.monotonic()
        if self._start_at is not None:
            if now >= self._start_at:
                self.start()
            return
        if self._process is None or self._process.poll() is None:
            return
        if self.spec.once:
            self._end_of_work(self._process)
            return
        self.deaths += 1
        if now - self._started_at > SOUND_AFTER:
            self._pause = FIRST_PAUSE
        how = describe_exit(self._process.returncode)
        self._say(f"{self.spec.name} {how}; starting it again in {self._pause:g} s. Its log: {self.log}")
        self._start_at = now + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _end_of_work(self, process: "subprocess.Popen[bytes]") -> None:
        """Says how it went when it did not go well."""
        self._process = None
        if process.returncode:
            how = describe_exit(process.returncode)
            self._say(f"{self.spec.name} {how}; it is tried again at the next start. Its log: {self.log}")

    def stop(self, hurry: Callable[[], bool]) -> None:
        """Asks the child to end, waits, and kills what is left of it. `hurry` turning true cuts the wait short."""
        self._start_at = None
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
            deadline = time.monotonic() + self.spec.stop_seconds
            while process.poll() is None and time.monotonic() < deadline and not hurry():
                time.sleep(0.02)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its own session: whatever it left behind in there
        process.wait()

    def last_lines(self, count: int = 8) -> str:
        """The end of its log."""
        try:
            text = self.log.read_bytes()[-8192:].decode(errors="replace")
        except OSError:
            return ""
        return "\n".join(text.splitlines()[-count:])


def describe_exit(code: int) -> str:
    """How a process ended, from its return code, in words."""
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


def open_log(path: Path) -> IO[bytes]:
    """A log to append to; one that has grown large is put aside first."""
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path.open("ab")


def _die_with(parent: int) -> Callable[[], None]:
    """What a child does before it becomes its program: ask the kernel to be killed when we end, however we end."""

    def before_exec() -> None:
        if _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            os._exit(127)
        if os.getppid() != parent:  # we ended before the line above
            os._exit(127)

    return before_exec


def python(*arguments: str) -> list[str]:
    """The command of a Python module or script in this environment."""
    return [sys.executable, *arguments]
