"""The matcher: an isolated process that matches one text of a submission and ends.

It is told which graphs there are before anybody knows the text, and makes the one in view ready: what then remains to
do between a key and an answer is to import the files, to trace the pattern and to match. Everything after the import is
the submission's process; whoever listens believes none of it (`match_answers`).
"""

import os
import resource
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.fx import GraphModule

from evaluator.engine.build import UnsupportedTarget, build
from evaluator.engine.load import BadSubmission, LoadedPass, load_submission, modules_of
from evaluator.engine.passes import match_passes
from evaluator.runner import rehearsal, workspace
from evaluator.runner.failures import failure
from evaluator.runner.match_lines import Lines
from evaluator.runner.protocol import Closed, Message
from evaluator.runner.unfinished import completed
from graphs.fx_source import parse
from graphs.problems import ReadProblem

STEP_CPU_SECONDS = 2  # for the import, and again for each graph
TOTAL_CPU_SECONDS = 12
MAX_BYTES = 64 << 20


def main(sock: socket.socket, folder: Path) -> None:
    """Hear which graphs there are, say `ready`, hear what to match, answer for each graph, and end."""
    lines = Lines(sock, MAX_BYTES)
    sock.setblocking(True)
    messages = _messages(lines)
    with torch.no_grad():
        try:
            prepared = next(messages)
            bench = _Graphs(prepared["graphs"], folder)
            bench.rehearse(prepared["first"])
            lines.put({"say": "ready"})
            request = next(messages)
        except (StopIteration, Closed):
            return
        _match(bench, request, folder, _saying(lines))


def _messages(lines: Lines) -> Iterator[Message]:
    while True:
        yield from lines.read()


def _saying(lines: Lines) -> Callable[[Message], None]:
    me = os.getpid()

    def say(message: Message) -> None:
        if os.getpid() != me:  # the submission has forked, and this is its child
            os._exit(0)
        lines.put(message)

    return say


class _Graphs:
    """The task's graphs, each built when it is asked for."""

    def __init__(self, sources: list[str], folder: Path) -> None:
        self.sources, self.folder = sources, folder
        self._built: dict[int, GraphModule] = {}

    def module(self, index: int) -> GraphModule:
        """Raises ReadProblem and UnsupportedTarget."""
        if index not in self._built:
            self._built[index] = build(parse(self.sources[index]))
        return self._built[index]

    def rehearse(self, index: int) -> None:
        """Touch what matching will touch, so that the memory which that takes is ours by then."""
        list(modules_of(self.folder))
        try:
            match_passes(self.module(index), (rehearsal.own_pass(),))
        except (ReadProblem, UnsupportedTarget):
            return  # said when it is asked for

    def others(self, first: int) -> list[int]:
        return [index for index in range(len(self.sources)) if index != first]


def _match(bench: _Graphs, request: Message, folder: Path, say: Callable[[Message], None]) -> None:
    start_of_limits = _Limit()
    pass_dir = folder / workspace.PASS_DIR
    try:
        files, missing = completed(request["files"])
        passes = _load(files, folder)
    except BaseException as problem:
        say({"say": "failed", **failure(problem, pass_dir)})
        return
    say({"say": "loaded"})
    for index in [request["first"], *bench.others(request["first"])]:
        start_of_limits.renew()
        try:
            found = _found(bench.module(index), passes)
            say({"say": "graph", "graph": index, **found, "notes": [*missing, *found["notes"]]})
        except (ReadProblem, UnsupportedTarget) as problem:
            say({"say": "unreadable", "graph": index, "message": str(problem)})
        except BaseException as problem:
            say({"say": "failed", **failure(problem, pass_dir)})
            return
    say({"say": "done"})


def _load(files: dict[str, str], folder: Path) -> tuple[LoadedPass, ...]:
    try:
        pass_dir = workspace.write_files(files, folder)
    except (workspace.UnsafeName, OSError) as error:
        raise BadSubmission(f"the submission's files can not be written: {error}") from error
    return load_submission(pass_dir)


def _found(module: GraphModule, passes: tuple[LoadedPass, ...]) -> dict[str, Any]:
    found = match_passes(module, passes)
    return {
        "matches": found.matches,
        "per_pass": found.per_pass,
        "nodes": found.matched_nodes,
        "lines": found.lines,
        "near_misses": found.near_misses,
        "notes": found.notes,
    }


class _Limit:
    """Processor time of this process, kept by the kernel: a little for each step, and a total that nothing lifts."""

    def __init__(self) -> None:
        self._hard = int(self._used()) + 1 + TOTAL_CPU_SECONDS
        self.renew()

    def renew(self) -> None:
        soft = min(self._hard, int(self._used()) + 1 + STEP_CPU_SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, self._hard))

    @staticmethod
    def _used() -> float:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime
