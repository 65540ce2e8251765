"""The runner as the supervisor sees it: a process that is not trusted, two pipes, and how it ended."""

import contextlib
import os
import selectors
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluator.job import Job
from evaluator.runner import isolation, processes, protocol, whereabouts
from evaluator.runner.capture import Stream
from evaluator.runner.processes import Process
from evaluator.runner.protocol import Channel, Message

_READ_BYTES = 1 << 16
_FOLDERS = "passnet-run-"

Take = Callable[[Stream, bytes], bool]
Main = Callable[[Channel, Job, Path], None]


@dataclass
class RunnerProcess:
    process: Process
    folder: Path  # private to this process, gone with it
    selector: selectors.BaseSelector
    pipes: dict[int, Stream]  # descriptor → "stdout" | "stderr", while open
    place: int  # descriptor: where the submission was when its time was nearly over
    limit: str | None = None  # "oom" | "processes" | "output_limit": why the supervisor ends it

    @staticmethod
    def start(
        job: Job,
        selector: selectors.BaseSelector,
        main: Main | None = None,
        *,
        run_ends: float = float("inf"),
        waits: bool = False,
    ) -> tuple["RunnerProcess", Channel]:
        """Fork a runner for `job`; also returns the judge's end of the private channel to it.

        `selector` wakes up when the runner prints. `main` is what it does: by default it serves a judge, and knows when
        the run ends; where it `waits`, it is told the job and that time when they are known.
        """
        from evaluator.runner import worker  # imports torch: only in processes that are warm

        for_judge, for_runner = protocol.pair()
        out, out_end = os.pipe2(os.O_CLOEXEC)
        err, err_end = os.pipe2(os.O_CLOEXEC)
        place, place_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDERS}{os.getpid()}-"))
        serve = partial(main or partial(worker.main, place=place_end, run_ends=run_ends, waits=waits), for_runner, job)
        keep = [for_runner.fileno(), place_end]
        process = isolation.start(serve, job, folder, keep=keep, stdio=(None, out_end, err_end))
        os.close(out_end)
        os.close(err_end)
        os.close(place_end)
        for_runner.close()
        for pipe in (out, err):
            os.set_blocking(pipe, False)
            selector.register(pipe, selectors.EVENT_READ)
        return RunnerProcess(process, folder, selector, {out: "stdout", err: "stderr"}, place), for_judge

    def drain(self, take: Take) -> None:
        """Hand over what has been printed, as long as `take` wants more; a stream at its end is closed."""
        for pipe, stream in list(self.pipes.items()):
            with contextlib.suppress(BlockingIOError):
                while data := os.read(pipe, _READ_BYTES):
                    if not take(stream, data):
                        return
                self._close(pipe)

    def end(self, others: frozenset[int], take: Take) -> Message:
        """Kill it and all that it started, which is every process below this one but `others`; says how it ended.

        `code` and `signal` are None where it still ran and was ended from here.
        """
        by_itself = self.process.poll()
        self.process.kill()
        self.process.wait()
        processes.kill_descendants(others)
        self.drain(take)
        for pipe in list(self.pipes):
            self._close(pipe)
        place = whereabouts.read(self.place)
        os.close(self.place)
        _remove(self.folder)
        return {
            "gone": self.process.pid,
            "limit": self.limit,
            "code": by_itself.code if by_itself else None,
            "signal": by_itself.signal if by_itself else None,
            "place": place,
        }

    def _close(self, pipe: int) -> None:
        self.selector.unregister(pipe)
        os.close(pipe)
        del self.pipes[pipe]


def sweep() -> None:
    """Remove the folders of runs whose supervisor was killed before it could do so."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}*-*"):
        pid = folder.name.removeprefix(_FOLDERS).partition("-")[0]
        with contextlib.suppress(OSError):
            if pid.isdigit() and folder.stat().st_uid == os.getuid() and not processes.is_alive(int(pid)):
                _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a run's folder. A submission may have taken away the permission to list or change what lies in it."""
    for path, folders, _ in os.walk(folder):  # links are not followed; top down, so that each can be entered
        for name in folders:
            below = Path(path, name)
            if not below.is_symlink():
                with contextlib.suppress(OSError):
                    below.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
