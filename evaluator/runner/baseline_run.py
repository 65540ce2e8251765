"""The run without a submission: eager against Inductor on the graphs themselves, on a CPU.

The graphs come from a data set and Inductor starts a C++ compiler on what it makes of them. So they are measured in a
process that is shut in like a submission's (`RunnerProcess`); its caches lie in its own folder and are gone with it.
Nothing of the sandbox has to be opened for the compiler: programs of the system may be started in there, only that a
submission's guards report it. A graph that ends the process, or takes too long, costs no more than itself.
"""

import math
import os
import selectors
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from evaluator import baseline_child
from evaluator.baseline_words import COMPILER, MISSING_COMPILER
from evaluator.job import Job
from evaluator.runner import cpu_seed, linux, processes, protocol, results, rlimits, seeds, watchdog
from evaluator.runner.capture import Capture, Stream
from evaluator.runner.hardware import processor
from evaluator.runner.protocol import Channel, Message
from evaluator.runner.runner_process import RunnerProcess
from evaluator.runner.versions import versions

MEASURED, FAULT, CANCELLED = 0, 3, 130

Emit = Callable[[str, dict[str, Any]], None]

_TICK = 0.05
_MEMORY_INTERVAL = 0.5
_MOST_WORDS = 2000  # characters of an error


def run_job(job: Job, emit: Emit, cancelled: Callable[[], bool] = lambda: False) -> int:
    """Measure every graph and emit `run_started`, a `baseline` for each graph, and `run_done`.

    Returns MEASURED; CANCELLED when `cancelled` said so (what was measured has been emitted); FAULT after an `error`.
    Nothing of the run is alive when it returns.
    """
    if job.device != "cpu":
        emit("error", {"message": f"Baselines without a submission are measured on a CPU only, not on {job.device}."})
        return FAULT
    linux.adopt_orphans()
    run = _Run(job, emit, cancelled)
    try:
        run.measure()
    finally:
        run.close()
    return run.last_word()


def measure_graphs(channel: Channel, job: Job, folder: Path, *, first: int, seed: bytes) -> None:
    """The isolated process: measure the job's graphs from number `first` on, one message each.

    `seed` is what our own process has tried out for Inductor, or nothing.
    """
    if seed:
        seeds.unpack(seed)
    for sample in job.graphs[first:]:
        channel.send({"measured": baseline_child.measure_quietly(sample)})


class _Run:
    def __init__(self, job: Job, emit: Emit, cancelled: Callable[[], bool]) -> None:
        self.job, self.limits = job, job.limits
        self.cancelled = cancelled
        self.emit = lambda kind, payload: emit(kind, results.printable(payload))
        self.done = self.failed = 0
        self.ending: str | None = None  # "cancelled" | "out of time" | "no compiler": no further process is started
        self.started = time.monotonic()
        self.before = frozenset(processes.descendants(os.getpid()))
        self.inherited = watchdog.own_memory(os.getpid())
        self.seed = b""
        self.selector = selectors.DefaultSelector()
        self.capture = Capture(partial(self.emit, "log"), self.limits.streamed_bytes, self.limits.output_bytes)

    def measure(self) -> None:
        self.emit("run_started", results.run_started(self.job))
        self.seed = cpu_seed.ready(self._is_over)
        while self.done < len(self.job.graphs) and self.ending is None:
            self._one_process()
        words = {
            "out of time": f"not measured: a run may take {self.limits.run_seconds:g} s in all",
            "no compiler": COMPILER,
        }
        while self.done < len(self.job.graphs) and self.ending in words:
            self._failed(words[self.ending])

    def last_word(self) -> int:
        if self.ending == "cancelled":
            return CANCELLED
        counts = {"measured": self.done - self.failed, "failed": self.failed}
        seconds = time.monotonic() - self.started
        self.emit("run_done", {**counts, "device": self.job.device, "versions": versions(), "seconds": seconds})
        return MEASURED

    def close(self) -> None:
        processes.kill_descendants(self.before)
        self.selector.close()

    def _one_process(self) -> None:
        """Measure until all graphs are done or one has ended the process; that one's word is the last."""
        self.capture.new_process()
        main = partial(measure_graphs, first=self.done, seed=self.seed)
        process, channel = RunnerProcess.start(self.job, self.selector, main)
        self.selector.register(channel, selectors.EVENT_READ)
        why: str | None = None
        try:
            self._start_graph()
            deadline, look = time.monotonic() + self.limits.measure_seconds, 0.0
            while why is None and self.ending is None and self.done < len(self.job.graphs):
                ready = {key.fd for key, _ in self.selector.select(_TICK)}
                process.drain(self._take)
                now = time.monotonic()
                if channel.fileno() in ready:
                    why = self._listen(channel)
                    deadline = time.monotonic() + self.limits.measure_seconds
                elif self._is_over():
                    pass
                elif now > deadline:
                    why = f"not measured within {self.limits.measure_seconds:g} s"
                elif now > look:
                    why, look = self._over_a_limit(), now + _MEMORY_INTERVAL
                self.capture.tick(now)
        finally:
            self.selector.unregister(channel)
            channel.close()
            gone = process.end(self.before, self._take)
            self.capture.flush()
        if why is not None:
            self._failed(f"{why} ({_ending(gone)})" if why == _HUNG_UP else why)

    def _is_over(self) -> bool:
        """Whether nothing more is to be measured, although there are graphs left."""
        if self.cancelled():
            self.ending = "cancelled"
        elif time.monotonic() - self.started > self.limits.run_seconds:
            self.ending = "out of time"
        return self.ending is not None

    def _listen(self, channel: Channel) -> str | None:
        """Hear one graph's numbers; why the process is of no use any more, or None."""
        try:
            said, descriptors = channel.receive(timeout=5.0)
            protocol.close_all(descriptors)
            line = checked(said["measured"])
        except (protocol.Closed, TimeoutError):
            return _HUNG_UP
        except (protocol.ProtocolError, KeyError, TypeError, ValueError):
            return "the process was damaged: it said something that is no measurement"
        if line.get("error") == MISSING_COMPILER:
            self.ending = "no compiler"
        elif "error" in line:
            self._failed(line["error"])
        else:
            self._told(line)
        if self.done < len(self.job.graphs) and self.ending is None:
            self._start_graph()
        return None

    def _over_a_limit(self) -> str | None:
        pids = processes.descendants(os.getpid(), self.before)
        if watchdog.memory_beyond(pids, self.inherited) > self.limits.memory_bytes:
            return f"it needs more than the {self.limits.memory_bytes >> 20} MiB that a run may use"
        if len(pids) > rlimits.MOST_PROCESSES:
            return f"it started more than {rlimits.MOST_PROCESSES} processes"
        return "it printed too much" if self.capture.exceeded else None

    def _start_graph(self) -> None:
        name = self.job.graphs[self.done].name
        self.emit("graph_started", {"graph": name, "index": self.done, "total": len(self.job.graphs)})

    def _failed(self, why: str) -> None:
        self.failed += 1
        self._told({"error": why})

    def _told(self, line: Mapping[str, Any]) -> None:
        about = {"graph": self.job.graphs[self.done].name, "device": self.job.device, "processor": processor()}
        self.done += 1
        self.emit("baseline", {**about, "versions": versions(), **line})

    def _take(self, stream: Stream, data: bytes) -> bool:
        self.capture.feed(stream, data, time.monotonic())
        return not self.capture.exceeded


_HUNG_UP = "the process ended"


def _ending(gone: Message) -> str:
    ended = gone["code"] is not None or gone["signal"] is not None
    return str(processes.Ending(gone["code"], gone["signal"])) if ended else "it hung up"


def checked(line: Any) -> dict[str, Any]:
    """What an isolated process says about a graph, believed as far as it can be true.

    Raises KeyError, TypeError or ValueError for anything else.
    """
    if "error" in line:
        return {"error": str(line["error"])[:_MOST_WORDS]}
    ratio = {name: _positive(line["ratio"][name]) for name in ("value", "low", "high")}
    kernels, threads = int(line["inductor_kernels"]), int(line["threads"])
    if kernels < 0 or threads < 1 or line["word"] not in ("faster", "slower", "same", "inconclusive"):
        raise ValueError("no measurement")
    return {
        "entry": "direct",
        "method": "e2e",
        "eager_us": _positive(line["eager_us"]),
        "inductor_us": _positive(line["inductor_us"]),
        "ratio": ratio,
        "word": line["word"],
        "inductor_kernels": kernels,
        "threads": threads,
    }


def _positive(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number) or number <= 0:
        raise ValueError(f"{value!r} is no time")
    return number
