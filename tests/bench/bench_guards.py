"""Measures what isolation and guards cost a run: `python tests/bench/bench_guards.py [--device cuda] [--rounds N]`.

The target: under 150 ms a run, and nothing on timed calls, which have no guard around them. Two warm daemons judge the
same honest pass in turn, one as it is shipped, one without isolation and without guards; the daemon that comes first
changes from round to round. What is printed are medians, and the median of the differences within a round.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "evaluator" / "runner")]

import small  # noqa: E402
from serving import UNCHECKED, RunningDaemon  # noqa: E402

from evaluator.job import Job  # noqa: E402
from evaluator.run_command import read_samples  # noqa: E402
from graphs.samples import read_pass_dir  # noqa: E402

TASK = ROOT / "graphs" / "data" / "masked-mean-pooling"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    graph = (small.sample("one", rows=2),)
    jobs = {
        "one small graph": Job(small.files(), graph, device=asked.device, baselines=()),
        "masked mean pooling": Job(
            read_pass_dir(TASK / "example"), tuple(read_samples(TASK, None)), device=asked.device, baselines=()
        ),
    }
    commands = {
        "shipped": ("-m", "evaluator", "serve", "--device", asked.device, "--socket"),
        "open": (*UNCHECKED, "--open", *(["--cuda"] if asked.device == "cuda" else [])),
    }
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        daemons = []
        try:
            for name, command in commands.items():
                daemons.append(RunningDaemon(Path(folder) / f"{name}.sock", command))
            for daemon in daemons:
                daemon.wait_until("ready", seconds=240)
            for name, job in jobs.items():
                _compare(name, job, daemons, asked.rounds)
        finally:
            for daemon in daemons:
                daemon.stop()


def _compare(name: str, job: Job, daemons: list[RunningDaemon], rounds: int) -> None:
    taken: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        order = (0, 1) if number % 2 else (1, 0)
        seconds = {which: _judge(daemons[which], job) for which in order}
        if number:  # the first one pays for what both keep warm
            taken.append((seconds[0], seconds[1]))
    with_all, without = (statistics.median(each) * 1000 for each in zip(*taken, strict=True))
    cost = statistics.median(one - other for one, other in taken) * 1000
    print(
        f"{name}, {len(job.graphs)} graphs: {with_all:.0f} ms a run, without {without:.0f} ms: {cost:.0f} ms for them"
    )


def _judge(daemon: RunningDaemon, job: Job) -> float:
    """Seconds of a run, from asking to its last event. Raises AssertionError unless all graphs are correct."""
    daemon.wait_until("ready")
    time.sleep(0.5)  # what the daemon gets ready for its next run is not this run's
    start = time.perf_counter()
    last: dict[str, Any] = daemon.judge(job)[-1]
    seconds = time.perf_counter() - start
    assert last["event"] == "run_done" and {one["status"] for one in last["graphs"].values()} == {"correct"}, last
    return seconds


if __name__ == "__main__":
    main()
