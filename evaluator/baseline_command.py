"""`python -m evaluator baseline`: eager against Inductor for every graph of a task, on the CPU or on a GPU.

On the CPU these are the only speeds that can be shown. They say what a compiler makes of a graph on this processor and
nothing about a pass: its kernels are interpreted there, which is never timed.
"""

import json
import os
import select
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from evaluator import baseline_child
from evaluator.baseline_child import Gpu
from evaluator.baseline_words import COMPILER, MISSING_COMPILER, NO_GPU
from evaluator.runner import cpu_seed, linux, processes
from evaluator.runner.hardware import processor
from evaluator.runner.versions import versions
from graphs.identity import graph_identity
from graphs.samples import Sample

MEASURED, FAULT = 0, 3

Line = dict[str, Any]


def run(
    samples: Sequence[Sample], *, as_json: bool, threads: int = 1, seconds: float = 180.0, gpu: Gpu | None = None
) -> int:
    """Measure and print as it goes; returns the exit status. `seconds` is the limit for one graph."""
    linux.adopt_orphans()
    if not as_json:
        _print_head(samples, threads, gpu)
    stops = {MISSING_COMPILER: COMPILER, NO_GPU: NO_GPU}
    for line in measure(samples, threads=threads, seconds=seconds, gpu=gpu):
        if line.get("error") in stops:
            print(f"evaluator: {stops[line['error']]}", file=sys.stderr)
            return FAULT
        if as_json:
            print(json.dumps(line), flush=True)
        else:
            _print_row(line, max(len(sample.name) for sample in samples))
    return MEASURED


def measure(
    samples: Sequence[Sample], *, threads: int = 1, seconds: float = 180.0, gpu: Gpu | None = None
) -> Iterator[Line]:
    """Lines of each graph in order, on the CPU one each. One process measures all; another takes over where it dies."""
    common = {"device": "cpu" if gpu is None else gpu.device, "processor": processor(), "versions": versions()}
    common |= {"entry": "direct", "method": "e2e"} if gpu is None else {}
    remaining, seed = list(samples), cpu_seed.ready() if gpu is None or gpu.device == "cpu" else b""
    while remaining:
        with tempfile.TemporaryDirectory(prefix="passnet-baseline-") as folder:
            main = partial(baseline_child.main, folder=Path(folder), threads=threads, gpu=gpu, seed=seed)
            for lines in one_process(remaining, main, seconds):
                sample = remaining.pop(0)
                now = datetime.now(UTC).isoformat(timespec="seconds")
                about = {"graph": sample.name, "identity": graph_identity(sample), **common, "measured_at": now}
                yield from ({**about, **line} for line in lines)


def one_process(samples: Sequence[Sample], work: Callable[..., None], seconds: float) -> Iterator[list[Line]]:
    """Lines of each graph until all are done or one has ended the process; that one's line is the last."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    before = frozenset(processes.descendants(os.getpid()))
    process = processes.start(partial(work, samples, writer), keep=[writer], stdio=(None, 2, 2))
    os.close(writer)
    lines = _Lines(reader)
    try:
        for _ in samples:
            text = lines.next(seconds)
            if not text:
                process.kill()
                ended = process.wait()
                why = "time" if text is None else f"the process ended ({ended})"
                yield [{"error": f"not measured within {seconds:g} s" if why == "time" else why}]
                return
            yield json.loads(text)
    finally:
        process.kill()
        process.wait()
        processes.kill_descendants(before)  # a compiler that is still at work
        os.close(reader)


class _Lines:
    """Lines of a pipe. One read may bring several of them: what is left over is kept for the next call."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._data = descriptor, b""

    def next(self, seconds: float) -> bytes | None:
        """The next line; b"" at the end of the pipe, None when it takes too long."""
        end = time.monotonic() + seconds
        while b"\n" not in self._data:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            read = os.read(self._descriptor, 1 << 16)
            if not read:
                return b""
            self._data += read
        line, _, self._data = self._data.partition(b"\n")
        return line


def _print_head(samples: Sequence[Sample], threads: int, gpu: Gpu | None) -> None:
    width = max(len(sample.name) for sample in samples)
    known = versions()
    if gpu is None:
        print(f"CPU: {processor()}, {threads} thread{'s' * (threads != 1)} · torch {known['torch']}")
        print("eager against Inductor; says nothing about passes, whose kernels are interpreted on a CPU\n")
    else:
        print(f"{gpu.device}: eager against {', '.join(gpu.backends)} · torch {known['torch']}\n")
    print(
        f"  {'graph':<{width}}  {'eager µs':>10}  {'inductor µs':>11}  {'ratio':>6}  {'95 %':<13}  kernels", flush=True
    )


def _print_row(line: Line, width: int) -> None:
    name = f"{line['graph']:<{width}}"
    if "error" in line:
        print(f"■ {name}  {line['error']}", flush=True)
        return
    ratio = line["ratio"]
    interval = f"{ratio['low']:.2f} – {ratio['high']:.2f}"
    numbers = f"{line['eager_us']:>10.1f}  {line['inductor_us']:>11.1f}  {ratio['value']:>6.2f}  {interval:<13}"
    kernels = "–" if line["inductor_kernels"] is None else line["inductor_kernels"]
    how = "" if line["device"] == "cpu" else f"  {line['backend']}, {line['entry']} {line['method']}"
    print(f"● {name}  {numbers}  {kernels:>7}  {line['word']}{how}", flush=True)
