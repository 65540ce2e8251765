"""Eager against Inductor for a whole tree of samples: in batches, going on where it stopped, ending when it is told to.

Several processes prepare a batch, each its share, and then time it one after another, so that no compiler works beside
a timing (`measure_round`). Nothing here imports Django; the lines are those of `evaluator baseline --json`.
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
from dataset.measure_child import NOT_READY
from dataset.measure_round import measure_round
from dataset.tasks import INDEX
from evaluator.baseline_command import one_process
from evaluator.runner import linux
from evaluator.runner.hardware import processor
from evaluator.runner.versions import versions
from graphs.identity import graph_identity
from graphs.problems import ReadProblem
from graphs.samples import Sample, find_samples, read_sample

RESULTS = "baselines.jsonl"
BENCHMARKS = ("benchmark", "benchmark-training", "benchmark-classical", "benchmark-single")  # .json
KINDS = ("fusible", "classical", "single")
_FULL = 0.9  # of the time that is left may be what the next round is expected to take

Line = dict[str, Any]


@dataclass(frozen=True)
class MeasureOptions:
    """`seconds` is the limit for everything, `graph_seconds` for one graph. `workers` processes prepare a batch."""

    device: str = "cpu"
    seconds: float = 3600.0
    graph_seconds: float = 120.0
    workers: int = 1
    batch: int = 150
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

    Those of the benchmarks come first, see `ordered`.
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
    with tempfile.TemporaryDirectory(prefix="passnet-measure-") as work, (out / RESULTS).open("a") as file:
        for lines in _measure([*waiting.values()], Path(work), options, deadline, say):
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
            failed = all("error" in line for line in lines)
            found.failed += failed
            found.measured += not failed
    found.left = len(waiting) - found.measured - found.failed
    return found


def ordered(root: Path) -> list[Path]:
    """The samples below `root`: of each benchmark's tasks and of those kept apart for it, then of the others by kind.

    Of each of these the first graph of every task comes before the second of any, so that whenever the time is up, as
    many tasks as possible have figures.
    """
    if not (root / INDEX).is_file():
        return list(find_samples(root))
    tasks = json.loads((root / INDEX).read_text("utf-8"))
    lists: list[list[str]] = []
    for path in (root / f"{name}.json" for name in BENCHMARKS):
        if path.is_file():
            manifest = json.loads(path.read_text("utf-8"))
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


def _measure(
    samples: Sequence[Sample], folder: Path, options: MeasureOptions, deadline: float, say: Callable[[str], None]
) -> Iterator[list[Line]]:
    """Lines of each graph that the time was enough for: in rounds, and at last alone those that a round lost."""
    common = {"device": options.device, "processor": processor(), "versions": versions()}

    def lines_of(sample: Sample, lines: list[Line]) -> list[Line]:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"graph": sample.name, "identity": graph_identity(sample), **common, "measured_at": now}
        return [{**about, **line} for line in lines]

    remaining = list(samples)
    lost: list[Sample] = []
    size = options.batch
    while options.workers > 1 and len(remaining) > 1 and size >= options.workers and time.monotonic() < deadline:
        started = time.monotonic()
        batch, remaining = remaining[:size], remaining[size:]
        found = measure_round(
            batch, options.workers, folder, options.device, graph_seconds=options.graph_seconds, deadline=deadline
        )
        ready = {place: json.loads(text) for place, text in sorted(found.items()) if text != NOT_READY}
        for place, lines in ready.items():
            yield lines_of(batch[place], lines)
        remaining = [batch[place] for place in sorted(found.keys() - ready.keys())] + remaining
        lost += [sample for place, sample in enumerate(batch) if place not in found]
        say(f"{len(samples) - len(remaining)} of {len(samples)} graphs looked at, {len(lost)} of them left for later")
        each = (time.monotonic() - started) / max(1, len(ready))
        size = min(options.batch, int(_FULL * (deadline - time.monotonic()) / each))  # no round that can not end
    remaining = lost + remaining
    # One process for all that is left: where it dies or hangs, the graph that did it is known, and another goes on.
    while remaining and time.monotonic() < deadline:
        work = partial(measure_child.measure_samples, folder=folder, device=options.device)
        seconds = min(options.graph_seconds, max(1.0, deadline - time.monotonic()))
        for lines in one_process(remaining, work, seconds):
            if "error" in lines[0] and time.monotonic() >= deadline:
                return  # the time for everything ended it
            yield lines_of(remaining.pop(0), lines)
            if time.monotonic() >= deadline:
                return


def default_workers() -> int:
    """A core is left for whoever waits for the compilers."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
