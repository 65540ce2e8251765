"""Eager against Inductor for a whole tree of samples: in batches, going on where it stopped, ending when it is told to.

A batch is compiled by several processes first, into a cache of their own; then one process alone measures it, so that
no compiler works beside a timing. Nothing here imports Django; the lines are those of `evaluator baseline --json`.
"""

import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from dataset import measure_child
from dataset.tasks import INDEX
from evaluator.baseline_command import one_process
from evaluator.runner import linux, processes
from evaluator.runner.hardware import processor
from evaluator.runner.versions import versions
from graphs.identity import graph_identity
from graphs.problems import ReadProblem
from graphs.samples import Sample, find_samples, read_sample

RESULTS = "baselines.jsonl"
BENCHMARK = "benchmark.json"
KINDS = ("fusible", "classical", "single")
_COMPILING = 0.5  # of the time that is left may go into compiling one batch
_POLL = 0.05

Line = dict[str, Any]


@dataclass(frozen=True)
class MeasureOptions:
    """`seconds` is the limit for everything, `graph_seconds` for one graph and for compiling a batch beforehand, which
    `workers` processes do."""

    device: str = "cpu"
    seconds: float = 3600.0
    graph_seconds: float = 120.0
    workers: int = 1
    batch: int = 128
    retry: bool = False  # also what could not be measured before


@dataclass
class Measured:
    """Counts of graphs. `left`: the time was up before they were looked at."""

    measured: int = 0
    failed: int = 0
    before: int = 0
    left: int = 0


def measure_all(root: Path, out: Path, options: MeasureOptions, say: Callable[[str], None]) -> Measured:
    """Measure every graph below `root` that `out`/baselines.jsonl does not have; lines are appended as they come.

    Those of `root`/benchmark.json come first, see `ordered`.
    """
    deadline = time.monotonic() + options.seconds
    out.mkdir(parents=True, exist_ok=True)
    done = _done(out / RESULTS, options)
    found = Measured()
    waiting: dict[str, Sample] = {}
    seen: set[str] = set()
    for folder in ordered(root):
        try:
            sample = read_sample(folder)
        except ReadProblem as problem:
            say(f"{folder}: {problem}")
            found.failed += 1
            continue
        identity = graph_identity(sample)
        if identity in seen:
            continue
        seen.add(identity)
        if identity in done:
            found.before += 1
        else:
            waiting[identity] = sample
    linux.adopt_orphans()
    measure_child.import_before_forks()
    names = list(waiting)
    with tempfile.TemporaryDirectory(prefix="passnet-measure-") as work, (out / RESULTS).open("a") as file:
        for start in range(0, len(names), options.batch):
            batch = [waiting[name] for name in names[start : start + options.batch]]
            left = deadline - time.monotonic()
            if left <= 0:
                break
            if options.workers > 1:
                _compile(batch, Path(work), options, min(_COMPILING * left, options.graph_seconds))
            for lines in _measure(batch, Path(work), options, deadline):
                file.writelines(json.dumps(line) + "\n" for line in lines)
                file.flush()
                failed = all("error" in line for line in lines)
                found.failed += failed
                found.measured += not failed
            say(f"{found.measured} measured, {found.failed} failed, {found.before} before, of {len(seen)} graphs")
    found.left = len(names) - found.measured - found.failed
    return found


def ordered(root: Path) -> list[Path]:
    """The samples below `root`: of the benchmark's tasks, of those kept apart for it, and then of the others by kind.

    Of each of these the first graph of every task comes before the second of any, so that whenever the time is up, as
    many tasks as possible have figures.
    """
    if not (root / INDEX).is_file():
        return list(find_samples(root))
    tasks = json.loads((root / INDEX).read_text("utf-8"))
    lists: list[list[str]] = []
    if (root / BENCHMARK).is_file():
        manifest = json.loads((root / BENCHMARK).read_text("utf-8"))
        lists += [[entry["id"] for entry in manifest[name]] for name in ("benchmark", "held_out")]
    lists += [[task["id"] for task in tasks if task["kind"] == kind] for kind in KINDS]
    found: list[Path] = []
    for ids in lists:
        graphs = [sorted(find_samples(root / task)) for task in ids]
        found += [one for rank in itertools.zip_longest(*graphs) for one in rank if one is not None]
    return list(dict.fromkeys([*found, *find_samples(root)]))


def _done(path: Path, options: MeasureOptions) -> set[str]:
    """Identities that have lines of this kind of device."""
    found = set()
    if path.is_file():
        for text in path.read_text("utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue  # cut off when the process was ended
            kind = str(line.get("device", "")).partition(":")[0]
            if kind == options.device.partition(":")[0] and not (options.retry and "error" in line):
                found.add(line.get("identity", ""))
    return found


def _compile(batch: Sequence[Sample], folder: Path, options: MeasureOptions, seconds: float) -> None:
    """Fill the compilers' caches. Whatever goes wrong shows when the graph is measured."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    os.write(writer, b"".join(place.to_bytes(4, "big") for place in range(len(batch))))
    os.close(writer)
    before = frozenset(processes.descendants(os.getpid()))
    count = min(options.workers, len(batch))
    work = partial(measure_child.compile_samples, batch, reader, folder, options.device)
    running = [processes.start(work, keep=[reader], stdio=(None, 2, 2)) for _ in range(count)]
    os.close(reader)
    end = time.monotonic() + seconds
    try:
        while any(process.poll() is None for process in running) and time.monotonic() < end:
            time.sleep(_POLL)
    finally:
        for process in running:
            process.kill()
            process.wait()
        processes.kill_descendants(before)


def _measure(batch: Sequence[Sample], folder: Path, options: MeasureOptions, deadline: float) -> Iterator[list[Line]]:
    """Lines of each graph, in order. One process measures them; another takes over where it dies."""
    common = {"device": options.device, "processor": processor(), "versions": versions()}
    remaining = list(batch)
    while remaining and time.monotonic() < deadline:
        work = partial(measure_child.measure_samples, folder=folder, device=options.device)
        for lines in one_process(remaining, work, options.graph_seconds):
            sample = remaining.pop(0)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            about = {"graph": sample.name, "identity": graph_identity(sample), **common, "measured_at": now}
            yield [{**about, **line} for line in lines]
            if time.monotonic() >= deadline:
                return


def default_workers() -> int:
    """A core is left for whoever waits for the compilers."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
