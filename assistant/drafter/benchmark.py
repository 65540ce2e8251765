"""Drafts whole tasks and has them judged, beside Inductor where there is a GPU: a table of what came of it.

    python -m assistant.drafter.benchmark graphs/captured --manifest graphs/captured/benchmark.json --device cuda

Needs Python, torch and triton; no Django, no queue, no network.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.drafter import compiler_alone
from assistant.drafter.__main__ import facts_of
from assistant.drafter.author import Result, author_task
from assistant.drafter.captured import BadManifest, Task, chosen, read, unpacked
from assistant.drafter.comparison import COMPILER, Row, as_json, compiler_ratios, nothing_drafted, row, summary
from assistant.drafter.judging import Judge, NoDaemon, judge_on
from assistant.drafter.warming import warm
from evaluator.runner.devices import torch_device
from graphs.fx_source import parse
from graphs.problems import ReadProblem

BAD_ARGUMENTS, FAULT = 2, 3
_SHARE_OF_WARMING = 0.25
_SHARE_OF_REST = 0.15  # of the time: Inductor alone, on graphs that the drafter gets nowhere with


@dataclass
class Table:
    """What is known so far; written anew after each task, so that an end in the middle loses nothing."""

    out: Path | None
    device: str
    began: float
    rows: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    versions: Mapping[str, Any] = field(default_factory=dict)
    left: int = 0
    order: int | None = None  # what the tasks were shuffled with; None: in the order of the benchmark

    def write(self) -> None:
        if self.out is not None:
            self.out.write_text(json.dumps(self.as_json(), indent=1))

    def as_json(self) -> dict[str, Any]:
        return {
            "summary": summary(self.rows),
            "device": self.device,
            "versions": dict(self.versions),
            "seconds": round(time.monotonic() - self.began, 1),
            "tasks_left": self.left,
            "shuffled_with": self.order,
            "problems": self.problems,
            "rows": as_json(self.rows),
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 when tasks were judged, 2 for what can not be read, 3 when nothing can be judged here."""
    options = _parser().parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="passnet-drafter-") as work:
        try:
            folders = chosen(unpacked(options.folder, Path(work)), options.manifest)
        except (ReadProblem, BadManifest, OSError) as problem:
            print(problem, file=sys.stderr)
            return BAD_ARGUMENTS
        if options.shuffle is not None:
            random.Random(options.shuffle).shuffle(folders)
        folders = folders[options.skip :][: options.tasks]
        if not folders:
            print(f"{options.folder} holds no task to draft", file=sys.stderr)
            return BAD_ARGUMENTS
        table = Table(options.out, options.device, began, order=options.shuffle)
        try:
            _judge_all(folders, options, table, Path(work))
        except NoDaemon as problem:
            print(problem, file=sys.stderr)
            return FAULT
        finally:
            table.write()
        print(json.dumps(summary(table.rows), indent=1))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m assistant.drafter.benchmark", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="a folder of task folders, or of archives of them (*.tar.gz)")
    parser.add_argument("--manifest", type=Path, help="only the tasks of this benchmark, in its order")
    parser.add_argument("--device", default="cpu", metavar="cpu|cuda", help="where to judge (default: cpu)")
    parser.add_argument(
        "--shuffle",
        type=int,
        metavar="SEED",
        help="in an order drawn with this seed: a fair sample when time ends",
    )
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave the first N tasks out")
    parser.add_argument("--tasks", type=int, metavar="N", help="at most N tasks")
    parser.add_argument("--most", type=int, default=1, metavar="N", help="sets of files to judge for a task")
    parser.add_argument("--seconds", type=float, default=86_400.0, metavar="S", help="begin nothing more after so long")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="compile Inductor's side first, N at once")
    parser.add_argument("--out", type=Path, metavar="TABLE.json", help="write the table there")
    return parser


def _judge_all(folders: list[Path], options: argparse.Namespace, table: Table, work: Path) -> None:
    tasks = [task for task in read(folders) if _readable(task, table)]
    found = [task for task in tasks if isinstance(task, Task)]
    timed = options.device != "cpu"
    cache = work / "seeds"
    if timed and options.jobs:
        samples = [sample for task in found for sample in task.samples]
        limit = options.seconds * _SHARE_OF_WARMING
        count = warm(samples, torch_device(options.device), cache, options.jobs, limit)
        took = time.monotonic() - table.began
        print(f"Inductor has compiled {count} of {len(samples)} graphs {took:.0f} s after the beginning", flush=True)
    until = table.began + options.seconds * (1 - _SHARE_OF_REST if timed else 1)
    missing: list[tuple[int, Task]] = []
    with judge_on(options.device, cache if timed else None) as judge:
        for place, task in enumerate(found):
            if time.monotonic() > until:
                break
            table.left = len(found) - place - 1
            table.rows.append(_judged(judge, task, options.most, timed, table))
            if timed and table.rows[-1].compiler is None:
                missing.append((len(table.rows) - 1, task))
            table.write()
            _print_row(table.rows[-1])
    _compiler_alone(missing, options, table, work)


def _readable(task: Task | ReadProblem, table: Table) -> bool:
    if isinstance(task, ReadProblem):
        table.problems.append(str(task))
        return False
    return True


def _judged(judge: Judge, task: Task, most: int, timed: bool, table: Table) -> Row:
    graphs = [(graph := parse(sample.source), facts_of(sample, graph)) for sample in task.samples]
    names = [sample.name for sample in task.samples]
    ratios: dict[str, float | None] = {}
    baselines = (COMPILER,) if timed else ()

    def evaluate(files: Mapping[str, str]) -> Result:
        events = judge.events(files, task.samples, baselines)
        last = events[-1]
        if last["event"] != "run_done":
            table.problems.append(f"{task.name}: {last.get('message', last['event'])}")
            return None
        table.versions = last["versions"]
        ratios.update(compiler_ratios(events))
        return last

    steps = list(author_task(graphs, evaluate, most, timed))
    best = next((step for step in reversed(steps) if step.is_best), None)
    if best is None or best.result is None:
        return nothing_drafted(task.name, names, ratios)
    return row(task.name, names, best.files, best.result, ratios, len(steps))


def _compiler_alone(missing: list[tuple[int, Task]], options: argparse.Namespace, table: Table, work: Path) -> None:
    left = table.began + options.seconds - time.monotonic()
    if not missing or left <= 0:
        return
    samples = [sample for _, task in missing for sample in task.samples]
    ratios = compiler_alone.measure(samples, options.device, left, work)
    for place, task in missing:
        table.rows[place] = compiler_alone.completed(table.rows[place], task.samples, ratios)


def _print_row(one: Row) -> None:
    def shown(value: float | None) -> str:
        return "  –  " if value is None else f"{value:5.3f}"

    print(
        f"{one.correct:>3}/{one.graphs:<3} {one.verdict or 'nothing':<10} drafter {shown(one.score)}  "
        f"inductor {shown(one.compiler)}  {one.task}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
