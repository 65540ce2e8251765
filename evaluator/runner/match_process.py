"""A matcher as the lane sees it: a process that is not trusted, the lines to it, and how it ended."""

import os
import shutil
import signal
import socket
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evaluator.job import MATCH, Job, Limits
from evaluator.runner import isolation, processes, rlimits, watchdog
from evaluator.runner.match_lines import Lines
from evaluator.runner.processes import Process

LIMITS = Limits(memory_bytes=1 << 30, disk_bytes=32 << 20)
_MAX_ANSWER_BYTES = 2 << 20  # of one graph: all its node names, and more
_FOLDERS = "passnet-run-"  # those that a crash leaves are swept with the folders of runs


@dataclass
class MatchProcess:
    """One matcher, for one text. `sources` and `first` are what it was made ready for."""

    process: Process
    lines: Lines
    folder: Path
    sources: list[str]
    first: int
    inherited: int  # bytes that it shares with us
    limit: str | None = None  # "oom" | "processes": why we ended it
    killed: bool = field(default=False)

    @staticmethod
    def start(sources: list[str], first: int) -> "MatchProcess":
        """Fork one and tell it the graphs; it says `ready` when the first is built."""
        from evaluator.runner import matcher  # imports torch: only in processes that are warm

        ours, theirs = socket.socketpair()
        folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDERS}{os.getpid()}-"))
        null = os.open(os.devnull, os.O_WRONLY)
        job = Job(files={}, graphs=(), limits=LIMITS, purpose=MATCH)
        inherited = watchdog.own_memory(os.getpid())
        try:
            process = isolation.start(
                partial(matcher.main, theirs), job, folder, keep=[theirs.fileno()], stdio=(None, null, null)
            )
        finally:
            os.close(null)
            theirs.close()
        made = MatchProcess(process, Lines(ours, _MAX_ANSWER_BYTES), folder, sources, first, inherited)
        made.lines.put({"graphs": sources, "first": first})
        return made

    def ask(self, files: dict[str, str], first: int) -> None:
        """Have these files matched, graph number `first` before the others."""
        self.lines.put({"files": files, "first": first})

    def look(self, others: frozenset[int]) -> None:
        """End it when it, with all that it started, holds too much. `others` are not its own."""
        pids = processes.descendants(os.getpid(), others)
        if watchdog.memory_beyond(pids, self.inherited) > LIMITS.memory_bytes:
            self.limit = "oom"
        elif len(pids) > rlimits.MOST_PROCESSES:
            self.limit = "processes"
        if self.limit is not None:
            self.kill()

    def kill(self) -> None:
        self.killed = True
        self.process.kill()

    def clean_up(self, others: frozenset[int]) -> None:
        """When it has ended: end what it left behind and remove its folder."""
        processes.kill_descendants(others)
        self.lines.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def how_it_ended(self, what: str) -> str:
        """A sentence for the author. `what` it was doing."""
        ending = self.process.wait()
        if self.limit == "oom":
            return f"Stopped {what}: it needed more than the {LIMITS.memory_bytes >> 20} MiB that matching may use."
        if self.limit == "processes":
            return f"Stopped {what}: it started more processes than a pass may."
        if ending.signal == signal.SIGXCPU:
            return f"Stopped {what}: it used all the processor time that matching may. Is there a loop without an end?"
        return f"The process ended {what}, with {ending}."
