"""Tries every attempt and every honest pass of the tests on a device, and says of each what became of it.

    python tests/hostile/on_a_gpu.py [--device cuda|cpu] [--jobs N] [--time SECONDS] [--cases FOLDER] [--only WORDS]
                                      [--done LOG]

Needs Python, torch and triton. Exit status 1 when one of them was not judged as it must be, or was not reached in time.

Each attempt is judged twice: `whole`, as the service does it, where the class that its table names must be found; and
by the `guards` of the run alone, as if the text had not been looked at, where it must not come out clean and right.
Tricks with the device, and honest passes that use it likewise, are judged `timed`, the honest ones one after the other
and with nothing beside them; all the others go without timing, many at once.
"""

import argparse
import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "evaluator" / "runner"), str(ROOT / "tests" / "hostile")]

from trials import ATTEMPT, Trial, outcome, trials  # noqa: E402

from evaluator.runner.client import DaemonClient  # noqa: E402

WARM_UP_SECONDS = 120.0
NAME = 58  # characters of a name that are printed
COLUMNS = "{:<6} {:<8} {:<58} {:<20} {:<11} {:<34} {:>5} s  {}"


class Daemon:
    """A warm daemon of our own."""

    def __init__(self, device: str, folder: Path, number: int) -> None:
        self.client = DaemonClient(folder / f"{number}.sock")
        self.log = folder / f"{number}.log"
        environment = {**os.environ, "PASSNET_EVALUATOR_CACHE": str(folder / f"seeds-{number}")}
        command = [sys.executable, str(ROOT / "tests" / "hostile" / "asked_daemon.py"), device, self.client.path]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def wait(self) -> None:
        until = time.monotonic() + WARM_UP_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError, EOFError):
                said = self.client.hello()
                if said["status"] == "ready":
                    return
                if said.get("message"):
                    raise SystemExit(f"the daemon can not start: {said['message']}")
            time.sleep(0.1)
        raise SystemExit(f"the daemon is not ready: {self.log.read_text()[-2000:]}")

    def judge(self, trial: Trial) -> list[dict[str, Any]]:
        """The events of its run; an empty list where the daemon failed."""
        events: list[dict[str, Any]] = []
        with contextlib.suppress(OSError, EOFError, ValueError):
            self.client.run(trial.job, events.append)
        return events

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=30)


@contextlib.contextmanager
def daemons(device: str, jobs: int) -> Iterator[list[Daemon]]:
    with tempfile.TemporaryDirectory(prefix="passnet-") as folder:
        made = [Daemon(device, Path(folder), number) for number in range(jobs)]
        try:
            for daemon in made:
                daemon.wait()
            yield made
        finally:
            for daemon in made:
                if daemon.process.poll() is None:
                    daemon.process.send_signal(signal.SIGTERM)
            for daemon in made:
                daemon.stop()


@dataclass
class Tally:
    """Prints each trial as it ends, and counts."""

    until: float
    judged: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.wrong: list[str] = []
        self.not_reached = 0
        self._lock = threading.Lock()

    def take(self, trial: Trial, events: list[dict[str, Any]], seconds: float) -> None:
        right, verdict, found = outcome(trial, events)
        expected = trial.expected or "-"
        line = COLUMNS.format(
            trial.kind, trial.layer, trial.name[:NAME], expected, verdict, found[:80], f"{seconds:.1f}",
            "ok" if right else "NOT OK",
        )  # fmt: skip
        with self._lock:
            self.judged += 1
            self.seconds += seconds
            print(line, flush=True)
            if not right:
                message = (
                    next(
                        (
                            str(result["message"])
                            for result in (events[-1].get("graphs") or {}).values()
                            if result["message"]
                        ),
                        "",
                    )
                    if events
                    else "no answer"
                )
                self.wrong.append(f"{line}\n           {message[:300]}")


def work(daemon: Daemon, waiting: "queue.SimpleQueue[Trial]", tally: Tally) -> None:
    while True:
        try:
            trial = waiting.get_nowait()
        except queue.Empty:
            return
        if time.monotonic() > tally.until:
            tally.not_reached += 1
            continue
        started = time.monotonic()
        events = daemon.judge(trial)
        tally.take(trial, events, time.monotonic() - started)


def judge_all(todo: list[Trial], with_daemons: list[Daemon], tally: Tally) -> None:
    waiting: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    for trial in todo:
        waiting.put(trial)
    threads = [threading.Thread(target=work, args=(daemon, waiting, tally)) for daemon in with_daemons]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def judged_before(log: Path | None) -> set[tuple[str, str, str]]:
    """Kind, layer and name of what was as it must be in the output of an earlier call."""
    lines = [] if log is None else log.read_text().splitlines()
    columns = [(line[:6], line[7:15], line[16 : 16 + NAME]) for line in lines if line.endswith("  ok")]
    return {(kind.strip(), layer.strip(), name.strip()) for kind, layer, name in columns}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) - 2), help="runs at the same time")
    parser.add_argument("--time", type=float, default=230.0, metavar="SECONDS", help="no run is started after that")
    parser.add_argument("--cases", type=Path, metavar="FOLDER", help="acceptance cases: a folder with submissions/")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="trials whose line begins with, or name holds, this"
    )
    parser.add_argument("--done", type=Path, metavar="LOG", help="leave out what an earlier output calls ok")
    options = parser.parse_args()
    tally = Tally(time.monotonic() + options.time)
    done = judged_before(options.done)
    todo = [
        one
        for one in trials(options.device, options.cases)
        if options.only in f"{one.kind} {one.layer} {one.name}"
        and (one.kind, one.layer, one.name[:NAME].strip()) not in done
    ]
    todo.sort(key=lambda one: one.kind == ATTEMPT)  # honest passes first: a device's time may end before all are judged
    alone, together = [one for one in todo if one.alone], [one for one in todo if not one.alone]
    with daemons(options.device, max(1, min(options.jobs, len(together)))) as ready:
        said = ready[0].client.hello()
        print(f"{len(todo)} trials on {options.device}, isolation: {said['isolation']}, versions: {said['versions']}")
        print(COLUMNS.format("kind", "layer", "name", "expected", "verdict", "found", "", ""))
        judge_all(alone, ready[:1], tally)
        judge_all(together, ready, tally)
    if tally.wrong:
        print("\nNOT OK:\n" + "\n".join(tally.wrong))
    mean = tally.seconds / max(tally.judged, 1)
    print(
        f"\n{tally.judged} of {len(todo)} judged ({mean:.2f} s each), {len(tally.wrong)} not as they must be, "
        f"{tally.not_reached} not reached in {options.time:.0f} s"
    )
    return 1 if tally.wrong or tally.not_reached else 0


if __name__ == "__main__":
    sys.exit(main())
